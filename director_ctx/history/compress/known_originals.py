"""Originals of which only themselves are known, and not the history that they were cut from: they
are looked up, so that what is missing is counted.
"""

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
_SIZES = re.compile(r"(?:([\d,]+) of )?([\d,]+) characters(?: cut)?: (?:[a-z_ ]+ )?[^ ]+\Z")


def originals_in(store: Store, data: bytes) -> dict[str, str]:
    """Those originals of a shortened history that are there, by their locators. What it only
    mentions may be odd.
    """
    located = set(LOCATED.findall(data))
    locators = [locator.decode() for locator in located]
    locators.sort()
    return readable(store, locators[:MOST])


def cut_before(
    messages: Sequence[Message],
    known: Mapping[str, str],
    count: Count,
) -> int:
    """Tokens that are missing. Anybody can write a stub, so it counts once, and only where it fits
    its original.
    """
    if not known:
        return 0
    missing = 0
    counted: set[str] = set()
    for message in messages:
        for block in message.blocks:
            if not is_cut(block.text):
                continue
            locator = LOCATOR.findall(block.text)[-1]
            if locator not in known or locator in counted:
                continue
            original = known[locator]
            if _fits(block.text, original):
                counted.add(locator)
                tokens = count(original)
                missing += max(0, tokens - block.tokens)
    return missing


def _fits(shortened: str, original: str) -> bool:
    """Whether this is what is left of it: a stub alone, or no more text before it than the stub
    says was left.
    """
    before_stub, _, stub = shortened.rpartition("\n")
    sizes = _SIZES.search(stub)
    if sizes is None:
        return False
    cut, whole = sizes.groups()
    if _number(whole) != len(original):
        return False
    most = 0
    if cut:
        most = _number(whole) - _number(cut)
    left = len(before_stub) - before_stub.count("\n")
    return left <= most


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
