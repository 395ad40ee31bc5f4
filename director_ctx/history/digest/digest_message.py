"""Messages that go: one digest stands for all of them, where the first of them was."""

from __future__ import annotations

from director_ctx.history.digest.write import Sources
from director_ctx.history.messages.message import ASSISTANT, RESULT, size
from director_ctx.history.messages.stubs import is_summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from director_ctx.history.messages.message import Count, Message

_SHARE = 0.1
"""Of what is dropped, that its list of files and commands may cost."""


def summaries(messages: Sequence[Message]) -> set[int]:
    """The places of messages that stand for others: they are never dropped themselves.

    Where calls are not marked as such, what directly follows an answer is an observation and none
    of ours.
    """
    standing: set[int] = set()
    for index, message in enumerate(messages):
        if not is_summary(message):
            continue
        follows_answer = index > 0 and messages[index - 1].role == ASSISTANT
        if follows_answer and message.blocks[0].kind == RESULT:
            continue
        standing.add(index)
    return standing


def whole_turns(stay: Collection[int], rows: Sequence[range]) -> set[int]:
    """The places that stay, extended to whole turns."""
    extended: set[int] = set()
    for row in rows:
        if any(index in stay for index in row):
            extended.update(row)
    return extended


def without(messages: Sequence[Message], stay: Collection[int], count: Count) -> list[Message]:
    """Only the messages that stay, with a digest of the others; all of them, if that would not be
    shorter.
    """
    gone = [index for index in range(len(messages)) if index not in stay]
    if not gone:
        return list(messages)

    dropped = [messages[index] for index in gone]
    digest = _digest(dropped, count)
    if digest.tokens >= size(dropped):
        return list(messages)

    first = gone[0]
    after = [messages[index] for index in range(first, len(messages)) if index in stay]
    return [*messages[:first], digest, *after]


def _digest(dropped: Sequence[Message], count: Count) -> Message:
    """With every file and command, or in fewer words where those would cost too much."""
    sources = Sources(dropped)
    letters = sum(len(block.text) for block in sources.blocks)
    return sources.digest(sources.index(letters * _SHARE), (), count)
