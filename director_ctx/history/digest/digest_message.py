"""Messages that go: one digest stands for all of them, where the first of them was."""

from __future__ import annotations

from director_ctx.history.digest.sources import DigestSources
from director_ctx.history.messages.message import ASSISTANT, RESULT, size
from director_ctx.history.messages.stubs import is_digest_text, is_summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from director_ctx.history.messages.message import Count, Message

_INDEX_SHARE = 0.1
"""Of the characters that are dropped, so many may list their files and commands."""


def summaries(messages: Sequence[Message]) -> set[int]:
    """The places of messages that stand for others: they are never dropped themselves.

    Where calls are not marked as such, what directly follows an answer is an observation and none
    of ours.
    """
    places: set[int] = set()
    previous_role = ""
    for index, message in enumerate(messages):
        follows_answer = previous_role == ASSISTANT
        previous_role = message.role
        if not is_summary(message):
            continue

        is_observation = follows_answer and message.blocks[0].kind == RESULT
        if not is_observation:
            places.add(index)
    return places


def is_digest(message: Message) -> bool:
    """Whether it is nothing but a digest, which may be merged into another; a checkpoint is more."""
    return len(message.blocks) == 1 and is_digest_text(message.blocks[0].text)


def whole_turns(stay: Collection[int], rows: Sequence[range]) -> set[int]:
    """The places that stay, extended to whole turns."""
    extended: set[int] = set()
    for row in rows:
        if any(index in stay for index in row):
            extended.update(row)
    return extended


def digest_others(
    messages: Sequence[Message],
    stay: Collection[int],
    count: Count,
) -> list[Message]:
    """The messages that stay, and a digest of the others; all of them, if that would not be shorter."""
    dropped: list[Message] = []
    before: list[Message] = []
    after: list[Message] = []
    for index, message in enumerate(messages):
        if index not in stay:
            dropped.append(message)
        elif dropped:
            after.append(message)
        else:
            before.append(message)

    if not dropped:
        return list(messages)
    digest = _digest(dropped, count)
    if digest.tokens >= size(dropped):
        return list(messages)
    return [*before, digest, *after]


def _digest(dropped: Sequence[Message], count: Count) -> Message:
    """With every file and command, or in fewer words where those would cost too much."""
    sources = DigestSources(dropped)
    characters = 0
    for block in sources.blocks:
        characters += len(block.text)
    index = sources.index(characters * _INDEX_SHARE)
    return sources.digest(index, count)
