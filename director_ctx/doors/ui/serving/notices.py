"""What a change did, said once on the page that comes after it."""

from __future__ import annotations

from secrets import token_hex
from urllib.parse import urlsplit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.ui.visit import Done

MOST = 100


class Notices:
    """By a word in the address, so that no address can make the page say something."""

    def __init__(self) -> None:
        self._said: dict[str, Done] = {}

    def address_with(self, done: Done) -> str:
        """Where it is shown what was done; what shows by itself needs no words."""
        if not done.says:
            return done.then
        word = token_hex(8)
        self._said[word] = done
        while len(self._said) > MOST:
            oldest = next(iter(self._said))
            self._said.pop(oldest, None)
        between = "?"
        if urlsplit(done.then).query:
            between = "&"
        return f"{done.then}{between}said={word}"

    def take(self, word: str) -> Done | None:
        return self._said.pop(word, None)
