"""What past sessions of Claude Code say of our hooks: which sub-agents were spawned, and what each of them was given.

The lines are not documented and differ between versions: a sub-agent has a file of its own below its session (since
2.1), beside it, or lines in the same file (before). Known lines are read, all others passed over.
"""

from __future__ import annotations

import os

from director_ctx.outside.transcripts import transcripts
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Json = dict[str, Any]

ANSWERED, LATE, BROKE = "answered", "late", "broke"
"""What became of a hook: it answered, was stopped by the client, or failed. One that says nothing is not mentioned."""
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


class Spawned(Record):
    """One sub-agent: its type where that is known, the call that spawned it, and everything it was told first."""

    kind: str
    call: str
    told: str
    hooked: tuple[Hooked, ...] = ()
    """Hooks of ours that ran at its start."""
    when: str = ""
    """As its first line has it."""


class Session(Record):
    """One session with everything that it spawned."""

    path: str
    when: float
    hooked: tuple[Hooked, ...]
    spawned: tuple[Spawned, ...]


def folders_of(base: str, root: str) -> list[str]:
    """The folders of a project's sessions, those that were started further down in it too."""
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in root)[:_SLUG]
    try:
        names = sorted(os.listdir(base))
    except OSError:
        return []
    return [os.path.join(base, name) for name in names if name == slug or name.startswith(slug)]


def read_sessions(folder: str, root: str, ours: Callable[[str], bool]) -> tuple[Session, ...]:
    """The sessions in a folder, oldest first; only those that worked in `root`, if it is given."""
    paths = transcripts(folder)
    mains = [path for path in paths if not _is_agent(path)]
    owners = {path: _owner(path) for path in paths if _is_agent(path)}
    found = (_session(path, owners, root, ours) for path in mains)
    return tuple(sorted((session for session in found if session), key=lambda session: session.when))


def _is_agent(path: str) -> bool:
    return os.path.basename(path).startswith("agent-") or f"{os.sep}subagents{os.sep}" in path


def _owner(agent: str) -> str:
    """The session that a sub-agent's file belongs to; of a file beside it its lines tell. None for a compaction."""
    if os.path.basename(agent).startswith(_COMPACTION):
        return ""
    above = os.path.dirname(agent)
    if os.path.basename(above) == "subagents":
        return os.path.basename(os.path.dirname(above))
    return next((name for line in _lines(agent) if (name := _text(line.get("sessionId")))), "")


def _session(path: str, owners: dict[str, str], root: str, ours: Callable[[str], bool]) -> Session | None:
    lines = list(_lines(path))
    if not any("sessionId" in line or "message" in line for line in lines):
        return None
    if root and not any(_within(line.get("cwd"), root) for line in lines):
        return None
    name = os.path.splitext(os.path.basename(path))[0]
    own = [agent for agent, owner in owners.items() if owner == name]
    inside = tuple(_roots([line for line in lines if line.get("isSidechain")], {}))
    apart = tuple(spawned for one in own for spawned in _agents(one, ours))
    hooked = (*_all_hooked(lines, ours), *(hook for spawned in apart for hook in spawned.hooked))
    return Session(path, os.stat(path).st_mtime, hooked, (*inside, *apart))


def _agents(path: str, ours: Callable[[str], bool]) -> Iterator[Spawned]:
    """Those of a file of their own; what hooks did at their start is written there too."""
    lines = list(_lines(path))
    hooked = _all_hooked(lines, ours)
    return (spawned.replace(hooked=hooked) for spawned in _roots(lines, _meta(path)))


def _all_hooked(lines: list[Json], ours: Callable[[str], bool]) -> tuple[Hooked, ...]:
    return tuple(hook for line in lines if (hook := _hooked(line, ours)))


def _within(cwd: object, root: str) -> bool:
    return isinstance(cwd, str) and (cwd == root or cwd.startswith(os.path.join(root, "")))


def _lines(path: str) -> Iterator[Json]:
    from json import loads

    try:
        with open(path, "rb") as file:
            for raw in file:
                try:
                    line = loads(raw)
                except (ValueError, RecursionError):
                    continue
                if isinstance(line, dict):
                    yield line
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


def _roots(lines: list[Json], meta: Json) -> Iterator[Spawned]:
    """Where a sub-agent begins: its first line has no parent. What hooks told it at its start stands further down."""
    told = "\n".join(text for line in lines for text in _context(line))
    for line in lines:
        if line.get("type") != "user" or line.get("parentUuid") is not None:
            continue
        text = _said(line.get("message"))
        if text.strip() and text != _WARM:
            when = _text(line.get("timestamp"))
            yield Spawned(_text(meta.get("agentType")), _text(meta.get("toolUseId")), f"{text}\n{told}", when=when)


def _context(line: Json) -> list[str]:
    found = _attachment(line)
    content = found.get("content") if found.get("type") == "hook_additional_context" else None
    return [text for text in content if isinstance(text, str)] if isinstance(content, list) else []


def _attachment(line: Json) -> Json:
    found = line.get("attachment")
    return found if isinstance(found, dict) else {}


def _said(message: object) -> str:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(_text(block.get("text")) for block in blocks if isinstance(block, dict))


def _hooked(line: Json, ours: Callable[[str], bool]) -> Hooked | None:
    found = _attachment(line)
    if not ours(_text(found.get("command"))):
        return None
    outcome = {
        "hook_success": ANSWERED,
        "hook_cancelled": LATE,
        "hook_non_blocking_error": BROKE,
        "hook_blocking_error": BROKE,
    }.get(_text(found.get("type")))
    if outcome is None:
        return None
    said = _text(found.get("stderr")).strip() if outcome == BROKE else ""
    return Hooked(_text(found.get("hookEvent")), _text(found.get("toolUseID")), outcome, said.partition("\n")[0])


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
