"""Part 6: a conversation as it is shown. What dctx attached itself is marked, so nothing has to be guessed."""

from __future__ import annotations

from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

ATTACHED, KIND, TOOL, COMPRESSED = "dctx_attached", "kind", "tool", "isCompressed"
"""Keys of a message's metadata."""
_MARKS = ("CURRENT PLAN:", "WORKFLOW SNAPSHOT:")
"""The seed's rule, for messages that somebody else wrote: they say nothing about themselves."""
_SPEAKERS = {"user": "User", "human": "User", "assistant": "Director", "ai": "Director", "director": "Director"}


class Said(Record):
    """One message, as a filter needs it."""

    role: str
    content: str
    about: Mapping[str, Any] | None = None
    """Its metadata; None where there is none, as in histories that dctx did not write."""


def filtered(messages: Iterable[Said]) -> list[Said]:
    """Without system prompts, attached plans and snapshots, and summaries of what was archived."""
    return [one for one in messages if not is_context(one)]


def is_context(message: Said) -> bool:
    """Whether this is a part of some context rather than of the conversation."""
    if message.role == "system":
        return True
    if message.about is None:
        return any(mark in message.content for mark in _MARKS)
    return bool(message.about.get(ATTACHED) or message.about.get(COMPRESSED))


def shown(messages: Sequence[Said]) -> Iterator[str]:
    """As the seed writes it: numbered speakers, calls of tools and their answers."""
    counts: dict[str, int] = {}
    for one in messages:
        speaker = _SPEAKERS.get(one.role.casefold(), "")
        if speaker:
            counts[speaker] = counts.get(speaker, 0) + 1
            yield f"{speaker} {counts[speaker]}: {one.content}"
        elif one.role == "tool_call":
            yield f"calling_tool: {one.content}"
        else:
            yield f"Tool Response: {one.content}" if one.role.startswith("tool") else f"{one.role}: {one.content}"
