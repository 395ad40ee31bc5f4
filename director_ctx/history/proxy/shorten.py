"""What a proxy sends instead of what it was given: shortened where it would be too long, else byte
for byte the same. Between two cuts the same text stands for the same messages, so that a provider's cache holds.

Whatever goes wrong on the way, the request goes out as it came.
"""

from __future__ import annotations

import threading
from time import monotonic

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import counted, plain
from director_ctx.context.tokens.by_provider import as_counted, as_provider
from director_ctx.history.compress.compress import archive_into
from director_ctx.history.compress.decide import Compressed, decide
from director_ctx.history.compress.options import strategy_of
from director_ctx.history.compress.put_back import WholeHistory
from director_ctx.history.messages.target import room
from director_ctx.history.proxy.cut_rule import CutRule, expect_own_store
from director_ctx.history.proxy.cuts import PrefixCut, PrefixCuts, unmarked, untouched_end
from director_ctx.history.proxy.kept_cuts import LastingCuts
from director_ctx.history.proxy.request import Body, ProxyRequest, model_of, wire_of, written
from director_ctx.history.proxy.sizes import ProviderSizes
from director_ctx.history.proxy.usage import ProxiedRequest, Savings, Usage
from director_ctx.history.strategies.config import SUMMARY
from director_ctx.history.strategies.limits import pays
from director_ctx.history.strategies.shrink import DEEP
from director_ctx.history.strategies.summary import NoSummary
from director_ctx.memory.store.open import open_store, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Bytes = bytes | bytearray

MOST_MODELS = 64
TELLING = 0.25
"""How much a factor has to change before it is said again."""
SLOW, REST = 2.0, 60.0
"""Seconds. Where a cut fails after so many, as at a store that somebody else has locked, none is
tried for so long.
"""
NOTHING = " finds nothing"


class RequestUnderWay(threading.local):
    """The request that a connection is at: each has a thread of its own."""

    number = 0
    sent: ProxiedRequest | None = None


class ModelRule(Record):
    """When requests to one model are cut, and the cuts that outlast the proxy."""

    rule: CutRule
    stored: LastingCuts


class Shortening:
    """Decides what goes out, for all connections. `say` is told a sentence for each cut, never what
    is in it.

    Nobody waits for a store but the request whose originals go there.
    """

    def __init__(self, rule: CutRule, say: Callable[[str], None]) -> None:
        self.rule = rule
        self._say = say
        self.savings = Savings()
        self.sizes = ProviderSizes(rule)
        self._here = PrefixCuts(rule.wish.config.max_conversations)
        self._rules: dict[str, ModelRule] = {}
        # Beside that of a cut, so that a request that only looks something up does not wait for one.
        self._finding = threading.Lock()
        self._choosing = threading.Lock()
        self._cutting = threading.Lock()
        self._rests_until = 0.0
        self._asked = RequestUnderWay()
        self._told_factor = 1.0

    def wants(self, path: str, length: int) -> bool:
        """A request that cannot be too long, and cannot begin with anything that was cut, is not
        even read.
        """
        if wire_of(path) is None:
            return False
        self._asked.number = self.savings.add(requests=1)
        self._asked.sent = None
        return length > self.rule.small or length >= self._here.nearest

    def sent(self) -> ProxiedRequest | None:
        return self._asked.sent

    def heard(self, sent: ProxiedRequest, usage: Usage) -> None:
        """What the provider says of the size of a request; nobody waits for it."""
        self.savings.add_answer(sent, usage)
        size = self.sizes.learn(sent.opening, sent.counted, usage)
        if size and abs(size.factor - self._told_factor) > TELLING * self._told_factor:
            self._told_factor = size.factor
            self._say(
                f"Request {sent.number}: {usage.input:,} tokens by the provider's count, "
                f"{size.factor:.2f} for each of {self.rule.wish.counter}: sizes of this conversation go by that."
            )

    def __call__(self, path: str, body: Bytes) -> Bytes:
        wire = wire_of(path)
        if wire is None:
            return body
        _, format, key = wire
        number = self._asked.number
        # Whatever goes wrong: a proxy must never be the reason that somebody's work stops.
        try:
            model = model_of(body)
            likely = self._rule_of(model)
            if len(body) <= likely.rule.limit and len(body) < self._here.nearest:
                return body
            request = ProxyRequest(number, format, key, body, self.rule.wish)
            return self._outgoing(request, self._rule_of(request.model or model))
        except Exception as error:
            self._say(f"Request {number} was sent as it came: {_why(error)}")
        return body

    @property
    def summary(self) -> str:
        if not self.rule.dry_run:
            return self.savings.summary
        requests = counted(self.savings.requests, "request")
        cuts = counted(self.savings.cuts, "cut")
        return f"{requests}, all sent as they came; {cuts} would have been made."

    def as_json(self) -> dict[str, Any]:
        """For scripts: what was saved, by which limits, and how sizes are counted."""
        with self._choosing:
            by_model = {model: known.rule.as_json() for model, known in self._rules.items()}
        return {
            **self.savings.as_json(),
            "limit": self.rule.as_json(),
            "limits_by_model": by_model,
            "counter": self.rule.wish.counter,
            "calibration": [size.as_json() for size in self.sizes.listed()],
        }

    def _rule_of(self, model: str) -> ModelRule:
        """What holds for a model; said once, where it is not what was said at the start."""
        with self._choosing:
            known = self._rules.get(model)
            if known is not None:
                return known
            rule = self.rule.of_model(model)
            if len(self._rules) >= MOST_MODELS:
                self._rules.clear()
            known = self._rules[model] = ModelRule(rule, LastingCuts(rule))
        if rule.limit != self.rule.limit:
            self._say(
                f"The limit for {plain(model)}: {counted(rule.limit, 'token')} ({rule.limit_from}), "
                f"cut to {rule.target:,}."
            )
        return known

    def _outgoing(self, request: ProxyRequest, by: ModelRule) -> Bytes:
        # What such a request brings, the model has never seen.
        if request.kept_there:
            return request.raw
        was_sent = self.sizes.has_seen(request.opening)
        known_size = self.sizes.of(request.opening)
        request.factor = known_size.factor
        before, size = self._known(request, by)
        cut = before
        if size > (before.again if before else by.rule.limit):
            cut = self._next_cut(request, size, before, by)
            if cut is not None:
                with self._finding:
                    self._here.keep(request.links, cut)
        goes_out = cut if cut and cut.text is not None and not self.rule.dry_run else None
        # Whether the request begins otherwise than without it.
        is_new = bool(cut and cut.text is not None and (not before or before.text != cut.text))
        # What the provider was never sent, its cache cannot have.
        if is_new and (was_sent or before is not None):
            self.savings.add(breaks=1)
        self._asked.sent = ProxiedRequest(
            number=request.number,
            opening=request.opening,
            counted=request.counted(goes_out),
            had_cached=known_size.cached,
            is_cut=is_new,
        )
        if goes_out is None:
            return request.raw
        by.stored.use(request, goes_out)
        self.savings.add(not_sent=as_provider(goes_out.saved, request.factor))
        return request.body.spliced(goes_out.text or "", goes_out.length).encode()

    def _known(self, request: ProxyRequest, by: ModelRule) -> tuple[PrefixCut | None, int]:
        """The cut that is known, here or in the store, and the tokens of the request with it."""
        cut = None
        with self._finding:
            # Most requests do without the hashes of their messages.
            if len(request.raw) >= self._here.nearest:
                cut = self._here.find(request.links)
        size = request.size(cut)
        # The store is asked only where something would have to be cut.
        if cut is not None or size <= by.rule.limit:
            return cut, size
        cut = by.stored.find(request)
        if cut is not None:
            with self._finding:
                self._here.keep(request.links, cut)
        return cut, request.size(cut)

    def _next_cut(
        self, request: ProxyRequest, size: int, before: PrefixCut | None, by: ModelRule
    ) -> PrefixCut | None:
        """Where it fails, what goes out is what went out before, and the next request tries again."""
        begun = monotonic()
        if begun < self._rests_until:
            return before
        try:
            cut = self._cut(request, size, before, by)
        except Exception as error:
            sentence = f"Request {request.number} was not cut: {_why(error)}"
            if monotonic() - begun > SLOW:
                self._rests_until = monotonic() + REST
                sentence += f" Nothing is tried for {REST:g} seconds."
            self._say(sentence)
            return before
        if isinstance(cut, PrefixCut):
            return cut
        # Said once; then nothing is tried until more has come.
        if before and before.text is not None and cut.endswith(NOTHING):
            cut += " more"
        self._say(f"Request {request.number}: {size:,} tokens, over the limit; {cut} to cut.")
        again = size + by.rule.step
        if before is not None:
            return before.replace(again=again)
        length = max(1, len(request.links) - 1)
        return PrefixCut(length, None, tokens=0, saved=0, again=again, reach=request.reach(length))

    def _cut(
        self, request: ProxyRequest, size: int, before: PrefixCut | None, by: ModelRule
    ) -> PrefixCut | str:
        """Or who finds nothing that is worth a cut. Nothing is cut before its original is kept."""
        rule = by.rule
        # What is asked last is never part of what is cut.
        if len(request.links) < 2:
            return strategy_of(rule.wish) + NOTHING

        result = self._shortened(request, rule)
        receipt = result.receipt
        if not receipt.cuts:
            return result.by + NOTHING
        left = as_provider(receipt.tokens_out + request.tools, request.factor)
        if not pays(size, left, rule.limit, rule.target):
            return f"{result.by} finds too little"

        # What is cut, from the first message to the last that is no longer as it was.
        after = Body(result.data.decode(), request.body.key)
        # The strategies know messages only; whatever else a request says goes out as it came.
        if after.others != request.body.others:
            raise ValueError("more than the messages changed")
        same = untouched_end(request.body.elements, after.elements)
        length = len(request.body.elements) - same
        text = written(map(unmarked, after.elements[: len(after.elements) - same]))
        cut = PrefixCut(
            length=length,
            text=text,
            tokens=receipt.tokens_out - request.tokens(request.body.begins(length)),
            saved=receipt.tokens_in - receipt.tokens_out,
            again=max(rule.limit, left + rule.step),
            reach=request.reach(length),
        )
        blocks = counted(len(receipt.cuts), "block")
        what = f"{size:,} → {left:,} tokens ({result.by}, {blocks})"
        if rule.dry_run:
            sentence = f"would be cut: {what}"
        else:
            goes_out = request.body.spliced(text, length)
            # Asked with each cut: the store may have become a team's since the proxy was started.
            expect_own_store(rule)
            with open_store(project_here(rule.root), write=True) as store:
                archive_into(store, result.replace(data=goes_out.encode()), "proxy")
            by.stored.keep(request, cut, before)
            sentence = f"{what}, receipt {receipt.short}"
            if not receipt.met:
                sentence += f"; the target was not met: {receipt.why_not.rstrip('.')}"
        self.savings.add(cuts=1)
        self._say(f"Request {request.number}: {sentence}.")
        return cut

    def _shortened(self, request: ProxyRequest, rule: CutRule) -> Compressed:
        """The request as its strategy would have it; nothing is kept or sent yet."""
        tools = as_provider(request.tools, request.factor)
        # A strategy works by our counter.
        target = as_counted(room(rule.target, rule.limit, tools), request.factor)
        wish = rule.wish.replace(target=target, format=request.format)
        whole = WholeHistory(bytes(request.raw))
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


def _why(error: Exception) -> str:
    if isinstance(error, DctxError):
        return error.message
    # Of an error that nobody expected only the name: its words may be of the conversation.
    return f"it could not be shortened ({type(error).__name__})."
