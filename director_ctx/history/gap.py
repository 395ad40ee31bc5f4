"""Messages that go: one digest stands for all of them, where the first of them was."""

from __future__ import annotations

from director_ctx.history.digest.outline import Sources, by_tool, names
from director_ctx.history.message import ADDED, RESULT, TEXT
from director_ctx.history.stubs import OPENS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from director_ctx.history.message import Count, Message

CHECKPOINT = "Previous phases completed."
_DIGEST = " earlier messages"
_SHARE = 0.1
"""Of what is dropped, that its list of files and commands may cost."""


def is_summary(message: Message) -> bool:
    """Whether it stands for others: such a message is never dropped itself."""
    if message.index == ADDED:
        return True
    for block in message.blocks:
        if block.kind not in (TEXT, RESULT):
            continue
        text = block.text
        if text.startswith(CHECKPOINT) or (text.startswith(OPENS) and _DIGEST in text[:80]):
            return True
    return False


def whole_turns(stay: Collection[int], rows: Sequence[range]) -> set[int]:
    """The places that stay, extended to whole turns."""
    return {place for row in rows if any(place in stay for place in row) for place in row}


def without(messages: Sequence[Message], stay: Collection[int], count: Count) -> list[Message]:
    """Only the messages that stay, with a digest of the others; all of them, if that would not be shorter."""
    dropped = [message for place, message in enumerate(messages) if place not in stay]
    digest = _digest(dropped, count) if dropped else None
    if digest is None or digest.tokens >= sum(one.tokens for one in dropped):
        return list(messages)
    first = next(place for place in range(len(messages)) if place not in stay)
    after = [message for place, message in enumerate(messages[first:], first) if place in stay]
    return [*messages[:first], digest, *after]


def _digest(dropped: Sequence[Message], count: Count) -> Message:
    """With every file and command, or only with the tools where those would cost too much."""
    sources = Sources(dropped)
    made = sources.digest(names(sources.blocks), (), count)
    if made.tokens <= sum(one.tokens for one in dropped) * _SHARE:
        return made
    brief = sources.digest(by_tool(sources.blocks), (), count)
    return brief if brief.tokens < made.tokens else made
