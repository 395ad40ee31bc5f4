"""A request that a proxy may shorten, read: its messages, and how large it would be with a cut in
place.
"""

from __future__ import annotations

import json

from director_ctx.context.tokens.by_provider import as_provider
from director_ctx.history.formats import load
from director_ctx.history.messages.message import measure
from director_ctx.history.proxy.cuts import chain
from director_ctx.history.proxy.request_body import Body
from director_ctx.history.proxy.wires import RESPONSES, kept_there

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.compress.options import Wish
    from director_ctx.history.proxy.cuts import PrefixCut

    Bytes = bytes | bytearray


OPENING = 4
"""Messages by which a conversation is told from others, where it matters little if two are taken for
one.
"""


class ProxyRequest:
    """One request, read."""

    def __init__(
        self,
        number: int,
        format: str,
        key: str,
        body: Bytes,
        wish: Wish,
    ) -> None:
        self.number = number
        self.format = format
        text = str(body, "utf-8")
        self.body = Body(text, key)
        self._count = wish.count
        self._links: list[bytes] = []
        self._length = len(body)
        self._counted: tuple[PrefixCut | None, int] | None = None
        self.factor = 1.0
        """What its provider counts for each token of our counter, as far as anybody knows."""
        self.tools = 0
        """Tokens of what it says about tools, by our counter."""
        tools = self.body.document.get("tools")
        if tools:
            self.tools = self._count_written(tools)

    @property
    def links(self) -> list[bytes]:
        """A hash for each beginning of its messages."""
        # Only when they are asked for: a request that is short enough goes out without them.
        if not self._links:
            self._links = chain(self.body)
        return self._links

    @property
    def opening(self) -> list[bytes]:
        """The first of these."""
        return chain(self.body, OPENING)

    @property
    def model(self) -> str:
        """As it names it in its body; empty where it does not."""
        name = self.body.document.get("model")
        if isinstance(name, str):
            return name
        return ""

    def reach(self, length: int) -> int:
        """Where so many messages end in the request."""
        if not self.body.elements:
            return self._length
        return self.body.offset(length - 1)

    @property
    def kept_there(self) -> bool:
        """Whether the provider keeps the conversation, or a part of it."""
        if self.format != RESPONSES:
            return False
        return kept_there(self.body.document, self.body.elements)

    def size(self, cut: PrefixCut | None) -> int:
        """Tokens of what would go out, as its provider counts: instructions, messages and tools."""
        return as_provider(self.counted(cut), self.factor)

    def counted(self, cut: PrefixCut | None) -> int:
        """The same by our counter."""
        # Asked for several times, and a large request takes long to count.
        if self._counted is None or self._counted[0] is not cut:
            self._counted = (cut, self._count_with(cut))
        return self._counted[1]

    def _count_with(self, cut: PrefixCut | None) -> int:
        if cut is None or cut.text is None:
            conversation = self.tokens(self.body.document)
        else:
            rest = self.body.begins(cut.length)
            conversation = cut.tokens + self.tokens(rest)
        return self.tools + conversation

    def tokens(self, document: dict[str, Any]) -> int:
        """Of its messages; what is none of a format is counted as it is written."""
        conversation = load(self.format).decode(document)
        tokens = measure(conversation.messages, self._count)
        elements = document.get(self.body.key)
        if not isinstance(elements, list):
            return tokens
        strange = [element for element in elements if not isinstance(element, dict)]
        if strange:
            tokens += self._count_written(strange)
        return tokens

    def _count_written(self, value: Any) -> int:
        text = json.dumps(value, ensure_ascii=False)
        return self._count(text)
