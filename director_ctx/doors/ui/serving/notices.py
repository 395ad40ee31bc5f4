"""What a change did, said once on the page that comes after it."""

from __future__ import annotations

from secrets import token_hex
from urllib.parse import urlsplit

MOST = 100


class Notices:
    """By a word in the address, so that no address can make the page say something."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    def address_with(self, address: str, text: str) -> str:
        word = token_hex(8)
        self._said[word] = text
        while len(self._said) > MOST:
            oldest = next(iter(self._said))
            self._said.pop(oldest, None)
        between = "?"
        if urlsplit(address).query:
            between = "&"
        return f"{address}{between}said={word}"

    def take(self, word: str) -> str:
        return self._said.pop(word, "")
