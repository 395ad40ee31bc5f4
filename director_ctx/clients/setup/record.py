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
    from collections.abc import Mapping
    from typing import Any

LARGEST = 4_000_000
_DIGITS = 32
"""Of a path's hash: so many that nobody finds two paths with one record."""


class SetupRecord(Record):
    """All of it, over every time that it was run."""

    files: Mapping[str, str] = {}
    """Files of a folder that it made, each with the hash of what it wrote; none where there was a
    folder before.
    """
    clients: tuple[str, ...] = ()
    """Clients that it put hooks into,"""
    servers: Mapping[str, tuple[str, ...]] = {}
    """and those that it told of the tools, each with the files in which it did."""
    agents: tuple[str, ...] = ()
    """Clients that it wrote sub-agents for."""


def read_record(root: str) -> SetupRecord | None:
    """None where nothing was set up, or where the record makes no sense."""
    try:
        with open(_place(root), "rb") as file:
            data = json.loads(file.read(LARGEST))
        return SetupRecord(
            files={str(name): str(mark) for name, mark in data["files"].items()},
            clients=tuple(map(str, data["clients"])),
            servers=_servers(data["servers"]),
            agents=tuple(map(str, data["agents"])),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _servers(data: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {str(client): tuple(map(str, paths)) for client, paths in data.items()}


def write_record(root: str, record: SetupRecord) -> None:
    """Written before anything else is, so that whatever is done can be undone."""
    data = {
        "root": os.path.realpath(root),
        "files": dict(record.files),
        "clients": record.clients,
        "servers": dict(record.servers),
        "agents": record.agents,
    }
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
    real = os.path.realpath(root)
    name = digest(os.fsencode(real))[:_DIGITS]
    return state_place("setup", f"{name}.json")
