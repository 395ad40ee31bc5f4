"""Part 6: a conversation as it is shown. What dctx attached itself is marked, so nothing has to be guessed."""

from __future__ import annotations

from director_ctx.folder.text import cleaned, plain
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

ATTACHED, KIND, COMPRESSED = "dctx_attached", "kind", "isCompressed"
"""Keys of a message's metadata; what dctx wrote has one of the first two."""
_MARKS = ("CURRENT PLAN:", "WORKFLOW SNAPSHOT:")
"""The seed's rule, for messages that somebody else wrote: they say nothing about themselves."""
_SPEAKERS = {"user": "User", "human": "User", "assistant": "Director", "ai": "Director", "director": "Director"}


class Said(Record):
    """One message, as a filter needs it."""

    role: str
    content: str
    about: Mapping[str, Any] | None = None
    """Its metadata, if it has any."""


def filtered(messages: Iterable[Said]) -> list[Said]:
    """Without system prompts, attached plans and snapshots, and summaries of what was archived."""
    return [one for one in messages if not is_context(one)]


def is_context(message: Said) -> bool:
    """Whether this is a part of some context rather than of the conversation."""
    if message.role == "system":
        return True
    about = message.about or {}
    if about.get(ATTACHED) or about.get(COMPRESSED):
        return True
    return KIND not in about and any(mark in message.content for mark in _MARKS)


def shown(messages: Sequence[Said]) -> Iterator[str]:
    """As the seed writes it: numbered speakers, calls of tools and their answers."""
    counts: dict[str, int] = {}
    for one in messages:
        speaker, content = _SPEAKERS.get(one.role.casefold(), ""), cleaned(one.content)
        if speaker:
            counts[speaker] = counts.get(speaker, 0) + 1
            yield f"{speaker} {counts[speaker]}: {content}"
        elif one.role == "tool_call":
            yield f"calling_tool: {content}"
        else:
            yield f"Tool Response: {content}" if one.role.startswith("tool") else f"{plain(one.role)}: {content}"
