"""Cuts of a proxy that outlast it: a proxy that was started anew sends the same bytes again."""

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
        cut_to = f"proxy {wish.strategy} {rule.limit} {rule.target} {wish.counter} {wish.keep}"
        self._setting = f"{cut_to} {cut_by(wish.config)}"
        """What a conversation is cut by: with other settings it is cut anew."""

    def find(self, request: ProxyRequest) -> PrefixCut | None:
        """What is known of the longest beginning. What is asked last is never part of what was cut."""
        names = self._names(request)[:-1]
        if self._rule.dry_run or not names:
            return None
        try:
            with open_store(project_here(self._rule.root)) as store:
                known = cuts.find(store, names)
        except (DctxError, OSError):
            return None
        if known is None:
            return None
        name, content = known
        return self._cut(request, names.index(name) + 1, content)

    def use(self, request: ProxyRequest, cut: PrefixCut) -> None:
        """That it goes out now. It is written down with the next one that is kept."""
        self._used.add(self._name(request, request.links[cut.length - 1]))

    def keep(self, request: ProxyRequest, cut: PrefixCut, before: PrefixCut | None) -> None:
        """Durable on return; nothing depends on it."""
        names = self._names(request)
        instead = ""
        if before and before.text is not None:
            instead = names[before.length - 1]
        content = json.dumps({"again": cut.again, "text": cut.text})
        used = frozenset(self._used)
        self._used = set()
        lasting = cuts.Lasting(names[cut.length - 1], content, instead, used)
        try:
            with open_store(project_here(self._rule.root), write=True) as store:
                cuts.keep(store, lasting, self._rule.wish.config.max_conversations)
        except (DctxError, OSError):
            pass

    def _names(self, request: ProxyRequest) -> list[str]:
        return [self._name(request, link) for link in request.links]

    def _name(self, request: ProxyRequest, link: bytes) -> str:
        """Of a beginning; another one where it would be cut otherwise."""
        way = f"{request.format} {self._setting}"
        return sha256(way.encode() + link).hexdigest()

    def _cut(self, request: ProxyRequest, length: int, content: str) -> PrefixCut | None:
        """With sizes by the counter of today."""
        body = request.body
        try:
            kept = json.loads(content)
            again = max(self._rule.limit, kept["again"])
            text = kept["text"]
            first = json.loads(f"[{text}]")
            goes_out = {**body.document, body.key: [*first, *body.elements[length:]]}
            size = request.tokens(goes_out)
        except _ODD:
            return None
        if not all(isinstance(element, dict) for element in first):
            return None
        tokens = size - request.tokens(body.begins(length))
        saved = request.tokens(body.document) - size
        return PrefixCut(length, text, tokens, saved, again, request.reach(length))
