"""Texts that are known, so that it can be told where one of them ends inside another; pure.

A section of a context may end in anybody's words. Where they end is known by what was printed, or
by what was said.
"""

from __future__ import annotations

import re

from director_ctx.base.escape import escape_tags
from director_ctx.base.hashing import running_digest, text_digest
from director_ctx.base.text import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

_NO_LETTERS = re.compile(r"[\W_]+")
NOT_KNOWN = -1


def nothing() -> Iterable[str]:
    return ()


class KnownTexts:
    """What was printed, by its hashes, and what was said; both are asked for only when somebody
    wants to know.
    """

    def __init__(
        self,
        printed: Callable[[], Iterable[str]] = nothing,
        said: Callable[[], Iterable[str]] = nothing,
    ) -> None:
        self._ask_printed = printed
        self._ask_said = said
        self._printed: frozenset[str] | None = None
        self._said: set[str] | None = None
        self._new: list[str] = []

    def add(self, text: str) -> None:
        """Something that was said."""
        self._new.append(text)

    def end_of_printed(self, text: str, start: int) -> int:
        """Where the longest section ends that was printed as it stands here."""
        if self._printed is None:
            self._printed = frozenset(self._ask_printed())
        return _longest(text, start, self._printed, str)

    def end_of_said(self, text: str, start: int) -> int:
        """Where the longest text ends that was said as it stands here, however a context had to
        write it.
        """
        if self._said is None:
            self._said = set()
            self._new.extend(self._ask_said())

        for said in self._new:
            letters = _letters(_as_printed(said))
            if letters:
                self._said.add(text_digest(letters))
        self._new.clear()
        return _longest(text, start, self._said, _letters)


def _as_printed(text: str) -> str:
    printed, _ = escape_tags(visible(text))
    return printed


def _letters(text: str) -> str:
    """Without the marks that a context puts before lines."""
    return _NO_LETTERS.sub("", text).casefold()


def _longest(
    text: str,
    start: int,
    known: Collection[str],
    form: Callable[[str], str],
) -> int:
    """Where the longest text ends that begins here and whose form has one of these hashes."""
    if not known:
        return NOT_KNOWN
    longest = NOT_KNOWN
    # Line by line, so that the whole text is hashed once and not once for every end.
    running = running_digest()
    begin = start
    for end in _line_ends(text, start):
        line = form(text[begin:end])
        running.update(line.encode("utf-8", "replace"))
        begin = end
        if running.hexdigest() in known:
            longest = end
    return longest


def _line_ends(text: str, start: int) -> Iterator[int]:
    end = text.find("\n", start)
    while end >= 0:
        yield end
        end = text.find("\n", end + 1)
    yield len(text)
