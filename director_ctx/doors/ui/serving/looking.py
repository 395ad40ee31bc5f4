"""Whether anything is different: by what the system knows of the files that pages are made of, without reading them;
in a database that a team shares, in the conversations that clients keep, or in the browser.
"""

from __future__ import annotations

import os
from functools import cache

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import text_digest
from director_ctx.browser.state import find_browser, is_browser_known
from director_ctx.browser.tabs import SECONDS, read_tabs
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.table import CLIENTS
from director_ctx.context.settings.options import load_settings
from director_ctx.history.sessions.copies import copies_of
from director_ctx.history.sessions.files import CODEX, File, file_at, files
from director_ctx.history.sessions.find import starting_with
from director_ctx.memory.conversations.messages import state
from director_ctx.memory.plans.versions import current
from director_ctx.memory.store.open import open_store, store_url
from director_ctx.memory.variables.entries import version_now
from director_ctx.project.dctx_folder import corner_of
from director_ctx.project.project import Project
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


LENGTH = 16
MOST_SESSIONS = 50
HERE, EVERY = "1", "all"
"""Which conversations a page is about; else it names one."""
MOST_PLACES = 64
_places: dict[str, tuple[str, str]] = {}


def look_at_database(root: str) -> str:
    """By the numbers of its newest rows; empty where the store is a file of the project."""
    project = Project(root)
    try:
        if not store_url(root, load_settings(project).store):
            return ""
        with open_store(project) as store:
            plan = current(store)
            number = plan.number if plan else 0
            return f"{number} {version_now(store)} {state(store)}"
    except DctxError as error:
        # A page says so, too; when it can be read again, it is another mark.
        return error.message


def look_at_talk(root: str, about: str = HERE) -> str:
    """By the sizes and times of the newest sessions: the project's, everybody's, or one with its
    sub-agents.
    """
    if about == EVERY:
        seen = files("")
    elif about == HERE:
        seen = files(os.path.realpath(root))
    else:
        seen = _of_session(root, about)
    marks = []
    for file in seen[-MOST_SESSIONS:]:
        marks.append(f"{file.path} {file.changed} {file.size}")
    return text_digest("\n".join(marks))[:LENGTH]


def _of_session(root: str, name: str) -> list[File]:
    """With its shorter copies: whether one can be taken back depends on them."""
    place = _place_of(name)
    if place is None:
        return []
    client, path = place
    seen = []
    if client == CODEX:
        # It keeps sub-agents beside the session that began them.
        seen += files("", CODEX)[-MOST_SESSIONS:]
    else:
        folder, _ = os.path.splitext(path)
        for around, _, names in os.walk(folder):
            for file_name in sorted(names)[:MOST_SESSIONS]:
                seen += file_at(client, os.path.join(around, file_name))
    for copy in copies_of(root, name):
        seen += file_at(client, copy.path)
    # The last are those that are looked at.
    return [*seen, *file_at(client, path)]


def _place_of(name: str) -> tuple[str, str] | None:
    """Whose it is and where, which is looked for once: a file may grow, and does not move."""
    known = _places.get(name)
    if known and os.path.exists(known[1]):
        return known
    _places.pop(name, None)
    for session in starting_with(name, ""):
        if session.id == name:
            _places[name] = (session.client, session.path)
    for old in list(_places)[:-MOST_PLACES]:
        _places.pop(old, None)
    return _places.get(name)


def look_at_tabs(root: str) -> str:
    """By what is open; empty where no browser is known."""
    project = Project(root)
    if not is_browser_known(project):
        return ""
    try:
        tabs = read_tabs(find_browser(project, seconds=SECONDS).endpoint, SECONDS)
    except DctxError as error:
        return error.message
    marks = [f"{tab.id} {tab.title} {tab.url}" for tab in tabs]
    return text_digest("\n".join(marks))[:LENGTH]


KEPT = ("store.db", "store.db-wal", "runs.jsonl", "hooks.log", "copies.json", "claims.json")
"""Files of ours that pages are made of. Whoever reads a store makes others beside it."""
GIT = (".git/HEAD", ".git/logs/HEAD")
LOOKING_LENGTH = 16
MOST_FILES = 20_000


def look_at(root: str) -> str:
    """The same letters as long as nothing was changed."""
    documents = _documents(os.path.join(root, FOLDER))
    others = _others(root)
    # Where it stands in a file, it has a mark among the others.
    database = look_at_database(root)
    marks = "\n".join([*documents, *others, database])
    return text_digest(marks)[:LOOKING_LENGTH]


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
