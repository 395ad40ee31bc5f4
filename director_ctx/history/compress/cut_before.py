"""What is missing in a history that was shortened before, where its originals are known and its compression is not."""

from __future__ import annotations

import re

from director_ctx.history.compress.put_back import LOCATED, LOCATOR
from director_ctx.history.messages.stubs import is_cut
from director_ctx.memory.archive.originals import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.history.messages.message import Count, Message
    from director_ctx.memory.store.store import Store

MOST = 2_000
"""Locators that are looked up."""
_SIZES = re.compile(r"(?:([\d,]+) of )?([\d,]+) characters(?: cut)?: [^ ]+\Z")


def originals_in(store: Store, data: bytes) -> dict[str, str]:
    """Those originals of a shortened history that are there, by their locators. What it only mentions may be odd."""
    return readable(store, sorted({one.decode() for one in LOCATED.findall(data)})[:MOST])


def cut_before(messages: Sequence[Message], known: Mapping[str, str], count: Count) -> int:
    """Tokens that are missing. Anybody can write a stub, so it counts once, and only where it fits its original."""
    missing, seen = 0, set()
    for block in (block for one in messages for block in one.blocks) if known else ():
        if not is_cut(block.text):
            continue
        locator = LOCATOR.findall(block.text)[-1]
        text = known.get(locator)
        if text is not None and locator not in seen and _fits(block.text, text):
            seen.add(locator)
            missing += max(0, count(text) - block.tokens)
    return missing


def _fits(shortened: str, original: str) -> bool:
    """Whether this is what is left of it: a stub alone, or no more text before it than the stub says was left."""
    left, _, end = shortened.rpartition("\n")
    sizes = _SIZES.search(end)
    if sizes is None or _number(sizes[2]) != len(original):
        return False
    return len(left) - left.count("\n") <= (_number(sizes[2]) - _number(sizes[1]) if sizes[1] else 0)


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
