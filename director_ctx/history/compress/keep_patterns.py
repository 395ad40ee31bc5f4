"""What the patterns of a user find in conversations, within a time that is bounded."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.system.time_limit import Overdue, deadline
from director_ctx.history.strategies.keep import keeping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from director_ctx.history.messages.message import Message

    T = TypeVar("T")

SEARCH_SECONDS = 20
"""For which the patterns of `--keep` are looked for, and that of a search in each conversation."""


def keep_rule(
    messages: Sequence[Message],
    patterns: tuple[str, ...],
) -> Callable[[str], bool] | None:
    """What stays as it is. Patterns of the user are looked for once in each text, and only for so
    long: how long one takes cannot be told from its form, as it may be no time at all for one text
    and without end for another.
    """
    stays = keeping(messages, patterns)
    if stays is None or not patterns:
        return stays

    texts: set[str] = set()
    for message in messages:
        for block in message.blocks:
            texts.add(block.text)

    def look() -> frozenset[str]:
        return frozenset(filter(stays, texts))

    texts_that_stay = in_time(look, "--keep", patterns)
    return texts_that_stay.__contains__


def in_time(look: Callable[[], T], option: str, patterns: Sequence[str]) -> T:
    """What `look` finds; an error where it takes too long."""
    try:
        with deadline(SEARCH_SECONDS):
            return look()
    except Overdue:
        named = " or ".join(map(repr, patterns))
        raise UsageProblem(
            f"{option}: to look for {named} took more than {SEARCH_SECONDS} seconds, without an end.",
            "Repeat less: one .* or + after the other multiplies the ways to try.",
        ) from None
