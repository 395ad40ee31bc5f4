"""Which conversations there are, and which one is meant: a client's session, the store's own, or a
file.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.history.sessions.files import STORE, File, Session, files, look
from director_ctx.memory.store.open import open_conversation, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.history.sessions.files import Ends
    from director_ctx.project.project import Project

FILE = "file"
_MOST_NAMED = 5


def place_of(root: str | None) -> str:
    """The folder whose sessions are meant, as clients write it down: the project's, else the
    current one.
    """
    project = project_here(root)
    return os.path.realpath(project.root if project else os.getcwd())


def listed(
    root: str | None, client: str | None = None, every: bool = False, most: int = 0
) -> list[Session]:
    """Sessions, oldest first, each with its sub-agents behind it; the newest `most`, if that is not
    0.
    """
    place = "" if every else place_of(root)
    kept = _newest(files(place, client), place, most) if client != STORE else []
    own = store_session(project_here(root)) if client in (None, STORE) else None
    ids, below = {one.id for one in kept}, _by_parent(kept)
    mains = sorted(
        (one for one in kept if not one.parent or one.parent not in ids), key=lambda one: one.last
    )
    mains = sorted([*mains, *([own] if own else [])], key=lambda one: one.last)[
        -most if most else 0 :
    ]
    return [one for main in mains for one in (main, *_below(main, below))]


def _newest(found: list[File], place: str, most: int) -> list[Session]:
    """Oldest first; no more files are looked into than it takes. Names of sub-agents' files tell
    whose they are.
    """
    kept: list[Session] = []
    mains: set[str] = set()
    for file in reversed(found):
        full = bool(most) and len(mains) >= most
        if full and not any(name in file.path for name in mains):
            continue
        session = look(file, place, _estimated)
        if session and not (full and session.parent not in mains) and not (session.own and place):
            kept.append(session)
            mains |= set() if session.parent else {session.id}
    return kept[::-1]


def _estimated(file: File, ends: Ends) -> int:
    from director_ctx.context.settings.budget import count_chars
    from director_ctx.history.sessions.sampled import by_ends, format_of

    return by_ends(ends, file.size, format_of(file.client, file.path), file.path, count_chars)


def _by_parent(kept: list[Session]) -> dict[str, list[Session]]:
    """Sub-agents by the session that they are of, oldest first."""
    found: dict[str, list[Session]] = {}
    for one in sorted(kept, key=lambda one: one.last):
        if one.parent and one.parent != one.id:
            found.setdefault(one.parent, []).append(one)
    return found


def _below(main: Session, below: dict[str, list[Session]], depth: int = 0) -> Iterator[Session]:
    """Sub-agents, and theirs."""
    for one in below.get(main.id, ()):
        yield one
        if depth < _MOST_NAMED:
            yield from _below(one, below, depth + 1)


def store_session(project: Project | None) -> Session | None:
    """The store's conversation; None where it has no message."""
    from director_ctx.context.settings.budget import count_chars
    from director_ctx.memory.conversations.messages import all_messages

    with open_conversation(project) as store:
        messages = all_messages(store)
    if not messages:
        return None
    tokens = sum(count_chars(one.content) for one in messages if not one.archived)
    title = next(
        (" ".join(one.content.split())[:200] for one in messages if one.role == "user"), ""
    )
    first, last = messages[0].timestamp, messages[-1].timestamp
    return Session(STORE, STORE, "", first, last, len(messages), tokens, True, title)


def choose(named: str | None, root: str | None) -> Session:
    """The session of this name: a path, `store`, or the start of an id; the newest of the project
    for none.
    """
    if named is None:
        return _newest_here(root)
    if named == STORE:
        return Session(STORE, STORE, "", "", "", 0, 0, True, "")
    if os.path.isfile(named):
        return _of_file(os.path.abspath(named))
    if os.path.isdir(named) or os.sep in named or not named.strip():
        raise DctxError(
            f"{plain(named) or 'SESSION'}: there is no such file.",
            "`dctx history list` shows sessions.",
        )
    found = _named(named, place_of(root)) or _named(named, "")
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(plain(one.id) for one in found[:_MOST_NAMED])
        raise DctxError(
            f"{plain(named)} is the start of {len(found)} sessions: {names}.",
            "Give more of the id.",
        )
    raise DctxError(
        f"There is no session {plain(named)!r}.",
        "`dctx history list --all` shows those that there are.",
    )


def _named(start: str, place: str) -> list[Session]:
    """Clients put the beginning of an id into the name of the file, or of its folder."""
    likely = (
        file for file in files(place) if start[:8] in os.sep.join(file.path.split(os.sep)[-2:])
    )
    looked = (one for file in likely if (one := look(file, place)))
    return [
        one for one in looked if one.id.startswith(start) or one.id.startswith(f"agent-{start}")
    ]


def _newest_here(root: str | None) -> Session:
    place = place_of(root)
    for file in reversed(files(place)):
        session = look(file, place)
        if session and not session.parent and not session.own:
            return session
    own = store_session(project_here(root))
    if own:
        return own
    raise DctxError(
        "There is no conversation of this project yet.",
        "Name a file, or see `dctx history list --all` for those of other projects.",
    )


def _of_file(path: str) -> Session:
    """A file that the user named, whoever wrote it."""
    name = os.path.splitext(os.path.basename(path))[0]
    return Session(name, FILE, path, "", "", 0, 0, False, "")


def read_bytes(session: Session, most: int = -1) -> bytes:
    """The file as it is now."""
    try:
        with open(session.path, "rb") as file:
            return file.read(most)
    except OSError as error:
        raise DctxError(
            f"{plain(session.path)} could not be read: {error.strerror or error}.",
            "Look at its permissions.",
        ) from error
