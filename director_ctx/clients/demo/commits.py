"""How the example came to be: the files of each of its commits.

`examples/history.json` lists the commits. "files" names what a commit adds or changes; "planned"
names finished tasks that are still pending in it; "edits" turns a file into an earlier version of
itself: [text, replacement], or [text, ""] to leave out the lines that contain the text.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from director_ctx.base.record import Record
from director_ctx.base.resources import shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

PERSON = "Robin Reader <robin@example.org>"
BRANCH = "refs/heads/main"
DONE, PENDING = ".done.md", ".md"

Edits = list[list[str]]
_UNTICKED: Edits = [["- [x]", "- [ ]"]]
"""What a finished task said before it was done."""


class ExampleCommit(Record):
    """One commit; paths are relative to the project."""

    date: str
    subject: str
    written: Mapping[str, bytes]
    removed: tuple[str, ...]


def commits() -> tuple[ExampleCommit, ...]:
    """All of them, the oldest first."""
    with open(shipped("examples", "history.json"), encoding="utf-8") as file:
        entries = json.load(file)
    source = Path(shipped("examples", "reading-list"))
    return tuple(_commit(source, entry) for entry in entries)


def files_after(story: Sequence[ExampleCommit]) -> dict[str, bytes]:
    """What there is when all of them are made."""
    files: dict[str, bytes] = {}
    for commit in story:
        for path in commit.removed:
            files.pop(path, None)
        files.update(commit.written)
    return files


def as_stream(story: Sequence[ExampleCommit]) -> bytes:
    """The same for `git fast-import`, which makes all commits at once."""
    stream = bytearray()
    for commit in story:
        for piece in _pieces(commit):
            stream += piece
    return bytes(stream)


def _commit(source: Path, entry: dict[str, Any]) -> ExampleCommit:
    written: dict[str, bytes] = {}
    removed: list[str] = []
    planned = entry.get("planned", [])
    for path in _matching(source, planned):
        pending = _pending(path)
        written[pending] = _earlier(source, path, _UNTICKED)

    all_edits = entry.get("edits", {})
    for path in _matching(source, entry["files"]):
        if path.endswith(DONE):
            pending = _pending(path)
            removed.append(pending)
        edits = all_edits.get(path, [])
        written[path] = _earlier(source, path, edits)
    return ExampleCommit(
        date=entry["date"],
        subject=entry["subject"],
        written=written,
        removed=tuple(removed),
    )


def _matching(source: Path, patterns: Sequence[str]) -> list[str]:
    paths: list[str] = []
    for pattern in patterns:
        before = len(paths)
        for path in sorted(source.glob(pattern)):
            if path.is_file():
                inside = path.relative_to(source)
                paths.append(inside.as_posix())
        if len(paths) == before:
            raise ValueError(f"history.json: nothing matches {pattern}")
    return paths


def _pending(path: str) -> str:
    """What the file of a finished task was called before."""
    return path.removesuffix(DONE) + PENDING


def _earlier(source: Path, path: str, edits: Edits) -> bytes:
    """A file as it was at the time of a commit."""
    location = source / path
    text = location.read_bytes().decode("utf-8")
    for old, new in edits:
        if old not in text:
            raise ValueError(f"history.json: no file text contains {old!r}")
        if new:
            text = text.replace(old, new)
        else:
            lines = text.splitlines(keepends=True)
            text = "".join(line for line in lines if old not in line)
    return text.encode("utf-8")


def _pieces(commit: ExampleCommit) -> Iterator[bytes]:
    moment = datetime.fromisoformat(f"{commit.date}+00:00")
    signature = f"{PERSON} {int(moment.timestamp())} +0000"
    yield f"commit {BRANCH}\nauthor {signature}\ncommitter {signature}\n".encode()
    yield _data(f"{commit.subject}\n".encode())
    for path in commit.removed:
        yield f"D {path}\n".encode()
    for path, content in commit.written.items():
        yield f"M 100644 inline {path}\n".encode()
        yield _data(content)


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
