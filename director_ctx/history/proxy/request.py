"""A request that a proxy may shorten, read: its messages, and how large it would be with a cut in
place.
"""

from __future__ import annotations

import json

from director_ctx.history.formats import load
from director_ctx.history.messages.message import measure
from director_ctx.history.proxy.cut_rule import RESPONSES, kept_there
from director_ctx.history.proxy.cuts import chain
from director_ctx.history.proxy.request_body import Body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.compress.options import Wish
    from director_ctx.history.proxy.cuts import PrefixCut

    Bytes = bytes | bytearray


class ProxyRequest:
    """One request, read."""

    def __init__(self, number: int, format: str, key: str, body: Bytes, wish: Wish) -> None:
        self.number = number
        self.format = format
        self.body = Body(str(body, "utf-8"), key)
        self._count = wish.count
        self._links: list[bytes] = []
        self._length = len(body)
        self.tools = 0
        """Tokens of what it says about tools."""
        tools = self.body.document.get("tools")
        if tools:
            self.tools = self._count(json.dumps(tools, ensure_ascii=False))

    @property
    def links(self) -> list[bytes]:
        self._links = self._links or chain(self.body)
        return self._links

    def reach(self, length: int) -> int:
        """Where so many messages end in the request."""
        return self.body.offset(length - 1) if self.body.elements else self._length

    @property
    def kept_there(self) -> bool:
        return self.format == RESPONSES and kept_there(self.body.document, self.body.elements)

    def size(self, cut: PrefixCut | None) -> int:
        """Tokens of what would go out: instructions, messages and tools."""
        if cut is None or cut.text is None:
            return self.tools + self.tokens(self.body.document)
        return self.tools + cut.tokens + self.tokens(self.body.begins(cut.length))

    def tokens(self, document: dict[str, Any]) -> int:
        """Of its messages; what is none of a format is counted as it is written."""
        tokens = measure(load(self.format).decode(document).messages, self._count)
        elements = document.get(self.body.key)
        if isinstance(elements, list):
            strange = [element for element in elements if not isinstance(element, dict)]
            if strange:
                tokens += self._count(json.dumps(strange, ensure_ascii=False))
        return tokens
