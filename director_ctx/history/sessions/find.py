"""Which conversations there are, and which one is meant: a client's session, the store's own, or a
file.
"""

from __future__ import annotations

import os
import re

from director_ctx.base.claude_code_lines import SIDECHAIN
from director_ctx.base.errors import DctxError
from director_ctx.base.one_line import begun
from director_ctx.base.text import plain
from director_ctx.context.settings.budget import count_chars
from director_ctx.history.sessions.files import (
    CODEX,
    LONGEST_TITLE,
    STORE,
    Session,
    files,
    look,
)
from director_ctx.memory.conversations.messages import all_messages
from director_ctx.memory.store.open import open_conversation, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.history.sessions.files import File, FileEnds
    from director_ctx.project.project import Project

FILE = "file"
NONE_YET = "There is no conversation of this project yet."
HOW_TO_NAME = "Name a file, or see `dctx history list --all` for those of other projects."
_ASIDE = re.compile(rb'"%s": ?true' % SIDECHAIN.encode())
"""What a sub-agent said, in the file of the session that it belongs to."""
_MOST_NAMED = 5
_MOST_AGENTS = 100
"""Of Codex, which keeps sub-agents beside sessions."""
_LARGEST_NOTE = 100_000
_DEEPEST = 5
"""Levels of sub-agents of sub-agents."""


def folder_of(root: str | None) -> str:
    """The folder whose sessions are meant, as clients write it down: the project's, else the
    current one.
    """
    project = project_here(root)
    # Clients write down where they are without links.
    return os.path.realpath(project.root if project else os.getcwd())


def list_sessions(
    root: str | None,
    client: str | None = None,
    every: bool = False,
    most: int = 0,
) -> list[Session]:
    """Sessions, oldest first, each with its sub-agents behind it; the newest `most`, if that is not
    0.
    """
    folder = "" if every else folder_of(root)
    sessions: list[Session] = []
    if client != STORE:
        sessions = _newest(files(folder, client), folder, most)

    # Those that are nobody's sub-agent, or of a session that is not among these.
    ids = {session.id for session in sessions}
    mains = [session for session in sessions if session.parent not in ids]
    stored = store_session(project_here(root)) if client in (None, STORE) else None
    if stored:
        mains.append(stored)
    mains.sort(key=lambda session: session.last)

    agents_of: dict[str, list[Session]] = {}
    for session in sorted(sessions, key=lambda session: session.last):
        if session.parent and session.parent != session.id:
            agents_of.setdefault(session.parent, []).append(session)
    return [one for main in mains[-most:] for one in (main, *_agents_below(main, agents_of))]


def _newest(every: list[File], folder: str, most: int) -> list[Session]:
    """Oldest first; no more files are looked into than it takes."""
    sessions: list[Session] = []
    mains: set[str] = set()
    for file in reversed(every):
        is_full = bool(most) and len(mains) >= most
        # The path of a sub-agent's file tells whose it is, so most need not be opened.
        if is_full and not any(name in file.path for name in mains):
            continue
        session = look(file, folder, _estimated)
        # In a summary that a client wrote for us nobody said anything.
        if session is None or (session.own and folder):
            continue
        if is_full and session.parent not in mains:
            continue
        sessions.append(session)
        if not session.parent:
            mains.add(session.id)
    return sessions[::-1]


def _estimated(file: File, ends: FileEnds) -> int:
    """Tokens in the window by the words at both ends of a file, if it is like them in between."""
    # It reads all formats, and nearly all files say their tokens themselves.
    from director_ctx.history.formats.document import read
    from director_ctx.history.messages.message import measure
    from director_ctx.history.sessions.usage import tokens_said_by
    from director_ctx.history.signals.compactions import pieces

    def measured(data: bytes) -> int:
        try:
            conversation = read(data, "codex" if file.client == CODEX else "claude-code")
        except DctxError:
            return 0
        return measure(conversation.messages, count_chars)

    begin, _, last, share = ends
    if share == 1:
        return measured(pieces(b"\n".join(last))[-1])
    # What stands before a compaction is no longer in the window.
    compactions = [number for number, line in enumerate(last) if tokens_said_by(line) is None]
    lines = last[compactions[-1] :] if compactions else [*begin, *last]
    # Line by line: what each goes on from is not among them. In a sub-agent's own file every line is
    # marked as one's.
    own = "agent-" in file.path
    tokens = sum(
        measured(line) for line in lines if line.strip() and (own or not _ASIDE.search(line))
    )
    return tokens if compactions else tokens * file.size // (sum(map(len, lines)) or 1)


def _agents_below(
    main: Session, agents_of: dict[str, list[Session]], depth: int = 0
) -> Iterator[Session]:
    """Sub-agents, and theirs."""
    for agent in agents_of.get(main.id, ()):
        yield agent
        # Files may name each other as parents: without an end this would go round for ever.
        if depth < _DEEPEST:
            yield from _agents_below(agent, agents_of, depth + 1)


def sub_agents(session: Session, root: str) -> list[tuple[Session, str]]:
    """The sub-agents of a session, oldest first, each with the call that began it; an empty text for
    a call that nobody knows.
    """
    others: list[Session] = []
    if session.path and session.client == CODEX:
        is_here = os.path.join(session.folder, "").startswith(os.path.join(root, ""))
        others = list_sessions(root, CODEX, every=not is_here, most=_MOST_AGENTS)
    elif session.path:
        # Most clients keep them in a folder of its name.
        own = (file for file in files("", session.client) if session.id in file.path)
        looks = (look(file, "") for file in own if file.path != session.path)
        others = [other for other in looks if other]
    return [
        (other, call_of(other.path))
        for other in others
        if other.parent == session.id and other.id != session.id
    ]


def call_of(path: str) -> str:
    """The call that began an agent: Claude Code writes it into a file beside that of the agent."""
    from json import loads

    base, _ = os.path.splitext(path)
    try:
        with open(f"{base}.meta.json", encoding="utf-8") as file:
            note = loads(file.read(_LARGEST_NOTE))
    except (OSError, ValueError, RecursionError):
        return ""
    call = note.get("toolUseId") if isinstance(note, dict) else None
    return call if isinstance(call, str) else ""


def store_session(project: Project | None) -> Session | None:
    """The store's conversation; None where it has no message."""
    with open_conversation(project) as store:
        messages = all_messages(store)
    if not messages:
        return None
    first_words = next((message.content for message in messages if message.role == "user"), "")
    return unread_session(STORE, STORE).replace(
        started=messages[0].timestamp,
        last=messages[-1].timestamp,
        messages=len(messages),
        tokens=sum(count_chars(message.content) for message in messages if not message.archived),
        exact=True,
        title=begun(" ".join(first_words.split()), LONGEST_TITLE),
    )


def choose(named: str | None, root: str | None) -> Session:
    """The session of this name: a path, `store`, or the start of an id; the newest of the project
    for none.
    """
    if named is None:
        return _newest_here(root)
    if named == STORE:
        return unread_session(STORE, STORE).replace(exact=True)
    if os.path.isfile(named):
        # Whoever wrote it.
        name, _ = os.path.splitext(os.path.basename(named))
        return unread_session(name, FILE, os.path.abspath(named))
    if os.path.isdir(named):
        raise DctxError(f"{plain(named)} is a folder.", "Name a file in it.")
    if os.sep in named or not named.strip():
        raise DctxError(
            f"{plain(named) or 'SESSION'}: there is no such file.",
            "`dctx history list` shows sessions.",
        )
    # One of this project, else one of any other.
    sessions = starting_with(named, folder_of(root)) or starting_with(named, "")
    if len(sessions) == 1:
        return sessions[0]
    if sessions:
        names = ", ".join(plain(session.id) for session in sessions[:_MOST_NAMED])
        raise DctxError(
            f"{plain(named)} is the start of {len(sessions)} sessions: {names}.",
            "Give more of the id.",
        )
    raise DctxError(
        f"There is no session {plain(named)!r}.",
        "`dctx history list --all` lists every session.",
    )


def starting_with(start: str, folder: str) -> list[Session]:
    """Those with such an id, of a project, or of any for an empty folder."""
    sessions: list[Session] = []
    for file in files(folder):
        # Clients put the beginning of an id into the name of the file, or of its folder.
        around, name = os.path.split(file.path)
        if start[:8] not in os.path.join(os.path.basename(around), name):
            continue
        session = look(file, folder)
        if session and session.id.startswith((start, f"agent-{start}")):
            sessions.append(session)
    return sessions


def _newest_here(root: str | None) -> Session:
    folder = folder_of(root)
    for file in reversed(files(folder)):
        session = look(file, folder)
        if session and not session.parent and not session.own:
            return session
    stored = store_session(project_here(root))
    if stored:
        return stored
    raise DctxError(NONE_YET, HOW_TO_NAME)


def unread_session(identity: str, client: str, path: str = "") -> Session:
    """One of which nothing is known yet but where it is."""
    return Session(identity, client, path, "", "", 0, 0, False, "")


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
