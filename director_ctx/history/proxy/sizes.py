"""How a provider counts in each conversation, learned from its answers: thresholds and targets go by
that, and by our own counter alone only until the first answer has said it.
"""

from __future__ import annotations

import json
import threading
from hashlib import sha256

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.context.tokens.by_provider import LEAST, MOST, factor_of
from director_ctx.memory.archive.cuts import keep_size, kept_size
from director_ctx.memory.store.open import open_store, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.proxy.cut_rule import CutRule
    from director_ctx.history.proxy.usage import Usage

_ODD = (ValueError, TypeError, KeyError, RecursionError, DctxError, OSError)
"""What reading a size may come to that nobody of us wrote."""
WORTH_KEEPING = 0.05
"""A factor that differs by less from the one that is kept is not written again."""


class ConversationSize(Record):
    """What is known of one conversation."""

    factor: float = 1.0
    """The provider's tokens for each of our counter; 1 as long as nobody knows."""
    counted: int = 0
    """The tokens of its last request by our counter, and by the provider."""
    by_provider: int = 0
    cached: int = 0
    """Of these, what the provider's cache has had since."""
    kept: float = 0.0
    """The factor that the store has."""

    def as_json(self) -> dict[str, float]:
        return {
            "factor": round(self.factor, 3),
            "by_provider": self.by_provider,
            "counted": self.counted,
        }

    @property
    def is_known(self) -> bool:
        return self.factor != 1.0 or self.by_provider > 0


UNKNOWN = ConversationSize()


class ProviderSizes:
    """The sizes of all conversations, those that were seen last; the store has their factors, too."""

    def __init__(self, rule: CutRule) -> None:
        self._rule = rule
        self._most = rule.wish.config.max_conversations
        # In the order in which they were learned last.
        self._sizes: dict[bytes, ConversationSize] = {}
        self._lock = threading.Lock()

    def has_seen(self, opening: Sequence[bytes]) -> bool:
        """Whether a request of the conversation that begins like this was looked at before."""
        return self._known(opening) is not None

    def of(self, opening: Sequence[bytes]) -> ConversationSize:
        """What is known of the conversation that begins like this: a hash for each beginning."""
        known = self._known(opening)
        if known is None:
            known = self._stored(opening)
            self._put(opening, known)
        return known

    def learn(
        self, opening: Sequence[bytes], counted: int, usage: Usage
    ) -> ConversationSize | None:
        """What an answer has said of its request, which was `counted` by our counter; None where it
        tells nothing.
        """
        factor = factor_of(usage.input, counted)
        if factor is None:
            return None
        before = self._known(opening) or UNKNOWN
        size = ConversationSize(
            factor=factor,
            counted=counted,
            by_provider=usage.input,
            cached=usage.cache_read + usage.cache_written,
            kept=before.kept,
        )
        if abs(factor - before.kept) > WORTH_KEEPING * factor and self._keep(opening[-1], factor):
            size = size.replace(kept=factor)
        self._put(opening, size)
        return size

    def listed(self) -> list[ConversationSize]:
        """Those of which an answer has said something, the newest last."""
        with self._lock:
            return [size for size in self._sizes.values() if size.is_known]

    def _known(self, opening: Sequence[bytes]) -> ConversationSize | None:
        with self._lock:
            known = (self._sizes.get(link) for link in reversed(opening))
            return next((size for size in known if size is not None), None)

    def _put(self, opening: Sequence[bytes], size: ConversationSize) -> None:
        with self._lock:
            # It is known by the longest of its beginnings alone.
            for link in opening:
                self._sizes.pop(link, None)
            self._sizes[opening[-1]] = size
            if len(self._sizes) > self._most:
                del self._sizes[next(iter(self._sizes))]

    def _stored(self, opening: Sequence[bytes]) -> ConversationSize:
        try:
            with open_store(project_here(self._rule.root)) as store:
                content = kept_size(store, [self._name(link) for link in opening])
            if content is None:
                return UNKNOWN
            factor = float(json.loads(content)["factor"])
        except _ODD:
            return UNKNOWN
        # The store may be written to by others: a factor is one that we could have learned.
        if not LEAST <= factor <= MOST:
            return UNKNOWN
        return ConversationSize(factor=factor, kept=factor)

    def _keep(self, link: bytes, factor: float) -> bool:
        """Whether the store has it now; nothing depends on it."""
        if self._rule.dry_run:
            return False
        content = json.dumps({"factor": factor})
        try:
            with open_store(project_here(self._rule.root), write=True) as store:
                keep_size(store, self._name(link), content)
        except (DctxError, OSError):
            return False
        return True

    def _name(self, link: bytes) -> str:
        counter = self._rule.wish.counter
        return sha256(counter.encode() + link).hexdigest()
