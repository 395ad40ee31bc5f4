"""The folder of another tool's plan as its reader sees it: texts and listings below one root, never out of it, and a
note of everything that was looked at.
"""

from __future__ import annotations

import errno
import os
from typing import Any

from director_ctx.base.errors import DctxError
from director_ctx.base.light_json import parse
from director_ctx.base.system.yaml_file import parse_yaml
from director_ctx.base.text import TOO_LONG, plain
from director_ctx.other_plans.model import UNRESOLVED, SourceRemark
from director_ctx.project.origins import names_at
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.read import Unreadable, read_document
from director_ctx.project.taken import mark_of, mark_of_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

FILE, FOLDER = "file", "folder"
MOST_FILES = 10_000
LARGEST = 20_000_000
"""Bytes of one file; what tools write by themselves can be long."""
MOST_CHARACTERS = 100_000_000
"""Of all texts together."""
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
"""Errors of a path that nothing can be at."""


class PlanSource:
    """Paths are relative to its root, with forward slashes."""

    def __init__(
        self,
        root: str,
        file: str = "",
        with_done: bool = False,
        followed: Collection[str] = (),
    ) -> None:
        self.root = os.path.realpath(root)
        self.file = file
        """The one file that was named, where it is not a folder."""
        self.with_done = with_done
        """Whether what is finished and put away is wanted, too."""
        self.followed = followed
        """Keys of what was taken over before: that is looked for wherever it is put away."""
        self.seen: dict[str, str] = {}
        self.remarks: list[SourceRemark] = []
        self._texts: dict[str, str] = {}
        self._names: dict[str, dict[str, str]] = {}
        self._characters = 0

    def remark(self, kind: str, says: str, path: str, line: int = 0) -> None:
        self.remarks.append(SourceRemark(kind, says, plain(path), line))

    def location(self, path: str) -> str:
        """Where a path is; empty where it would lead out of the root."""
        parts = path.split("/")
        if path.startswith(("/", "~")) or "\0" in path or "\\" in path or ".." in parts:
            return ""
        location = os.path.realpath(os.path.join(self.root, *parts))
        return location if inside(location, self.root) else ""

    def kind(self, path: str) -> str:
        """`file`, `folder` or nothing."""
        location = self.location(path)
        if location and os.path.isdir(location):
            return FOLDER
        return FILE if location and os.path.isfile(location) else ""

    def names(self, folder: str) -> dict[str, str]:
        """What is in a folder, sorted; nothing hidden, and no link that leads out of the root."""
        if folder in self._names:
            return self._names[folder]
        found: dict[str, str] = {}
        location = self.location(folder)
        try:
            found = names_at(location) if location else {}
        except OSError as error:
            if error.errno not in _ABSENT:
                raise _unreadable(folder, error.strerror or str(error)) from error
        names = self._names[folder] = {}
        for name, kind in sorted(found.items()):
            path = f"{folder}/{name}"
            if name.startswith("."):
                continue
            if self.location(path):
                names[name] = kind
            else:
                says = "is a link that leads out of the project; it was not followed"
                self.remark(UNRESOLVED, says, path)
        self._see(f"{folder}/", mark_of_names(found) if found else "")
        return names

    def folders(self, folder: str) -> list[str]:
        return [name for name, kind in self.names(folder).items() if kind == FOLDER]

    def files(self, folder: str) -> list[str]:
        """The names of its Markdown files."""
        found = self.names(folder).items()
        return [name for name, kind in found if kind == FILE and name.endswith(".md")]

    def text(self, path: str) -> str:
        """The text of a file; nothing where there is none. Raises where there is one that cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: str) -> str:
        location = self.location(path)
        if not location:
            if os.path.lexists(os.path.join(self.root, *path.split("/"))):
                self.remark(UNRESOLVED, "leads out of the project; it was not read", path)
            return ""
        try:
            document = read_document(location, path, LARGEST)
        except FileNotFoundError:
            self._see(path, "")
            return ""
        except Unreadable as error:
            cause = error.__cause__
            is_absent = isinstance(cause, OSError) and cause.errno in _ABSENT
            # A folder of that name never held what could be gone now.
            if is_absent or os.path.isdir(location):
                self.remark(UNRESOLVED, f"cannot be read: {error}", path)
                return ""
            raise _unreadable(path, str(error)) from error
        for note in document.notes:
            if note.kind == TOO_LONG:
                raise _unreadable(path, note)
            self.remark(UNRESOLVED, note, path)
        if _has_conflict(document.text):
            raise _unreadable(path, "git left a conflict in it")
        self._see(path, mark_of(document.text))
        self._characters += len(document.text)
        if self._characters > MOST_CHARACTERS:
            raise _too_much(f"{MOST_CHARACTERS:,} characters")
        return document.text

    def _see(self, path: str, mark: str) -> None:
        self.seen[path] = mark
        if len(self.seen) > MOST_FILES:
            raise _too_much(f"{MOST_FILES:,} files")

    def json(self, path: str) -> Any:
        """The value of a JSON file; None where there is none."""
        text = self.text(path)
        if not text and self.kind(path) != FILE:
            return None
        try:
            return parse(text)
        except ValueError as error:
            raise _unreadable(path, str(error)) from error

    def yaml(self, path: str) -> dict[str, Any]:
        """The mapping in a YAML file; an empty one where there is none."""
        return self._yaml(self.text(path), path)

    def front_matter(self, path: str) -> tuple[dict[str, Any], str]:
        """The values above a text, and the text."""
        text = self.text(path)
        end = text.find("\n---", 3) if text.startswith("---\n") else -1
        if end < 0:
            return {}, text
        return self._yaml(text[4 : end + 1], path), text[end + 1 :].partition("\n")[2]

    def _yaml(self, text: str, path: str) -> dict[str, Any]:
        if not text.strip():
            return {}
        try:
            value = parse_yaml(text, plain(path))
        except DctxError as error:
            says = error.message.removeprefix(f"{plain(path)} ")
            self.remark(UNRESOLVED, says.rstrip("."), path)
            return {}
        if not isinstance(value, dict):
            return {}
        return {str(name): member for name, member in value.items()}


def _unreadable(path: str, why: str) -> DctxError:
    """What cannot be read may not be taken for empty: all that was in it would be gone from the plan."""
    return DctxError(
        f"{plain(path)} cannot be read: {plain(why).rstrip('.')}.",
        "Mend it, and run the command again; nothing was written.",
    )


def _too_much(most: str) -> DctxError:
    return DctxError(f"The plan has more than {most}.", "Name the part of it that you want.")


def _has_conflict(text: str) -> bool:
    """Whether git left its marks outside of code."""
    if "\n>>>>>>> " not in text:
        return False
    awaited = ["<<<<<<< ", "=======", ">>>>>>> "]
    fence = ""
    for line in text.split("\n"):
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence and line.startswith(awaited[0]):
            del awaited[0]
            if not awaited:
                return True
    return False
