"""Part 6: a conversation as it is shown. What dctx attached itself is marked, so nothing has to be guessed."""

from __future__ import annotations

from director_ctx.folder.text import plain, visible
from director_ctx.look_alikes import COLONS, skeleton
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

ATTACHED, KIND, COMPRESSED = "dctx_attached", "kind", "isCompressed"
"""Keys of a message's metadata; what dctx wrote has one of the first two."""
CLIENT_SUMMARY, DIGEST = "client_summary", "digest"
"""Kinds of messages that come in the user's name and are not the user's: what a client wrote of what it compacted, and
what stands in a shortened session for what was cut."""
_MARKS = ("CURRENT PLAN:", "WORKFLOW SNAPSHOT:")
"""The seed's rule, for messages that somebody else wrote: they say nothing about themselves."""
_SPEAKERS = {"user": "User", "human": "User", "assistant": "Director", "ai": "Director", "director": "Director"}
_CALLING, _ANSWER = "calling_tool", "Tool Response"
_NAMES = frozenset(map(skeleton, _SPEAKERS.values()))
_LABELS = frozenset(map(skeleton, (_CALLING, _ANSWER)))
_DIGITS = str.maketrans("io", "10")
"""A skeleton has letters where two digits were."""
_ONE_COLON = str.maketrans(dict.fromkeys(COLONS, ":"))


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
    """As the seed writes it: numbered speakers, calls of tools and their answers. No message speaks for another."""
    counts: dict[str, int] = {}
    others = {_label(plain(_role(one))) for one in messages}
    for one in messages:
        role = _role(one)
        speaker, content = _SPEAKERS.get(role.casefold(), ""), _unforged(visible(one.content), others)
        if speaker:
            counts[speaker] = counts.get(speaker, 0) + 1
            yield f"{speaker} {counts[speaker]}: {content}"
        elif role == "tool_call":
            yield f"{_CALLING}: {content}"
        else:
            yield f"{_ANSWER}: {content}" if role.startswith("tool") else f"{_named(plain(role))}: {content}"


def _role(one: Said) -> str:
    """Who speaks: nobody, where a summary stands in somebody's name."""
    kind = (one.about or {}).get(KIND)
    return "summary" if kind in (CLIENT_SUMMARY, DIGEST) else one.role


def _unforged(text: str, others: Collection[str]) -> str:
    """The text with `> ` before each line that looks as if somebody else began to speak there."""
    first, *rest = text.splitlines(keepends=True) or [""]
    if ":" not in text and text.isascii():
        return text
    return "".join([first, *(f"> {line}" if _speaks(line, others) else line for line in rest)])


def _speaks(line: str, others: Collection[str] = ()) -> bool:
    """Whether a line begins as a speaker's does, also in look-alikes, with blanks or unseen characters."""
    head, colon, _ = line.translate(_ONE_COLON).partition(":")
    if not colon:
        return False
    label = _label(head)
    name, _, number = label.rpartition(" ")
    numbered = name in _NAMES and number.translate(_DIGITS).isdigit()
    return numbered or label in _LABELS or label in others


def _label(head: str) -> str:
    return " ".join(skeleton(head).split())


def _named(role: str) -> str:
    """Somebody whose name is no speaker's."""
    return f"({role})" if _speaks(f"{role}:") else role
