"""Finished runs of agents: real ones from a folder, and sessions and shopping trips made of a seed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from benchmarks.survival.reading import Chat

MINI, SWE, AIRLINE, CLAUDE, SHOP, SESSIONS = (
    "mini-swe-agent",
    "swe-agent",
    "tau-airline",
    "claude-code",
    "browser",
    "sessions",
)
REAL = (MINI, SWE, AIRLINE)
_ROLES = frozenset({"system", "user", "assistant", "tool"})


class Run(NamedTuple):
    kind: str
    name: str
    repository: str
    """What the run is about; weights are never judged on one they were fitted to."""
    chat: Chat
    format: str = "openai-chat"
    written: Callable[[Chat], list[Any]] = list
    """The beginning of a run as its client writes it down."""
    window: int | None = None
    """Messages up to the place where it was really compacted: what follows is only needed."""


def folder(data: Path, kind: str) -> Path:
    """Where the runs of a kind are: some keep all of them but sessions one folder further down."""
    below = data / "trajectories" / kind
    return below if below.is_dir() else data / kind


def load(data: Path, kind: str) -> Iterator[Run]:
    for path in sorted(folder(data, kind).glob("*.json*")):
        if path.suffix == ".jsonl":
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines):
                yield Run(kind, f"{path.stem}-{number}", kind, _chat(json.loads(line)))
        else:
            yield Run(
                kind,
                path.stem,
                _repository(path.stem, kind),
                _chat(json.loads(path.read_text(encoding="utf-8"))),
            )


def _chat(document: dict[str, Any]) -> Chat:
    listed = next(document[key] for key in ("messages", "history", "traj") if key in document)
    return [_with_id(message) for message in listed if message.get("role") in _ROLES]


def _with_id(message: dict[str, Any]) -> dict[str, Any]:
    """Some say which calls they answer, though it is always one."""
    ids = message.get("tool_call_ids")
    return {**message, "tool_call_id": ids[0]} if ids and "tool_call_id" not in message else message


def _repository(stem: str, kind: str) -> str:
    """`owner__name-1234` is about `owner/name`."""
    owner, _, rest = stem.partition("__")
    return f"{owner}/{rest.rpartition('-')[0]}" if rest else kind
