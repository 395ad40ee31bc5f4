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
from director_ctx.history.sessions.files import transcripts

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
_COMPACTION = "agent-acompact"
"""How the file of an agent is called that sums up a session."""
_WARM = "Warmup"
"""The prompt of an agent that Claude Code starts for nobody."""


class HookRun(Record):
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
    briefing: str
    hooked: tuple[HookRun, ...] = ()
    """Hooks of ours that ran at its start."""
    when: str = ""
    """As its first line has it."""


class PastSession(Record):
    """One session with everything that it spawned."""

    path: str
    when: float
    hooked: tuple[HookRun, ...]
    spawned: tuple[SpawnedAgent, ...]


LONGEST_LINE = 50_000_000


def read_lines(path: str) -> Iterator[Json]:
    """The objects in a file of JSON lines; what is none is passed over, and so are absurdly long lines."""
    from json import loads

    with open(path, "rb") as file:
        whole = True
        while raw := file.readline(LONGEST_LINE):
            was_whole, whole = whole, raw.endswith(b"\n")
            if not was_whole or (not whole and len(raw) == LONGEST_LINE):
                continue
            try:
                line = loads(raw)
            except (ValueError, RecursionError):
                continue
            if isinstance(line, dict):
                yield line


def read_sessions(
    folder: str,
    root: str,
    ours: Callable[[str], bool],
) -> tuple[PastSession, ...]:
    """The sessions in a folder, oldest first; only those that began in `root`, if it is given."""
    agent_paths: list[str] = []
    readings: dict[str, _FileReading] = {}
    for path in transcripts(folder):
        if _is_agent(path):
            agent_paths.append(path)
            continue
        reading = _read(path, ours, _begun_in(root))
        if reading:
            readings[path] = reading

    names = {_name(path) for path in readings}
    agents = _agents(agent_paths, names, ours)
    sessions: list[PastSession] = []
    for path, reading in readings.items():
        own_agents = agents.get(_name(path), [])
        sessions.append(_session(path, reading, own_agents))
    sessions.sort(key=lambda session: session.when)
    return tuple(sessions)


class _FileReading:
    """What is known of one file, while its lines go by: of a sub-agent's own all of it, else its
    agents' lines.
    """

    def __init__(self, is_agent: bool) -> None:
        self._is_agent = is_agent
        self.session = ""
        self.hooked: list[HookRun] = []
        self._prompts: list[tuple[str, str]] = []
        """Each with its time."""
        self._context: list[str] = []

    def take(self, line: Json, ours: Callable[[str], bool]) -> None:
        if not self.session:
            self.session = _text(session_of(line))
        hook = _hook_run(line, ours)
        if hook:
            self.hooked.append(hook)
        if not self._is_agent and not is_sidechain(line):
            return
        self._context += _context(line)
        prompt = _prompt(line)
        if prompt:
            when = _text(line.get("timestamp"))
            self._prompts.append((prompt, when))

    def spawned(self, meta: Json) -> Iterator[SpawnedAgent]:
        """The agents that began here."""
        hooked: tuple[HookRun, ...] = ()
        if self._is_agent:
            hooked = tuple(self.hooked)
        for prompt, when in self._prompts:
            # What hooks told an agent at its start stands further down than its prompt.
            briefing = "\n".join((prompt, *self._context))
            yield SpawnedAgent(
                kind=_text(meta.get("agentType")),
                call=_text(meta.get("toolUseId")),
                briefing=briefing,
                hooked=hooked,
                when=when,
            )


def _read(
    path: str,
    ours: Callable[[str], bool],
    belongs: Belongs,
    is_agent: bool = False,
) -> _FileReading | None:
    """One file, in one pass; none that the first line which tells it says to be another's."""
    reading = _FileReading(is_agent)
    is_here: bool | None = None
    for line in _lines(path):
        if is_here is None:
            is_here = belongs(line)
        if is_here is False:
            return None
        reading.take(line, ours)
    if not is_here:
        return None
    return reading


def _begun_in(root: str) -> Belongs:
    """By the folder that a line names."""

    # Names of folders do not tell: `/work/app2` and `/work/app/2` have the same.
    def in_root(line: Json) -> bool | None:
        cwd = line.get("cwd")
        if not isinstance(cwd, str):
            return None
        below = os.path.join(root, "")
        return cwd == root or cwd.startswith(below)

    def anywhere(line: Json) -> bool | None:
        if SESSION in line or MESSAGE in line:
            return True
        return None

    if root:
        return in_root
    return anywhere


def _agents(
    paths: list[str],
    sessions: set[str],
    ours: Callable[[str], bool],
) -> dict[str, list[SpawnedAgent]]:
    """The agents of these sessions, each with a file of its own."""
    agents: dict[str, list[SpawnedAgent]] = {}
    for path in paths:
        if _is_compaction(path):
            continue
        owner = _owner(path)
        reading = _read(path, ours, _of_sessions(sessions, owner), is_agent=True)
        if reading:
            spawned = reading.spawned(_meta(path))
            agents.setdefault(owner or reading.session, []).extend(spawned)
    return agents


def _of_sessions(sessions: set[str], owner: str) -> Belongs:
    def belongs(line: Json) -> bool | None:
        name = owner or _text(session_of(line))
        if not name:
            return None
        return name in sessions

    return belongs


def _session(
    path: str,
    reading: _FileReading,
    own_agents: list[SpawnedAgent],
) -> PastSession:
    hooked = list(reading.hooked)
    for agent in own_agents:
        hooked += agent.hooked
    agents_inside = reading.spawned({})
    return PastSession(
        path=path,
        when=os.stat(path).st_mtime,
        hooked=tuple(hooked),
        spawned=(*agents_inside, *own_agents),
    )


def _name(path: str) -> str:
    file_name = os.path.basename(path)
    name, _ = os.path.splitext(file_name)
    return name


def _is_agent(path: str) -> bool:
    return _name(path).startswith("agent-") or f"{os.sep}subagents{os.sep}" in path


def _is_compaction(agent: str) -> bool:
    return _name(agent).startswith(_COMPACTION)


def _owner(agent: str) -> str:
    """The session that a sub-agent's file lies below; of one beside it only its lines tell."""
    above = os.path.dirname(agent)
    if os.path.basename(above) != "subagents":
        return ""
    return os.path.basename(os.path.dirname(above))


def _lines(path: str) -> Iterator[Json]:
    # A client may delete a session while it is looked through.
    try:
        yield from read_lines(path)
    except OSError:
        return


def _meta(agent: str) -> Json:
    from json import loads

    base, _ = os.path.splitext(agent)
    try:
        with open(f"{base}.meta.json", encoding="utf-8") as file:
            meta = loads(file.read(100_000))
    except (OSError, ValueError, RecursionError):
        return {}
    return _object(meta)


# What a line says


def _prompt(line: Json) -> str:
    """That of a sub-agent which begins with this line."""
    # Only the line that it begins with has no parent.
    if kind_of(line) != FROM_USER or parent_of(line) is not None:
        return ""
    text = _message_text(message_of(line))
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


def _message_text(message: object) -> str:
    content = _object(message).get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts: list[str] = []
    for block in content:
        if isinstance(block, dict):
            text = _text(block.get("text"))
            texts.append(text)
    return "\n".join(texts)


def _hook_run(line: Json, ours: Callable[[str], bool]) -> HookRun | None:
    attachment = attachment_of(line)
    command = _text(attachment.get("command"))
    if not ours(command):
        return None
    outcome = _OUTCOMES.get(_text(attachment.get("type")))
    if outcome is None:
        return None
    error = ""
    if outcome == BROKE:
        lines = _text(attachment.get("stderr")).strip()
        error, _, _ = lines.partition("\n")
    return HookRun(
        event=_text(attachment.get("hookEvent")),
        call=_text(attachment.get("toolUseID")),
        outcome=outcome,
        said=error,
    )


_OUTCOMES = {
    "hook_success": ANSWERED,
    "hook_cancelled": LATE,
    "hook_non_blocking_error": BROKE,
    "hook_blocking_error": BROKE,
}


def _object(value: object) -> Json:
    if isinstance(value, dict):
        return value
    return {}


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return ""
