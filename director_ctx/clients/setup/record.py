"""What `dctx setup` did in a project, for whoever wants it undone: kept where no project reaches."""

from __future__ import annotations

import json
import os

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import digest
from director_ctx.base.record import Record
from director_ctx.base.system.user_folders import state_place
from director_ctx.base.system.write import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LARGEST = 4_000_000
_DIGITS = 32
"""Of a path's hash: so many that nobody finds two paths with one record."""


class SetupRecord(Record):
    """All of it, over every time that it was run."""

    files: Mapping[str, str] = {}
    """Files of a folder that it made, each with the hash of what it wrote; none where there was a
    folder before.
    """
    parts: Mapping[str, Mapping[str, tuple[str, ...]]] = {}
    """By part and client, the files into which it put something."""

    def with_paths(self, part: str, client: str, paths: Sequence[str]) -> SetupRecord:
        known = self.parts.get(part, {})
        every = dict.fromkeys((*known.get(client, ()), *paths))
        return self.replace(parts={**self.parts, part: {**known, client: tuple(every)}})

    def without(self, part: str, client: str, heir: str) -> SetupRecord:
        """Another client may read the same files: then they are its own."""
        known = dict(self.parts.get(part, {}))
        paths = known.pop(client, ())
        left = self.replace(parts={**self.parts, part: known})
        return left.with_paths(part, heir, paths) if heir and paths else left


def read_record(root: str) -> SetupRecord | None:
    """None where nothing was set up, or where the record makes no sense."""
    try:
        with open(_place(root), "rb") as file:
            data = json.loads(file.read(LARGEST))
        parts = {}
        for part, clients in data["parts"].items():
            parts[part] = {name: tuple(map(str, paths)) for name, paths in clients.items()}
        files = {str(name): str(mark) for name, mark in data["files"].items()}
        return SetupRecord(files, parts)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def write_record(root: str, record: SetupRecord) -> None:
    """Written before anything else is, so that whatever is done can be undone."""
    data = {"root": os.path.realpath(root), "files": record.files, "parts": record.parts}
    path = _place(root)
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        write_whole(path, json.dumps(data, indent=2).encode())
    except OSError as error:
        raise DctxError(
            f"Nothing was done, because no record of it could be kept in {path}: {error.strerror or error}.",
            "Set XDG_STATE_HOME to a folder that may be written.",
        ) from error


def drop_record(root: str) -> None:
    try:
        os.unlink(_place(root))
    except OSError:
        pass


def _place(root: str) -> str:
    name = digest(os.fsencode(os.path.realpath(root)))[:_DIGITS]
    return state_place("setup", f"{name}.json")
