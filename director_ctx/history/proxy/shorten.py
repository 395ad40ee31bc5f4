"""What a proxy sends instead of what it was given: shortened where it would be too long, else byte
for byte the same.

Whatever goes wrong on the way, the request goes out as it came.
"""

from __future__ import annotations

import threading

from director_ctx.base.text import counted, plain
from director_ctx.context.tokens.by_provider import as_provider
from director_ctx.history.proxy.cuts import PrefixCut, PrefixCuts
from director_ctx.history.proxy.cutting import Cutting, ModelRule, why
from director_ctx.history.proxy.kept_cuts import LastingCuts
from director_ctx.history.proxy.request import ProxyRequest
from director_ctx.history.proxy.sizes import ConversationSize, ProviderSizes
from director_ctx.history.proxy.stats import ProxiedRequest, Savings
from director_ctx.history.proxy.wires import model_of, wire_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.history.proxy.cut_rule import CutRule
    from director_ctx.history.proxy.usage import Usage

    Bytes = bytes | bytearray


MOST_MODELS = 64
TELLING = 0.25
"""How much a factor has to change before it is said again."""


class RequestUnderWay(threading.local):
    """The request that a connection is at: each has a thread of its own."""

    number = 0
    sent: ProxiedRequest | None = None


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
        self._cutting = Cutting(self.savings, say)
        # Beside that of a cut, so that whoever only looks something up does not wait for one.
        self._finding = threading.Lock()
        self._choosing = threading.Lock()
        self._asked = RequestUnderWay()
        self._told_factor = 1.0

    def wants(self, path: str, length: int) -> bool:
        """A request that cannot be too long, and cannot begin with anything that was cut, is not
        even read.
        """
        if wire_of(path) is None:
            return False
        self._asked.number = self.savings.add_request()
        self._asked.sent = None
        return length > self.rule.small or length >= self._here.nearest

    def sent(self) -> ProxiedRequest | None:
        return self._asked.sent

    def heard(self, sent: ProxiedRequest, usage: Usage) -> None:
        """What the provider says of the size of a request; nobody waits for it."""
        self.savings.add_answer(sent, usage)
        size = self.sizes.learn(sent.opening, sent.counted, usage)
        if size is None:
            return
        counter = self.rule.wish.counter
        changed = abs(size.factor - self._told_factor)
        if changed > TELLING * self._told_factor:
            self._told_factor = size.factor
            self._say(
                f"Request {sent.number}: {usage.input:,} tokens by the provider's count, "
                f"{size.factor:.2f} for each of {counter}: sizes of this conversation go by that."
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
            return self._decided(request, body, request.model or model)
        except Exception as error:
            self._say(f"Request {number} was sent as it came: {why(error)}")
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
            by_model = {model: _limit_json(known.rule) for model, known in self._rules.items()}
        return {
            **self.savings.as_json(),
            "limit": _limit_json(self.rule),
            "limits_by_model": by_model,
            "counter": self.rule.wish.counter,
            "calibration": [_size_json(size) for size in self.sizes.listed()],
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
            known = ModelRule(rule=rule, stored=LastingCuts(rule))
            self._rules[model] = known
        if rule.limit != self.rule.limit:
            self._say(f"The limit for {plain(model)}: {limit_sentence(rule)}")
        return known

    def _decided(self, request: ProxyRequest, body: Bytes, model: str) -> Bytes:
        # What such a request brings, the model has never seen.
        if request.kept_there:
            return body
        by = self._rule_of(model)
        was_sent = self.sizes.has_seen(request.opening)
        known_size = self.sizes.of(request.opening)
        request.factor = known_size.factor
        before, size = self._known(request, len(body), by)
        cut = self._cut_for(request, body, size, before, by)
        is_cut = _is_new(cut, before)
        # What the provider was never sent, its cache cannot have.
        if is_cut and (was_sent or before is not None):
            self.savings.add_break()
        sent = ProxiedRequest(
            number=request.number,
            opening=request.opening,
            counted=0,
            had_cached=known_size.cached,
            is_cut=is_cut,
        )
        if cut is None or cut.text is None or self.rule.dry_run:
            self._asked.sent = sent.replace(counted=request.counted(None))
            return body

        by.stored.use(request, cut)
        not_sent = as_provider(cut.saved, request.factor)
        self.savings.add_not_sent(not_sent)
        self._asked.sent = sent.replace(counted=request.counted(cut))
        return request.body.spliced(cut.text, cut.length).encode()

    def _cut_for(
        self,
        request: ProxyRequest,
        body: Bytes,
        size: int,
        before: PrefixCut | None,
        by: ModelRule,
    ) -> PrefixCut | None:
        """The cut that the request goes out with: the one before, or the next where that is due."""
        most = by.rule.limit
        if before is not None:
            most = before.again
        if size <= most:
            return before
        cut = self._cutting.next(request, body, size, before, by)
        if cut is not None:
            self._remember(request, cut)
        return cut

    def _known(
        self,
        request: ProxyRequest,
        length: int,
        by: ModelRule,
    ) -> tuple[PrefixCut | None, int]:
        """The cut that is known, here or in the store, and the tokens of the request with it."""
        cut = self._find_here(request, length)
        size = request.size(cut)
        # The store is asked only where something would have to be cut.
        if cut is not None or size <= by.rule.limit:
            return cut, size

        cut = by.stored.find(request)
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


def limit_sentence(rule: CutRule) -> str:
    return f"{counted(rule.limit, 'token')} ({rule.limit_from}), cut to {rule.target:,}."


def _limit_json(rule: CutRule) -> dict[str, Any]:
    return {"tokens": rule.limit, "from": rule.limit_from, "target": rule.target}


def _size_json(size: ConversationSize) -> dict[str, Any]:
    return {
        "factor": round(size.factor, 3),
        "by_provider": size.by_provider,
        "counted": size.counted,
    }


def _is_new(cut: PrefixCut | None, before: PrefixCut | None) -> bool:
    """Whether the request begins otherwise than without it."""
    if cut is None or cut.text is None:
        return False
    return before is None or before.text != cut.text
