"""The run record, `.director/.dctx/runs.jsonl`, and the texts of its last runs, as they are read."""

from __future__ import annotations

import os
import stat

from director_ctx.base.hashing import digest
from director_ctx.memory.runs.run import parse_run
from director_ctx.project.dctx_folder import kept_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.runs.run import Run

RECORD, TEXTS = "runs.jsonl", "texts"
LARGEST_RECORD = 1_000_000
"""Bytes. A run is about 1,300, so this is some 800 runs; the older ones are forgotten then."""
USUAL_LINE = 4_000
"""Bytes that hardly any run exceeds."""
LARGEST_TEXT = 2_000_000
SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
BINARY = getattr(os, "O_BINARY", 0)


def texts_folder(root: str) -> str:
    """Where the texts are kept. Raises OSError where a link would lead elsewhere."""
    top = kept_path(root, TEXTS)
    if not top or os.path.islink(top):
        raise OSError(f"{TEXTS} is not a folder of ours")
    return top


def text_path(top: str, name: str) -> str:
    folder = os.path.join(top, name[:2])
    if os.path.islink(folder):
        raise OSError(f"{folder} is a link")
    return os.path.join(folder, name)


def read_runs(root: str, last: int = 0) -> tuple[Run, ...]:
    """The last runs, or all that are on record, oldest first; lines that are none of ours are
    passed over.
    """
    path = kept_path(root, RECORD)
    lines = read_lines(path, last * USUAL_LINE)
    if len(lines) <= last:
        lines = read_lines(path)
    # Each run once: where the record was replaced meanwhile, its line may stand there twice.
    return tuple(dict.fromkeys(filter(None, map(parse_run, lines[-last:]))))


def read_lines(record: str, most: int = LARGEST_RECORD) -> list[bytes]:
    """The lines at the end of the record; the first of them may be cut."""
    if not record or not most:
        return []
    data = _read(record, min(most, LARGEST_RECORD))
    return [line for line in data.split(b"\n") if line.strip()]


def read_text(root: str, name: str) -> str | None:
    """The text with this hash, if it is still kept and still what it was."""
    try:
        data = _read(text_path(texts_folder(root), name), LARGEST_TEXT)
    except OSError:
        return None
    return data.decode("utf-8", "replace") if digest(data) == name else None


def _read(path: str, most: int) -> bytes:
    """The end of a regular file; nothing where there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | SAFE | BINARY)
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return b""
        os.lseek(descriptor, max(0, status.st_size - most), os.SEEK_SET)
        data = b""
        while len(data) < most:
            more = os.read(descriptor, most - len(data))
            if not more:
                break
            data += more
        return data
    finally:
        os.close(descriptor)
