"""What a proxy sends instead of what it was given: shortened where it would be too long, else byte
for byte the same.

Whatever goes wrong on the way, the request goes out as it came.
"""

from __future__ import annotations

import threading
from time import monotonic

from director_ctx.base.errors import DctxError
from director_ctx.base.text import counted
from director_ctx.history.compress.compress import archive_into
from director_ctx.history.compress.decide import decide
from director_ctx.history.compress.options import strategy_of
from director_ctx.history.compress.put_back import WholeHistory
from director_ctx.history.messages.target import room
from director_ctx.history.proxy.cut_rule import expect_own_store, wire_of
from director_ctx.history.proxy.cuts import PrefixCut, Steady, unmarked, untouched_end
from director_ctx.history.proxy.kept_cuts import LastingCuts
from director_ctx.history.proxy.request import ProxyRequest
from director_ctx.history.proxy.request_body import Body, written
from director_ctx.history.strategies.limits import pays
from director_ctx.memory.store.open import open_store, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.history.compress.decide import Compressed
    from director_ctx.history.proxy.cut_rule import CutRule

    Bytes = bytes | bytearray


SLOW, REST = 2.0, 60.0
"""Seconds. Where a cut fails after so many, as at a store that somebody else has locked, none is
tried for so long.
"""


class Shortening:
    """Decides what goes out, for all connections. `say` is told a sentence for each cut, never what
    is in it.

    One conversation is cut after the other. Nobody waits for a store but the request whose
    originals go there.
    """

    def __init__(self, rule: CutRule, say: Callable[[str], None]) -> None:
        self.rule, self._say = rule, say
        self.requests = self.cuts = self.saved = 0
        self._steady = Steady(rule.wish.config.max_conversations)
        self._later = LastingCuts(rule)
        self._finding = threading.Lock()
        self._cutting = threading.Lock()
        self._counting = threading.Lock()
        self._asked = threading.local()
        """The number of the request that a connection is at: each has a thread of its own."""
        self._rests_until = 0.0

    def wants(self, path: str, length: int) -> bool:
        """A request that cannot be too long, and cannot begin with anything that was cut, is not
        even read.
        """
        if wire_of(path) is None:
            return False
        with self._counting:
            self.requests += 1
            self._asked.number = self.requests
        return length > self.rule.small or length >= self._steady.nearest

    def __call__(self, path: str, body: Bytes) -> Bytes:
        wire = wire_of(path)
        if wire is None:
            return body
        _, format, key = wire
        number = getattr(self._asked, "number", 0)
        try:
            request = ProxyRequest(number, format, key, body, self.rule.wish)
            return self._decided(request, body)
        except Exception as error:
            self._say(f"Request {number} was sent as it came: {_why(error)}")
        return body

    @property
    def summary(self) -> str:
        if self.rule.dry_run:
            return (
                f"{counted(self.requests, 'request')}, all sent as they came; "
                f"{counted(self.cuts, 'cut')} would have been made."
            )
        return (
            f"{counted(self.requests, 'request')}, {counted(self.cuts, 'cut')}, "
            f"{counted(self.saved, 'token')} not sent; the provider's cache was broken {counted(self.cuts, 'time')}."
        )

    def _decided(self, request: ProxyRequest, body: Bytes) -> Bytes:
        if request.kept_there:
            return body
        cut, size = self._known(request, len(body))
        most = cut.again if cut else self.rule.limit
        if size > most:
            cut = self._next(request, body, size, cut)
            if cut:
                with self._finding:
                    self._steady.keep(request.links, cut)
        if cut is None or cut.text is None or self.rule.dry_run:
            return body

        self._later.use(request, cut)
        with self._counting:
            self.saved += cut.saved
        return request.body.spliced(cut.text, cut.length).encode()

    def _known(self, request: ProxyRequest, length: int) -> tuple[PrefixCut | None, int]:
        """The cut that is known, here or in the store, and the tokens of the request with it."""
        with self._finding:
            cut = self._steady.find(request.links) if length >= self._steady.nearest else None
        size = request.size(cut)
        if cut or size <= self.rule.limit:
            return cut, size

        cut = self._later.find(request)
        if cut is None:
            return None, size
        with self._finding:
            self._steady.keep(request.links, cut)
        return cut, request.size(cut)

    def _next(
        self, request: ProxyRequest, body: Bytes, size: int, before: PrefixCut | None
    ) -> PrefixCut | None:
        """The next cut. Where it fails, what goes out is what went out before, and the next request
        tries again.
        """
        begun = monotonic()
        if begun < self._rests_until:
            return before
        try:
            return self._cut(request, body, size, before)
        except Exception as error:
            told = f"Request {request.number} was not cut: {_why(error)}"
            if monotonic() - begun > SLOW:
                self._rests_until = monotonic() + REST
                told += f" Nothing is tried for {REST:g} seconds."
            self._say(told)
            return before

    def _cut(
        self, request: ProxyRequest, body: Bytes, size: int, before: PrefixCut | None
    ) -> PrefixCut:
        """Nothing is cut before its original is kept. What would bring little waits until more has
        come.
        """
        rule = self.rule
        if len(request.links) < 2:
            return self._uncut(request, before, size, strategy_of(rule.wish))

        target = room(rule.target, rule.limit, request.tools)
        wish = rule.wish.replace(target=target, format=request.format)
        with self._cutting:
            result = decide(WholeHistory(bytes(body)), wish)
        after = Body(result.data.decode(), request.body.key)
        if after.others != request.body.others:
            raise ValueError("more than the messages changed")
        if not result.receipt.cuts:
            return self._uncut(request, before, size, result.by)
        left = result.receipt.tokens_out + request.tools
        if not pays(size, left, rule.limit, rule.target):
            return self._uncut(request, before, size, result.by, "too little")

        cut = _as_cut(request, after, result, max(rule.limit, left + rule.step))
        if not rule.dry_run:
            goes_out = request.body.spliced(cut.text or "", cut.length)
            _archive(result.replace(data=goes_out.encode()), rule)
            self._later.keep(request, cut, before)
        with self._counting:
            self.cuts += 1
        self._say(_told(request.number, size, left, result, rule))
        return cut

    def _uncut(
        self,
        request: ProxyRequest,
        before: PrefixCut | None,
        size: int,
        by: str,
        what: str = "nothing",
    ) -> PrefixCut:
        """Said once; then nothing is tried until more has come."""
        more = " more" if before and before.text is not None and what == "nothing" else ""
        self._say(
            f"Request {request.number}: {size:,} tokens, over the limit; {by} finds {what}{more} to cut."
        )
        return _waiting(request, before, size + self.rule.step)


def _why(error: Exception) -> str:
    """Of an error that nobody expected only the name: its words may be of the conversation."""
    if isinstance(error, DctxError):
        return error.message
    return f"it could not be shortened ({type(error).__name__})."


def _waiting(request: ProxyRequest, before: PrefixCut | None, again: int) -> PrefixCut:
    if before is not None:
        return before.replace(again=again)
    length = max(1, len(request.links) - 1)
    return PrefixCut(length, None, 0, 0, again, request.reach(length))


def _as_cut(request: ProxyRequest, after: Body, result: Compressed, again: int) -> PrefixCut:
    """What is cut, from the first message to the last that is no longer as it was."""
    before = request.body.elements
    same = untouched_end(before, after.elements)
    length = len(before) - same
    first = after.elements[: len(after.elements) - same]
    text = written(map(unmarked, first))

    receipt = result.receipt
    tokens = receipt.tokens_out - request.tokens(request.body.begins(length))
    saved = receipt.tokens_in - receipt.tokens_out
    return PrefixCut(length, text, tokens, saved, again, request.reach(length))


def _archive(result: Compressed, rule: CutRule) -> None:
    expect_own_store(rule)
    with open_store(project_here(rule.root), write=True) as store:
        archive_into(store, result, "proxy")


def _told(number: int, size: int, left: int, result: Compressed, rule: CutRule) -> str:
    receipt = result.receipt
    what = f"{size:,} → {left:,} tokens ({result.by}, {counted(len(receipt.cuts), 'block')})"
    if rule.dry_run:
        return f"Request {number}: would be cut: {what}."
    missed = "" if receipt.met else f"; the target was not met: {receipt.why_not.rstrip('.')}"
    return f"Request {number}: {what}, receipt {receipt.short}{missed}."
