"""The steps of a turn, carried out: in the store, in the archive, by tools."""

from __future__ import annotations

from time import monotonic

from director_ctx.base.record import Record
from director_ctx.chat.items import locator, transcript
from director_ctx.chat.opening import KEEPS
from director_ctx.chat.steps import Keep, SumUp, Tell, UseTools
from director_ctx.memory.archive import originals
from director_ctx.memory.archive.chunks import hash_of
from director_ctx.memory.conversations import chats
from director_ctx.memory.conversations.chat_records import ChatNews, ChatPoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.chat.exchange import ToolUse
    from director_ctx.chat.offered import OfferedTools
    from director_ctx.chat.providers.keys import Provider
    from director_ctx.chat.reach import ChatStanding
    from director_ctx.chat.steps import TurnStep
    from director_ctx.memory.conversations.chat_records import ChatRow
    from director_ctx.memory.store.store import Store

LARGEST_SUMMARY = 20_000
"""Tokens."""
SHARE = 8
"""One in so many parts of the limit is for a summary."""


class ToolDesk(Record):
    """What the steps of a chat are carried out with."""

    store: Store
    provider: Provider
    tools: OfferedTools
    limit: int
    count: Callable[[str], int]
    on_notice: Callable[[str], None]
    on_use: Callable[[ToolUse], None]


def carry_out(desk: ToolDesk, step: TurnStep) -> object:
    """Every step that needs no answer of the provider."""
    if isinstance(step, Keep):
        return keep(desk, step)
    if isinstance(step, UseTools):
        return _use(desk, step)
    if isinstance(step, SumUp):
        return sum_up(desk, step.chat, step.rows)
    if isinstance(step, Tell):
        desk.on_notice(step.text)
        return None
    raise TypeError(step)


def keep(desk: ToolDesk, step: Keep) -> ChatStanding:
    """What is told shorter from now on is in the archive before that is on record."""
    standing = step.standing
    if step.originals:
        originals.keep(desk.store, {hash_of(text): text for text in step.originals})
    point = None
    if step.kind:
        point = ChatPoint(
            number=standing.number + 1,
            kind=step.kind,
            provider=desk.provider.identity,
            model=desk.provider.model,
            response=standing.response,
            tokens=standing.tokens,
            reach=_reach(standing),
        )
    if not step.rows and point is None:
        return standing
    kept = chats.keep(desk.store, standing.chat, ChatNews(step.rows, point))
    number = kept.point.number if kept.point else standing.number
    return standing.replace(rows=(*standing.rows, *kept.rows), number=number)


def _reach(standing: ChatStanding) -> dict[str, Any]:
    """With what was found out about the provider, so that no other program tries it again."""
    reach = standing.reach.as_json()
    if not standing.keeps:
        reach[KEEPS] = False
    return reach


def _use(desk: ToolDesk, step: UseTools) -> tuple[object, float]:
    begun = monotonic()
    for use in step.uses:
        desk.on_use(use)
    results = desk.tools.use(step.uses)
    return results, monotonic() - begun


def sum_up(desk: ToolDesk, chat: str, rows: Sequence[ChatRow]) -> tuple[str, str, str]:
    """A summary takes the place of these in the store; all of them stay in the archive, as one text."""
    whole = transcript(rows)
    name = hash_of(whole)
    originals.keep(desk.store, {name: whole})
    # Most chats never grow so large.
    from director_ctx.chat.summing_up import summary_of

    share = desk.limit // SHARE
    target = min(LARGEST_SUMMARY, share)
    identity, text = summary_of(desk.store, chat, rows, target, desk.count)
    return identity, text, locator(whole)
