"""The steps of a turn, carried out: in the store, in the archive, by tools."""

from __future__ import annotations

from time import monotonic

from director_ctx.base.record import Record
from director_ctx.chat.beside import beside
from director_ctx.chat.items import locator, transcript
from director_ctx.chat.opening import KEEPS, standing_with
from director_ctx.chat.request import SUMMARY_SHARE
from director_ctx.chat.steps import ADDED, Forget, Keep, SumUp, Tell, UseTools
from director_ctx.memory.archive import originals
from director_ctx.memory.archive.alignment import hash_of
from director_ctx.memory.conversations import chats
from director_ctx.memory.conversations.chat_records import ChatNews, ChatPoint
from director_ctx.memory.conversations.chats import GoneOn

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

AT_ONCE = 100
"""Times that somebody else may be faster in the same moment."""
NOT_ALONE = "Somebody else went on with this chat meanwhile; what was said there is told with the next request."
LARGEST_SUMMARY = 20_000
"""Tokens."""


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
        return _keep_beside(desk, step)
    if isinstance(step, UseTools):
        return _use(desk, step)
    if isinstance(step, SumUp):
        return sum_up(desk, step.chat, step.rows)
    if isinstance(step, Forget):
        from director_ctx.chat.summing_up import take_summary_back

        take_summary_back(desk.store, step.summary)
        return None
    if isinstance(step, Tell):
        desk.on_notice(step.text)
        return None
    raise TypeError(step)


def _keep_beside(desk: ToolDesk, step: Keep) -> ChatStanding:
    """Also where somebody else goes on with the same chat meanwhile."""
    for number in range(AT_ONCE):
        try:
            return keep(desk, step)
        except GoneOn:
            if not number and not step.standing.others:
                desk.on_notice(NOT_ALONE)
            current = standing_with(desk.store, step.standing.chat, desk.provider.identity)
            step = beside(step, current)
    return keep(desk, step)


def keep(desk: ToolDesk, step: Keep) -> ChatStanding:
    """What is told shorter from now on is in the archive before that is on record. Raises GoneOn where somebody
    else was faster.
    """
    standing = step.standing
    if not step.rows and not step.kind:
        return standing
    if step.originals:
        originals.keep(desk.store, {hash_of(text): text for text in step.originals})
    point = ChatPoint(
        number=standing.number + 1,
        kind=step.kind or ADDED,
        provider=desk.provider.identity,
        model=desk.provider.model,
        response=standing.response,
        tokens=standing.tokens,
        reach=_reach(standing),
    )
    kept = chats.keep(desk.store, standing.chat, ChatNews(step.rows, point))
    return standing.replace(rows=(*standing.rows, *kept.rows), number=point.number)


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

    share = desk.limit // SUMMARY_SHARE
    target = min(LARGEST_SUMMARY, share)
    identity, text = summary_of(desk.store, chat, rows, target, desk.count)
    return identity, text, locator(whole)
