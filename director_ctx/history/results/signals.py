"""Words by which a line says that something went wrong, and lines that differ only in numbers."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from string import ascii_letters, digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS = (
    "error",
    "exception",
    "traceback",
    "fail",
    "fatal",
    "panic",
    "denied",
    "refused",
    "timed out",
    "timeout",
    "not found",
    "unable to",
    "cannot",
    "could not",
    "critical",
    "crash",
    "abort",
    "unexpected",
    "invalid",
    "undefined",
    "segmentation",
    "killed",
    "exit status",
    "exit code",
)
_NOTHING_WRONG = re.compile(
    r"\b(?:0|no|zero|without(?: any)?) (?:\w+ )?(?:errors?|fail\w*|exceptions?)|\bexit (?:status|code):? 0\b"
)
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{7,64}\b|\d+(?:[.,:]\d+)*")
NUMBER = "#"
_LONGEST = 400
"""Characters of a line that show what it is like."""


def masked(text: str) -> str:
    """The same for texts that differ only in numbers and hashes."""
    return _NUMBER.sub(NUMBER, text[:_LONGEST])


def wrong_words(texts: Sequence[str]) -> dict[str, set[int]]:
    """For each word by which something says that it went wrong, the places of the texts that have it."""
    joined = "\n".join(texts)
    searched = joined.lower()
    if len(searched) != len(joined):
        # A few letters are longer in lower case, and places must stay where they are.
        searched = joined

    ends: list[int] = []
    by_word: dict[str, set[int]] = {}
    for word in WORDS:
        at = searched.find(word)
        if at >= 0 and not ends:
            ends = list(accumulate(len(text) + 1 for text in texts))
        places: set[int] = set()
        while at >= 0:
            place = bisect_right(ends, at)
            if not _is_denied(searched, at):
                places.add(place)
            # Each text counts once.
            at = searched.find(word, ends[place])
        if places:
            by_word[word] = places
    return by_word


def failing(texts: Sequence[str]) -> set[int]:
    """The places of those that say that something went wrong."""
    return set().union(*wrong_words(texts).values())


def _is_denied(searched: str, at: int) -> bool:
    """Whether the words before say that there was none of it: `0 failed`, `no errors`."""
    match = _NOTHING_WRONG.search(searched, max(0, at - 30), at + 16)
    return match is not None


def signs(text: str) -> str:
    """Which characters a text has beside letters, and whether it has digits."""
    others = text[:_LONGEST].translate(_WITHOUT_LETTERS)
    return "".join(sorted(set(others)))


_WITHOUT_LETTERS = {ord(letter): None for letter in ascii_letters} | {
    ord(digit): NUMBER for digit in digits
}
