"""What goes out between two cuts: the same replacement for the same beginning, so that a provider's
cache holds.

A client sends its whole history each time. What was cut once is known by the hashes of its
messages, and is replaced by the same text again; what follows stays as the client wrote it. The
library's `agents/conversation_cuts.py` does so for objects of a program, which have no text that
could be spliced.
"""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import takewhile

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.proxy.request import Body

MARK = "cache_control"
MOST_CUTS = 64
LARGEST = 64 * 1_048_576
"""Characters that all replacements together may have."""


class PrefixCut(Record):
    """What stands for the first messages of a conversation."""

    length: int
    """How many they are."""
    text: str | None
    """What goes out instead; None where they stay as they are."""
    tokens: int
    """Of what goes out instead."""
    saved: int
    again: int
    """The size of a request above which the next cut is due."""
    reach: int = 0
    """Where they end in the request."""


class PrefixCuts:
    """The cuts of all conversations; those that were not seen for longest are forgotten first."""

    def __init__(self, most: int = MOST_CUTS, largest: int = LARGEST) -> None:
        # In the order in which they were seen last.
        self._cuts: dict[bytes, PrefixCut] = {}
        self._most = most
        self._largest = largest
        self.nearest = 1 << 62
        """No request that is shorter begins with something that was cut."""

    def find(self, links: Sequence[bytes]) -> PrefixCut | None:
        """The longest beginning that is known. What is asked last is never part of what was cut."""
        for link in reversed(links):
            cut = self._cuts.get(link)
            if cut is None:
                continue
            if link == links[-1] and cut.text is not None:
                continue
            self._cuts[link] = self._cuts.pop(link)
            return cut
        return None

    def keep(self, links: Sequence[bytes], cut: PrefixCut) -> None:
        """It takes the place of everything that only waited, also where that was longer."""
        for link in links:
            known = self._cuts.get(link)
            if known is not None and known.text is None:
                del self._cuts[link]
        last = links[cut.length - 1]
        self._cuts.pop(last, None)
        self._cuts[last] = cut
        # However large one is, it stays as long as it is the only one.
        while len(self._cuts) > 1:
            size = sum(len(cut.text or "") for cut in self._cuts.values())
            if len(self._cuts) <= self._most and size <= self._largest:
                break
            del self._cuts[next(iter(self._cuts))]
        self.nearest = min(known.reach for known in self._cuts.values())


def chain(body: Body, most: int | None = None) -> list[bytes]:
    """A hash for each message and everything before it; of a text in their place, its own. Only of
    the first few where so many are enough.

    Where a client marks its cache makes no difference.
    """
    running = sha256()
    links: list[bytes] = []
    for index, element in enumerate(body.elements[:most]):
        cached = element
        # Most have no mark, and making them anew without one takes time.
        if f'"{MARK}"' in body.raw(index):
            cached = unmarked(element)
        cached = as_cached(cached)
        text = json.dumps(cached, sort_keys=True, separators=(",", ":"))
        running.update(text.encode() + b"\n")
        links.append(running.digest())
    if links:
        return links
    whole = json.dumps(body.document.get(body.key))
    return [sha256(whole.encode()).digest()]


def as_cached(element: Any) -> Any:
    """A message as a cache sees it: a text is the same whether it is in a block or not."""
    if not isinstance(element, dict):
        return element
    content = element.get("content")
    if not isinstance(content, str):
        return element
    block = {"type": "text", "text": content}
    return {**element, "content": [block]}


def unmarked(element: Any) -> Any:
    """A message without marks for the cache."""
    # Clients set them anew each time, and providers allow four.
    if not isinstance(element, dict):
        return element
    content = element.get("content")
    without_mark = {key: value for key, value in element.items() if key != MARK}
    if isinstance(content, list):
        without_mark["content"] = [unmarked(block) for block in content]
    return without_mark


def untouched_end(before: Sequence[Any], after: Sequence[Any]) -> int:
    """How many elements at the end are the same."""
    pairs = zip(reversed(before), reversed(after), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
