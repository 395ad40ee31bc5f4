"""Cuts of a proxy that outlast it: one that was started anew sends the same bytes again."""

from __future__ import annotations

import json
from hashlib import sha256

from director_ctx.base.errors import DctxError
from director_ctx.history.proxy.cuts import PrefixCut
from director_ctx.history.strategies.config import cut_by
from director_ctx.memory.archive import cuts
from director_ctx.memory.store.open import open_store, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.proxy.cut_rule import CutRule
    from director_ctx.history.proxy.request import ProxyRequest

_ODD = (ValueError, KeyError, TypeError, AttributeError, RecursionError, DctxError)
"""What reading a cut may come to that nobody of us wrote."""


class LastingCuts:
    """In the store that has the originals. Where it cannot be used, a conversation is only cut
    anew.
    """

    def __init__(self, rule: CutRule) -> None:
        self._rule = rule
        self._used: set[str] = set()
        wish = rule.wish
        parts = (rule.limit, rule.target, wish.counter, wish.keep, cut_by(wish.config))
        # What a conversation is cut by: with other settings it is cut anew.
        self._setting = " ".join(map(str, ("proxy", wish.strategy, *parts)))

    def find(self, request: ProxyRequest) -> PrefixCut | None:
        """What is known of the longest beginning. What is asked last is never part of what was cut."""
        names = self._names(request)[:-1]
        if self._rule.dry_run or not names:
            return None
        try:
            with open_store(project_here(self._rule.root)) as store:
                stored = cuts.find(store, names)
        except (DctxError, OSError):
            return None
        if stored is None:
            return None
        name, content = stored
        length = names.index(name) + 1
        return self._read(request, length, content)

    def use(self, request: ProxyRequest, cut: PrefixCut) -> None:
        """That it goes out now."""
        # It is written down with the next cut that is kept: no request waits for a lock only to say
        # that it was there.
        last = request.links[cut.length - 1]
        self._used.add(self._name(request, last))

    def keep(
        self,
        request: ProxyRequest,
        cut: PrefixCut,
        before: PrefixCut | None,
    ) -> None:
        """Durable on return; nothing depends on it."""
        names = self._names(request)
        instead = ""
        # One that only waits was never stored.
        if before and before.text is not None:
            instead = names[before.length - 1]
        lasting = cuts.Lasting(
            name=names[cut.length - 1],
            content=json.dumps({"again": cut.again, "text": cut.text}),
            instead=instead,
            used=frozenset(self._used),
        )
        self._used = set()
        try:
            with open_store(project_here(self._rule.root), write=True) as store:
                cuts.keep(store, lasting, self._rule.wish.config.max_conversations)
        except (DctxError, OSError):
            pass

    def _names(self, request: ProxyRequest) -> list[str]:
        return [self._name(request, link) for link in request.links]

    def _name(self, request: ProxyRequest, link: bytes) -> str:
        """Of a beginning; another one where it would be cut otherwise."""
        setting = f"{request.format} {self._setting}"
        return sha256(setting.encode() + link).hexdigest()

    def _read(
        self,
        request: ProxyRequest,
        length: int,
        content: str,
    ) -> PrefixCut | None:
        body = request.body
        try:
            stored = json.loads(content)
            text = stored["text"]
            again = max(self._rule.limit, stored["again"])
            first = json.loads(f"[{text}]")
            messages = [*first, *body.elements[length:]]
            # Sizes are by the counter of today: a stored one could be of a former version of it.
            size = request.tokens({**body.document, body.key: messages})
        except _ODD:
            return None
        if not all(isinstance(element, dict) for element in first):
            return None
        return PrefixCut(
            length=length,
            text=text,
            tokens=size - request.tokens(body.begins(length)),
            saved=request.tokens(body.document) - size,
            again=again,
            reach=request.reach(length),
        )
