"""What a run has reached: plan items ticked off, commits, tests that pass, changes of state."""

from __future__ import annotations

import re

from director_ctx.history.messages.message import CALL, RESULT
from director_ctx.history.signals.errors import is_error, is_red

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message

_PLAN = re.compile(r"todo|plan", re.IGNORECASE)
_COMMIT = re.compile(r"\bgit\b[^\n|;&]*\bcommit\b")
_SUBJECT = re.compile(r"""-\w*m\s*\\?["']([^"'\\\n]{1,80})""")
_GREEN = re.compile(
    r"\b\d+ passed\b|^Ran \d+ tests?[^\n]*\n+OK\b|\b0 failures\b|all tests pass|test result: ok",
    re.MULTILINE | re.IGNORECASE,
)
_END = 400
_LONGEST = 100


def is_done(turn: Sequence[Message]) -> bool:
    """Whether something came to its end in a turn: a commit, or a run of tests without a failure."""
    return any(True for _ in _ends(turn))


def done_items(turn: Sequence[Message]) -> int:
    return sum(1 for _ in _ticked(turn))


def reached(messages: Sequence[Message], words: Sequence[str]) -> list[str]:
    """In a few words each, in order, each once."""
    found: dict[str, None] = {}
    for message in messages:
        for text in (*_ticked([message]), *_ends([message]), *_states(message, words)):
            found[text] = None
    return list(found)


def _ends(turn: Sequence[Message]) -> Iterator[str]:
    for message in turn:
        for block in message.blocks:
            if block.kind == CALL and _COMMIT.search(block.text):
                subject = _SUBJECT.search(block.text)
                yield f"commit {subject[1]!r}" if subject else "a commit"
            elif block.kind == RESULT and not is_error(block):
                end = block.text[-_END:]
                if _may_be_green(end) and (green := _GREEN.search(end)) and not is_red(end):
                    yield f"tests: {green[0].strip()}"


def _may_be_green(end: str) -> bool:
    """Cheaply, as most results are none of tests."""
    low = end.lower()
    return "pass" in low or "ok" in low or "0 failures" in low


def _ticked(turn: Sequence[Message]) -> Iterator[str]:
    """Items of a plan that a call says are completed."""
    for message in turn:
        for block in message.blocks:
            if block.kind == CALL and _PLAN.search(block.tool):
                yield from (_item(one) for one in _items(block.text) if is_ticked(one))


def _items(arguments: str) -> list[Any]:
    import json

    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError):
        return []
    values = found.values() if isinstance(found, dict) else [found]
    return [one for value in values if isinstance(value, list) for one in value]


def is_ticked(item: Any) -> bool:
    return isinstance(item, dict) and item.get("status") in ("completed", "done", "complete")


def _item(item: dict[str, Any]) -> str:
    said = next(
        (item[key] for key in ("content", "step", "title", "text", "name") if isinstance(item.get(key), str)), "an item"
    )
    return " ".join(said.split())[:_LONGEST]


def _states(message: Message, words: Sequence[str]) -> Iterator[str]:
    for block in message.blocks:
        if block.kind == CALL:
            continue
        text = block.text.lower()
        for word in words:
            if word in text:
                yield word
