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

    from director_ctx.history.sessions.files import FileEnds
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
    folder = "" if every else place_of(root)
    sessions: list[Session] = []
    if client != STORE:
        sessions = _newest(files(folder, client), folder, most)

    ids = {session.id for session in sessions}
    mains = [session for session in sessions if _is_main(session, ids)]
    if client in (None, STORE):
        own = store_session(project_here(root))
        if own:
            mains.append(own)
    mains.sort(key=_when)
    if most:
        mains = mains[-most:]

    agents_of = _by_parent(sessions)
    with_agents: list[Session] = []
    for main in mains:
        with_agents += [main, *_below(main, agents_of)]
    return with_agents


def _is_main(session: Session, ids: set[str]) -> bool:
    """Whether it is nobody's sub-agent, or of a session that is not among these."""
    return not session.parent or session.parent not in ids


def _when(session: Session) -> str:
    return session.last


def _newest(every: list[File], folder: str, most: int) -> list[Session]:
    """Oldest first; no more files are looked into than it takes. Names of sub-agents' files tell
    whose they are.
    """
    sessions: list[Session] = []
    mains: set[str] = set()
    for file in reversed(every):
        is_full = bool(most) and len(mains) >= most
        if is_full and not any(name in file.path for name in mains):
            continue
        session = look(file, folder, _estimated)
        if session is None or (session.own and folder):
            continue
        if is_full and session.parent not in mains:
            continue
        sessions.append(session)
        if not session.parent:
            mains.add(session.id)
    return sessions[::-1]


def _estimated(file: File, ends: FileEnds) -> int:
    from director_ctx.context.settings.budget import count_chars
    from director_ctx.history.sessions.sampled import by_ends, format_of

    format = format_of(file.client, file.path)
    return by_ends(ends, file.size, format, file.path, count_chars)


def _by_parent(sessions: list[Session]) -> dict[str, list[Session]]:
    """Sub-agents by the session that they are of, oldest first."""
    agents_of: dict[str, list[Session]] = {}
    for session in sorted(sessions, key=_when):
        if session.parent and session.parent != session.id:
            agents_of.setdefault(session.parent, []).append(session)
    return agents_of


def _below(main: Session, agents_of: dict[str, list[Session]], depth: int = 0) -> Iterator[Session]:
    """Sub-agents, and theirs."""
    for agent in agents_of.get(main.id, ()):
        yield agent
        if depth < _MOST_NAMED:
            yield from _below(agent, agents_of, depth + 1)


def store_session(project: Project | None) -> Session | None:
    """The store's conversation; None where it has no message."""
    from director_ctx.context.settings.budget import count_chars
    from director_ctx.memory.conversations.messages import all_messages

    with open_conversation(project) as store:
        messages = all_messages(store)
    if not messages:
        return None
    tokens = sum(count_chars(message.content) for message in messages if not message.archived)
    users_words = (message.content for message in messages if message.role == "user")
    title = " ".join(next(users_words, "").split())[:200]
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


def _named(start: str, folder: str) -> list[Session]:
    """Clients put the beginning of an id into the name of the file, or of its folder."""
    named: list[Session] = []
    for file in files(folder):
        end_of_path = os.sep.join(file.path.split(os.sep)[-2:])
        if start[:8] not in end_of_path:
            continue
        session = look(file, folder)
        if session and session.id.startswith((start, f"agent-{start}")):
            named.append(session)
    return named


def _newest_here(root: str | None) -> Session:
    folder = place_of(root)
    for file in reversed(files(folder)):
        session = look(file, folder)
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
