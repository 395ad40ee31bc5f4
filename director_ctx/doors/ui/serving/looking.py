"""Whether anything is different: by what the system knows of the files that pages are made of,
without reading them.
"""

from __future__ import annotations

import os
from functools import cache

from director_ctx.base.hashing import text_digest
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.table import CLIENTS
from director_ctx.doors.ui.serving.looking_further import look_at_database
from director_ctx.project.dctx_folder import corner_of
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = ("store.db", "store.db-wal", "runs.jsonl", "hooks.log", "copies.json", "claims.json")
"""Files of ours that pages are made of. Whoever reads a store makes others beside it."""
GIT = (".git/HEAD", ".git/logs/HEAD")
LENGTH = 16
MOST_FILES = 20_000


def look_at(root: str) -> str:
    """The same letters as long as nothing was changed."""
    documents = _documents(os.path.join(root, FOLDER))
    others = _others(root)
    # Where it stands in a file, it has a mark among the others.
    database = look_at_database(root)
    marks = "\n".join([*documents, *others, database])
    return text_digest(marks)[:LENGTH]


def _documents(folder: str) -> Iterator[str]:
    """Files alone: a folder changes with what is in it."""
    waiting = [folder]
    seen = 0
    while waiting and seen < MOST_FILES:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
                continue
            yield _mark(entry.path)


def _others(root: str) -> Iterator[str]:
    corner = corner_of(root)
    for name in KEPT:
        path = os.path.join(corner, name)
        mark = _mark(path)
        # Whoever reads a store may make an empty file beside it, and take it away again.
        if mark not in ("", path):
            yield mark
    for name in (*GIT, *_client_files()):
        yield _mark(os.path.join(root, *name.split("/")))


@cache
def _client_files() -> tuple[str, ...]:
    """Where clients have what was installed for this project."""
    names = {place.file for place in PLACES.values()}
    for client in CLIENTS.values():
        names |= {client.settings, client.local_settings}
    return tuple(sorted(names - {""}))


def _mark(path: str) -> str:
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    if not status.st_size:
        return path
    return f"{path} {status.st_mtime_ns} {status.st_size} {status.st_ino}"
