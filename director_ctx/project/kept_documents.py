"""Documents that a program which runs for long has read before: one that did not change since is not
read again.
"""

from __future__ import annotations

import os
from time import time_ns

from director_ctx.project.fingerprint import OLD_ENOUGH
from director_ctx.project.reading.read import read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.reading.model import Document

    FileMark = tuple[int, int, int, int]
    """When it was written and when anything of it changed, its size, and which file it is."""

MOST_BYTES = 16_000_000
"""Of all documents together."""


class KeptDocuments:
    """By where they are on disk. Threads may share it: what it holds is frozen."""

    def __init__(self) -> None:
        self._documents: dict[str, tuple[FileMark, Document]] = {}
        self._bytes = 0

    def read(self, location: str, path: str) -> Document:
        """As `read_document`, which is asked only where the file is not as it was."""
        # Before the file is read: what changes meanwhile is noticed the next time.
        mark = _mark_of(location)
        kept = self._documents.get(location)
        if kept and kept[0] == mark:
            return kept[1]

        document = read_document(location, path)
        if mark and not document.too_large:
            self._keep(location, mark, document)
        return document

    def _keep(self, location: str, mark: FileMark, document: Document) -> None:
        if self._bytes > MOST_BYTES:
            # Two threads may both make room, and then there is more of it.
            self._documents.clear()
            self._bytes = 0
        self._bytes += document.size
        self._documents[location] = (mark, document)


def _mark_of(location: str) -> FileMark | None:
    """None where a change would not be noticed: some disks tell times no finer than two seconds."""
    try:
        status = os.stat(location)
    except (OSError, ValueError):
        return None
    newest = max(status.st_mtime_ns, status.st_ctime_ns)
    if newest > time_ns() - OLD_ENOUGH:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
