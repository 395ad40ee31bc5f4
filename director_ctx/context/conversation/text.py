"""Part 6: a conversation as it is shown, without what contexts brought into it."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain, visible
from director_ctx.context.conversation.attached import without_contexts
from director_ctx.context.conversation.known_texts import KnownTexts
from director_ctx.context.conversation.speakers import (
    ANSWER,
    CALLING,
    DIRECTOR,
    NAMES,
    SPEAKERS,
    label_of,
    role_label,
    unforged,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

ATTACHED = "dctx_attached"
KIND = "kind"
COMPRESSED = "isCompressed"
"""Keys of a message's metadata; what dctx wrote has one of the first two."""
_TOGETHER = ((CALLING, CALLING), (CALLING, ANSWER), (ANSWER, ANSWER))
"""Calls that are made at once are answered one after another."""
CLIENT_SUMMARY = "client_summary"
DIGEST = "digest"
"""Kinds of messages that come in the user's name and are not the user's: what a client wrote of
what it compacted, and what stands in a shortened session for what was cut.
"""


class Said(Record):
    """One message, as a filter needs it."""

    role: str
    content: str
    about: Mapping[str, Any] | None = None
    """Its metadata, if it has any."""


def filtered(messages: Iterable[Said], known: KnownTexts | None = None) -> list[Said]:
    """Without system prompts, attached contexts, and summaries of what was archived; with what was
    said beside them.
    """
    known = known or KnownTexts()
    left: list[Said] = []
    for message in messages:
        # Whatever was said before is known, should a later message have it in a context.
        if _says_so_itself(message):
            known.add(message.content)
            continue
        content = own_words(message, known)
        known.add(content or message.content)

        was_empty = not message.content
        if content or was_empty:
            left.append(message.replace(content=content))
    return left


def is_context(message: Said) -> bool:
    """Whether all of it is a part of some context rather than of the conversation."""
    if _says_so_itself(message):
        return True
    return bool(message.content) and not own_words(message, KnownTexts())


def _says_so_itself(message: Said) -> bool:
    if message.role == "system":
        return True
    about = message.about or {}
    return bool(about.get(ATTACHED) or about.get(COMPRESSED))


def own_words(message: Said, known: KnownTexts) -> str:
    """What somebody wrote beside a context. Of a row that says nothing about itself, the seed's
    words decide more.
    """
    foreign = KIND not in (message.about or {})
    return without_contexts(message.content, known, foreign)


def shown(messages: Sequence[Said], agent: str = DIRECTOR) -> Iterator[str]:
    """Numbered speakers, calls of tools and their answers. The agent is the director, unless it is
    called otherwise. No message speaks for another.
    """
    names = {*NAMES, label_of(agent)}
    others: set[str] = set()
    for message in messages:
        role = plain(_role(message))
        others.add(label_of(role))

    numbers: dict[str, int] = {}
    for message in messages:
        role = _role(message)
        speaker = SPEAKERS.get(role.casefold(), "")
        if speaker == DIRECTOR:
            speaker = agent
        if speaker:
            number = numbers.get(speaker, 0) + 1
            numbers[speaker] = number
            label = f"{speaker} {number}"
        else:
            label = _kind(message) or role_label(plain(role))
        content = unforged(visible(message.content), others, names)
        yield f"{label}: {content}"


def _role(message: Said) -> str:
    """Who speaks: nobody, where a summary stands in somebody's name."""
    about = message.about or {}
    if about.get(KIND) in (CLIENT_SUMMARY, DIGEST):
        return "summary"
    return message.role


def exchanges(messages: Sequence[Said]) -> Iterator[str]:
    """The same as a context has it: what came of a call stands in the line below it."""
    lines: list[str] = []
    before = ""
    for message, text in zip(messages, shown(messages), strict=True):
        kind = _kind(message)
        if lines and (before, kind) not in _TOGETHER:
            yield "\n".join(lines)
            lines = []
        lines.append(text)
        before = kind
    if lines:
        yield "\n".join(lines)


def _kind(message: Said) -> str:
    if message.role == "tool_call":
        return CALLING
    if message.role.startswith("tool"):
        return ANSWER
    return ""
