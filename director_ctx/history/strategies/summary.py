"""What is older becomes a summary, by whoever the user has named for that: a model, a command, or
ourselves. The newest turns stay, and so does what is protected.

It is made once for a cut, and whoever goes on with a conversation keeps it, so that its beginning
stays the same.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.history.digest.digest_message import summaries, whole_turns
from director_ctx.history.handover.handover import lacking
from director_ctx.history.handover.running import handover_of
from director_ctx.history.handover.write import newest, written
from director_ctx.history.messages.message import (
    ADDED,
    TEXT,
    USER,
    Block,
    Message,
    block_tokens,
    measure,
    size,
    text_of_blocks,
)
from director_ctx.history.messages.quoted import quoted
from director_ctx.history.messages.stubs import digest_head, locator
from director_ctx.history.messages.target import target_of
from director_ctx.history.messages.turns import turns
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Count
    from director_ctx.history.messages.target import Aim

NEWEST = 0.5
"""The share of the room that the newest turns may take; the rest is the summary's."""
LEAST = 200
"""Tokens; in less room nobody could sum up anything."""
QUOTES = 1.25
"""How much longer a summary gets where each of its lines is quoted."""
ACTION = "summary"

RESERVED = 0.25
"""The share of the summary's room that is kept for what its author left out of the hand-over."""
LONGEST = 300
"""Characters of a line of that."""


class NoSummary(DctxError):
    """Whoever was to write the summary did not."""


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    if aim.write is None:
        raise UsageProblem(
            "Nobody is named who writes the summary.",
            "Say --using with extractive, a command, anthropic:MODEL or openai:MODEL.",
        )
    target = target_of(aim)
    if measure(messages, aim.count) <= target:
        return list(messages)

    stay = _staying(messages, aim, target)
    older = [message for index, message in enumerate(messages) if index not in stay]
    room = target - size(messages[index] for index in stay)
    if room < LEAST or size(older) <= room:
        return list(messages)

    text = aim.write(older, int(room * (1 - RESERVED) / QUOTES))
    summary = _as_message(text, older, aim)
    left = room - size((summary,))
    lacks = _left_out(text, messages, stay, aim.count, int(left / QUOTES))
    if lacks:
        summary = _as_message(f"{text}\n\n{lacks}", older, aim)
    return _with_summary(messages, stay, summary)


def _left_out(
    text: str,
    messages: Sequence[Message],
    stay: set[int],
    count: Count,
    room: int,
) -> str:
    """What the author of a summary left out of what whoever goes on has to know, and what the
    messages that stay do not say either.
    """
    handover = newest(handover_of(messages))
    visible = [text, *(text_of_blocks(messages[index].blocks) for index in sorted(stay))]
    lacks = lacking(handover, "\n".join(visible))
    return written(lacks, room, count, LONGEST).rstrip("\n")


def _staying(messages: Sequence[Message], aim: Aim, target: int) -> set[int]:
    """The places of what is protected, and of as many of the newest turns as have room."""
    rows = turns(messages)
    stay = protected(messages, aim, rows)
    # No summary of a summary is made.
    stay |= summaries(messages)
    stay = whole_turns(stay, rows)

    room = (target - size(messages[index] for index in stay)) * NEWEST
    for row in reversed(rows):
        if row.start in stay:
            continue
        room -= size(messages[row.start : row.stop])
        if room < 0:
            break
        stay.update(row)
    return stay


def _as_message(text: str, older: Sequence[Message], aim: Aim) -> Message:
    """In the user's name, as digests are: so it is quoted, and speaks for nobody."""
    block = Block(TEXT, "", action=ACTION)
    block.sources = [source for message in older for source in message.blocks]
    head = digest_head(len(older), locator(block))
    block.text = f"{head}\nA summary of them:\n{quoted(text)}"
    block.tokens = block_tokens(block, aim.count)
    return Message(USER, [block], ADDED)


def _with_summary(
    messages: Sequence[Message],
    stay: set[int],
    summary: Message,
) -> list[Message]:
    """Where the first of those was that it stands for."""
    shorter: list[Message] = []
    is_said = False
    for index, message in enumerate(messages):
        if index in stay:
            shorter.append(message)
        elif not is_said:
            shorter.append(summary)
            is_said = True
    return shorter
