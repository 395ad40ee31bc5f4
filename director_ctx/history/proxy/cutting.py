"""The next cut of a conversation: its originals are kept, and then what stands for them is known."""

from __future__ import annotations

import threading
from time import monotonic

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import counted
from director_ctx.context.tokens.by_provider import as_counted, as_provider
from director_ctx.history.compress.compress import archive_into
from director_ctx.history.compress.decide import decide
from director_ctx.history.compress.options import strategy_of
from director_ctx.history.compress.put_back import WholeHistory
from director_ctx.history.messages.target import room
from director_ctx.history.proxy.cut_rule import expect_own_store
from director_ctx.history.proxy.cuts import PrefixCut, unmarked, untouched_end
from director_ctx.history.proxy.request_body import Body, written
from director_ctx.history.strategies.config import SUMMARY
from director_ctx.history.strategies.limits import pays
from director_ctx.history.strategies.shrink import DEEP
from director_ctx.history.strategies.summary import NoSummary
from director_ctx.memory.store.open import open_store, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.history.compress.decide import Compressed
    from director_ctx.history.compress.options import Wish
    from director_ctx.history.proxy.cut_rule import CutRule
    from director_ctx.history.proxy.kept_cuts import LastingCuts
    from director_ctx.history.proxy.request import ProxyRequest
    from director_ctx.history.proxy.stats import Savings

    Bytes = bytes | bytearray

SLOW, REST = 2.0, 60.0
"""Seconds. Where a cut fails after so many, as at a store that somebody else has locked, none is
tried for so long.
"""


NOTHING = " finds nothing"


class ModelRule(Record):
    """When requests to one model are cut, and the cuts that outlast the proxy."""

    rule: CutRule
    stored: LastingCuts


class Cutting:
    """One conversation is cut after the other."""

    def __init__(self, savings: Savings, say: Callable[[str], None]) -> None:
        self._savings = savings
        self._say = say
        self._cutting = threading.Lock()
        self._rests_until = 0.0

    def next(
        self,
        request: ProxyRequest,
        body: Bytes,
        size: int,
        before: PrefixCut | None,
        by: ModelRule,
    ) -> PrefixCut | None:
        """The next cut. Where it fails, what goes out is what went out before, and the next request
        tries again.
        """
        begun = monotonic()
        if begun < self._rests_until:
            return before
        try:
            return self._cut(request, body, size, before, by)
        except Exception as error:
            sentence = f"Request {request.number} was not cut: {why(error)}"
            if monotonic() - begun > SLOW:
                self._rests_until = monotonic() + REST
                sentence += f" Nothing is tried for {REST:g} seconds."
            self._say(sentence)
            return before

    def _cut(
        self,
        request: ProxyRequest,
        body: Bytes,
        size: int,
        before: PrefixCut | None,
        by: ModelRule,
    ) -> PrefixCut:
        """Nothing is cut before its original is kept."""
        rule = by.rule
        # What is asked last is never part of what is cut.
        if len(request.links) < 2:
            return self._uncut(request, before, size, rule, strategy_of(rule.wish) + NOTHING)

        result, after = self._shortened(request, body, rule)
        if not result.receipt.cuts:
            return self._uncut(request, before, size, rule, result.by + NOTHING)
        left = as_provider(result.receipt.tokens_out + request.tools, request.factor)
        if not pays(size, left, rule.limit, rule.target):
            return self._uncut(request, before, size, rule, f"{result.by} finds too little")

        cut = _as_cut(request, after, result, max(rule.limit, left + rule.step))
        if not rule.dry_run:
            goes_out = request.body.spliced(cut.text or "", cut.length)
            _archive(result.replace(data=goes_out.encode()), rule)
            by.stored.keep(request, cut, before)
        self._savings.add_cut()
        self._say(_cut_sentence(request.number, size, left, result, rule))
        return cut

    def _shortened(
        self,
        request: ProxyRequest,
        body: Bytes,
        rule: CutRule,
    ) -> tuple[Compressed, Body]:
        """The request as its strategy would have it; nothing is kept or sent yet."""
        tools = as_provider(request.tools, request.factor)
        wanted = room(rule.target, rule.limit, tools)
        # A strategy works by our counter.
        target = as_counted(wanted, request.factor)
        wish = rule.wish.replace(target=target, format=request.format)
        result = self._decided(request, body, wish)
        after = Body(result.data.decode(), request.body.key)
        # The strategies know messages only; whatever else a request says goes out as it came.
        if after.others != request.body.others:
            raise ValueError("more than the messages changed")
        return result, after

    def _decided(self, request: ProxyRequest, body: Bytes, wish: Wish) -> Compressed:
        whole = WholeHistory(bytes(body))
        # A summary may take minutes, and whoever writes it may ask through this very proxy.
        waits = strategy_of(wish) != SUMMARY
        if not self._cutting.acquire(blocking=waits):
            raise DctxError("a summary of another request is being written.")
        try:
            return decide(whole, wish)
        except NoSummary as error:
            self._say(f"Request {request.number}: {error.message} It is cut by {DEEP}.")
            return decide(whole, wish.replace(strategy=DEEP))
        finally:
            self._cutting.release()

    def _uncut(
        self,
        request: ProxyRequest,
        before: PrefixCut | None,
        size: int,
        rule: CutRule,
        finds: str,
    ) -> PrefixCut:
        """Said once; then nothing is tried until more has come."""
        was_cut = before is not None and before.text is not None
        if was_cut and finds.endswith(NOTHING):
            finds += " more"
        self._say(f"Request {request.number}: {size:,} tokens, over the limit; {finds} to cut.")
        again = size + rule.step
        if before is not None:
            return before.replace(again=again)
        length = max(1, len(request.links) - 1)
        return PrefixCut(
            length=length,
            text=None,
            tokens=0,
            saved=0,
            again=again,
            reach=request.reach(length),
        )


def why(error: Exception) -> str:
    if isinstance(error, DctxError):
        return error.message
    # Of an error that nobody expected only the name: its words may be of the conversation.
    return f"it could not be shortened ({type(error).__name__})."


def _as_cut(
    request: ProxyRequest,
    after: Body,
    result: Compressed,
    again: int,
) -> PrefixCut:
    """What is cut, from the first message to the last that is no longer as it was."""
    before = request.body.elements
    same = untouched_end(before, after.elements)
    length = len(before) - same
    first = after.elements[: len(after.elements) - same]

    receipt = result.receipt
    rest = request.body.begins(length)
    return PrefixCut(
        length=length,
        text=written(map(unmarked, first)),
        tokens=receipt.tokens_out - request.tokens(rest),
        saved=receipt.tokens_in - receipt.tokens_out,
        again=again,
        reach=request.reach(length),
    )


def _archive(result: Compressed, rule: CutRule) -> None:
    # Asked with each cut: the store may have become a team's since the proxy was started.
    expect_own_store(rule)
    with open_store(project_here(rule.root), write=True) as store:
        archive_into(store, result, "proxy")


def _cut_sentence(
    number: int,
    size: int,
    left: int,
    result: Compressed,
    rule: CutRule,
) -> str:
    receipt = result.receipt
    blocks = counted(len(receipt.cuts), "block")
    what = f"{size:,} → {left:,} tokens ({result.by}, {blocks})"
    if rule.dry_run:
        return f"Request {number}: would be cut: {what}."
    sentence = f"Request {number}: {what}, receipt {receipt.short}"
    if not receipt.met:
        why_not = receipt.why_not.rstrip(".")
        sentence += f"; the target was not met: {why_not}"
    return f"{sentence}."
