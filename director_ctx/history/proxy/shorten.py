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
from director_ctx.history.proxy.cuts import PrefixCut, PrefixCuts, unmarked, untouched_end
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


class RequestNumber(threading.local):
    """The number of the request that a connection is at: each has a thread of its own."""

    number = 0


class Shortening:
    """Decides what goes out, for all connections. `say` is told a sentence for each cut, never what
    is in it.

    One conversation is cut after the other. Nobody waits for a store but the request whose
    originals go there.
    """

    def __init__(self, rule: CutRule, say: Callable[[str], None]) -> None:
        self.rule = rule
        self._say = say
        self.requests = 0
        self.cuts = 0
        self.saved = 0
        self._here = PrefixCuts(rule.wish.config.max_conversations)
        self._stored = LastingCuts(rule)
        # Three locks, so that whoever only looks something up does not wait for a cut.
        self._finding = threading.Lock()
        self._cutting = threading.Lock()
        self._counting = threading.Lock()
        self._asked = RequestNumber()
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
        return self.may_cut(length)

    def may_cut(self, length: int) -> bool:
        """Whether a request of this length may be too long, or begin with something that was cut."""
        return length > self.rule.small or length >= self._here.nearest

    def offer(self, path: str, body: bytearray) -> None:
        """Nothing is added to a request that is only shortened."""

    def __call__(self, path: str, body: Bytes) -> Bytes:
        wire = wire_of(path)
        if wire is None:
            return body
        _, format, key = wire
        number = self._asked.number
        # Whatever goes wrong: a proxy must never be the reason that somebody's work stops.
        try:
            request = ProxyRequest(number, format, key, body, self.rule.wish)
            return self._decided(request, body)
        except Exception as error:
            self._say(f"Request {number} was sent as it came: {_why(error)}")
        return body

    @property
    def summary(self) -> str:
        requests = counted(self.requests, "request")
        cuts = counted(self.cuts, "cut")
        if self.rule.dry_run:
            return f"{requests}, all sent as they came; {cuts} would have been made."
        saved = counted(self.saved, "token")
        times = counted(self.cuts, "time")
        return f"{requests}, {cuts}, {saved} not sent; the provider's cache was broken {times}."

    def _decided(self, request: ProxyRequest, body: Bytes) -> Bytes:
        # What such a request brings, the model has never seen.
        if request.kept_there:
            return body
        cut, size = self._known(request, len(body))
        most = self.rule.limit
        if cut is not None:
            most = cut.again
        if size > most:
            cut = self._next(request, body, size, cut)
            if cut is not None:
                self._remember(request, cut)
        if cut is None or cut.text is None or self.rule.dry_run:
            return body

        self._stored.use(request, cut)
        with self._counting:
            self.saved += cut.saved
        return request.body.spliced(cut.text, cut.length).encode()

    def _known(self, request: ProxyRequest, length: int) -> tuple[PrefixCut | None, int]:
        """The cut that is known, here or in the store, and the tokens of the request with it."""
        cut = self._find_here(request, length)
        size = request.size(cut)
        # The store is asked only where something would have to be cut.
        if cut is not None or size <= self.rule.limit:
            return cut, size

        cut = self._stored.find(request)
        if cut is None:
            return None, size
        self._remember(request, cut)
        return cut, request.size(cut)

    def _find_here(self, request: ProxyRequest, length: int) -> PrefixCut | None:
        with self._finding:
            # Most requests do without the hashes of their messages.
            if length < self._here.nearest:
                return None
            return self._here.find(request.links)

    def _remember(self, request: ProxyRequest, cut: PrefixCut) -> None:
        with self._finding:
            self._here.keep(request.links, cut)

    def _next(
        self,
        request: ProxyRequest,
        body: Bytes,
        size: int,
        before: PrefixCut | None,
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
            sentence = f"Request {request.number} was not cut: {_why(error)}"
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
    ) -> PrefixCut:
        """Nothing is cut before its original is kept."""
        rule = self.rule
        # What is asked last is never part of what is cut.
        if len(request.links) < 2:
            return self._uncut(request, before, size, strategy_of(rule.wish))

        result, after = self._shortened(request, body)
        if not result.receipt.cuts:
            return self._uncut(request, before, size, result.by)
        left = result.receipt.tokens_out + request.tools
        if not pays(size, left, rule.limit, rule.target):
            return self._uncut(request, before, size, result.by, "too little")

        cut = _as_cut(request, after, result, max(rule.limit, left + rule.step))
        if not rule.dry_run:
            goes_out = request.body.spliced(cut.text or "", cut.length)
            _archive(result.replace(data=goes_out.encode()), rule)
            self._stored.keep(request, cut, before)
        with self._counting:
            self.cuts += 1
        self._say(_cut_sentence(request.number, size, left, result, rule))
        return cut

    def _shortened(self, request: ProxyRequest, body: Bytes) -> tuple[Compressed, Body]:
        """The request as its strategy would have it; nothing is kept or sent yet."""
        rule = self.rule
        target = room(rule.target, rule.limit, request.tools)
        wish = rule.wish.replace(target=target, format=request.format)
        with self._cutting:
            result = decide(WholeHistory(bytes(body)), wish)
        after = Body(result.data.decode(), request.body.key)
        # The strategies know messages only; whatever else a request says goes out as it came.
        if after.others != request.body.others:
            raise ValueError("more than the messages changed")
        return result, after

    def _uncut(
        self,
        request: ProxyRequest,
        before: PrefixCut | None,
        size: int,
        by: str,
        what: str = "nothing",
    ) -> PrefixCut:
        """Said once; then nothing is tried until more has come."""
        was_cut = before is not None and before.text is not None
        if was_cut and what == "nothing":
            what = "nothing more"
        self._say(
            f"Request {request.number}: {size:,} tokens, over the limit; {by} finds {what} to cut."
        )
        again = size + self.rule.step
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


def _why(error: Exception) -> str:
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
