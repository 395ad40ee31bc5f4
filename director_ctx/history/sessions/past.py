"""What past sessions of Claude Code say of our hooks: which sub-agents were spawned, and what each
of them was given.

The lines are not documented and differ between versions: a sub-agent has a file of its own below
its session (since 2.1), beside it, or lines in the same file (before). Known lines are read, all
others passed over.
"""

from __future__ import annotations

import os

from director_ctx.base.claude_code_lines import (
    FROM_USER,
    MESSAGE,
    SESSION,
    attachment_of,
    is_sidechain,
    kind_of,
    message_of,
    parent_of,
    session_of,
)
from director_ctx.base.record import Record
from director_ctx.context.tokens.transcripts import read_lines, transcripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Json = dict[str, Any]
    Belongs = Callable[[Json], bool | None]

ANSWERED, LATE, BROKE = "answered", "late", "broke"
"""What became of a hook: it answered, was stopped by the client, or failed. One that says nothing
is not mentioned.
"""
_COMPACTION, _WARM = "agent-acompact", "Warmup"
_SLUG = 200
"""Longer names of folders are cut, and end in something else."""


class Hooked(Record):
    """One hook of ours that ran in a session."""

    event: str
    call: str
    """The call of a tool that it was asked about."""
    outcome: str
    said: str = ""


class SpawnedAgent(Record):
    """One sub-agent: its type where that is known, the call that spawned it, and everything it was
    told first.
    """

    kind: str
    call: str
    told: str
    hooked: tuple[Hooked, ...] = ()
    """Hooks of ours that ran at its start."""
    when: str = ""
    """As its first line has it."""


class PastSession(Record):
    """One session with everything that it spawned."""

    path: str
    when: float
    hooked: tuple[Hooked, ...]
    spawned: tuple[SpawnedAgent, ...]


def folders_of(base: str, root: str) -> list[str]:
    """The folders of a project's sessions, those that were started further down in it too."""
    letters = [char if char.isascii() and char.isalnum() else "-" for char in root]
    slug = "".join(letters)[:_SLUG]
    try:
        names = sorted(os.listdir(base))
    except OSError:
        return []
    return [os.path.join(base, name) for name in names if name.startswith(slug)]


def read_sessions(folder: str, root: str, ours: Callable[[str], bool]) -> tuple[PastSession, ...]:
    """The sessions in a folder, oldest first; only those that began in `root`, if it is given."""
    agents: list[str] = []
    told_by: dict[str, _Told] = {}
    for path in transcripts(folder):
        if _is_agent(path):
            agents.append(path)
            continue
        told = _read(path, ours, _begun_in(root))
        if told:
            told_by[path] = told

    names = {_name(path) for path in told_by}
    spawned = _agents(agents, names, ours)
    sessions: list[PastSession] = []
    for path, told in told_by.items():
        sessions.append(_session(path, told, spawned.get(_name(path), [])))
    sessions.sort(key=lambda session: session.when)
    return tuple(sessions)


class _Told:
    """What is kept of one file, while its lines go by: of a sub-agent's own all of it, else its
    agents' lines.
    """

    def __init__(self, apart: bool) -> None:
        self._apart, self.session = apart, ""
        self.hooked: list[Hooked] = []
        self._begun: list[tuple[str, str]] = []
        self._context: list[str] = []

    def take(self, line: Json, ours: Callable[[str], bool]) -> None:
        self.session = self.session or _text(session_of(line))
        hook = _hooked(line, ours)
        if hook:
            self.hooked.append(hook)
        is_agents = self._apart or is_sidechain(line)
        if not is_agents:
            return
        self._context += _context(line)
        prompt = _first(line)
        if prompt:
            self._begun.append((prompt, _text(line.get("timestamp"))))

    def spawned(self, meta: Json) -> Iterator[SpawnedAgent]:
        """The agents that began here; what hooks told them at their start, and did there, stands
        further down.
        """
        kind, call = _text(meta.get("agentType")), _text(meta.get("toolUseId"))
        hooked = tuple(self.hooked) if self._apart else ()
        for text, when in self._begun:
            yield SpawnedAgent(kind, call, "\n".join((text, *self._context)), hooked, when)


def _read(
    path: str, ours: Callable[[str], bool], belongs: Belongs, apart: bool = False
) -> _Told | None:
    """One file, in one pass; none that the first line which tells it says to be another's."""
    told = _Told(apart)
    known: bool | None = None
    for line in _lines(path):
        if known is None:
            known = belongs(line)
        if known is False:
            return None
        told.take(line, ours)
    return told if known else None


def _begun_in(root: str) -> Belongs:
    """Names of folders do not tell: `/work/app2` and `/work/app/2` have the same."""

    def anywhere(line: Json) -> bool | None:
        is_of_session = SESSION in line or MESSAGE in line
        return True if is_of_session else None

    def in_root(line: Json) -> bool | None:
        cwd = line.get("cwd")
        if not isinstance(cwd, str):
            return None
        return cwd == root or cwd.startswith(os.path.join(root, ""))

    return in_root if root else anywhere


def _agents(
    paths: list[str], sessions: set[str], ours: Callable[[str], bool]
) -> dict[str, list[SpawnedAgent]]:
    """The agents of these sessions, each with a file of its own."""
    spawned_by: dict[str, list[SpawnedAgent]] = {}
    for path in paths:
        if _is_compaction(path):
            continue
        owner = _owner(path)
        told = _read(path, ours, _of_one(sessions, owner), apart=True)
        if told:
            spawned = told.spawned(_meta(path))
            spawned_by.setdefault(owner or told.session, []).extend(spawned)
    return spawned_by


def _of_one(sessions: set[str], owner: str) -> Belongs:
    def belongs(line: Json) -> bool | None:
        name = owner or _text(session_of(line))
        return name in sessions if name else None

    return belongs


def _session(path: str, told: _Told, apart: list[SpawnedAgent]) -> PastSession:
    hooked = list(told.hooked)
    for spawned in apart:
        hooked += spawned.hooked
    when = os.stat(path).st_mtime
    return PastSession(path, when, tuple(hooked), (*told.spawned({}), *apart))


def _name(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def _is_agent(path: str) -> bool:
    return os.path.basename(path).startswith("agent-") or f"{os.sep}subagents{os.sep}" in path


def _is_compaction(agent: str) -> bool:
    return os.path.basename(agent).startswith(_COMPACTION)


def _owner(agent: str) -> str:
    """The session that a sub-agent's file lies below; of one beside it only its lines tell."""
    above = os.path.dirname(agent)
    if os.path.basename(above) != "subagents":
        return ""
    return os.path.basename(os.path.dirname(above))


def _lines(path: str) -> Iterator[Json]:
    try:
        yield from read_lines(path)
    except OSError:
        return


def _meta(agent: str) -> Json:
    from json import loads

    try:
        with open(os.path.splitext(agent)[0] + ".meta.json", encoding="utf-8") as file:
            meta = loads(file.read(100_000))
    except (OSError, ValueError, RecursionError):
        return {}
    return meta if isinstance(meta, dict) else {}


def _first(line: Json) -> str:
    """The prompt that a sub-agent begins with: that line has no parent."""
    if kind_of(line) != FROM_USER or parent_of(line) is not None:
        return ""
    text = _said(message_of(line))
    if text == _WARM or not text.strip():
        return ""
    return text


def _context(line: Json) -> list[str]:
    attachment = attachment_of(line)
    if attachment.get("type") != "hook_additional_context":
        return []
    content = attachment.get("content")
    if not isinstance(content, list):
        return []
    return [text for text in content if isinstance(text, str)]


def _said(message: object) -> str:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(_text(block.get("text")) for block in content if isinstance(block, dict))


def _hooked(line: Json, ours: Callable[[str], bool]) -> Hooked | None:
    attachment = attachment_of(line)
    if not ours(_text(attachment.get("command"))):
        return None
    outcome = _OUTCOMES.get(_text(attachment.get("type")))
    if outcome is None:
        return None
    said = ""
    if outcome == BROKE:
        said = _text(attachment.get("stderr")).strip().partition("\n")[0]
    event, call = _text(attachment.get("hookEvent")), _text(attachment.get("toolUseID"))
    return Hooked(event, call, outcome, said)


_OUTCOMES = {
    "hook_success": ANSWERED,
    "hook_cancelled": LATE,
    "hook_non_blocking_error": BROKE,
    "hook_blocking_error": BROKE,
}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
