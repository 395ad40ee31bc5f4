"""A long text by its head, its tail, and the lines between that signal something."""

from __future__ import annotations

_SIGNALS = tuple(
    "error|exception|traceback|fail|warn|assert|panic|fatal|denied|refused|not found|undefined|unexpected| passed"
    "|summary|http://|https://|\n@@ |\n+++ |\nclass |\ndef |\nfunc ".split("|")
)
_LONGEST = 200
"""Characters of a line that is kept from the middle."""
_HITS = 12
"""Places of a signal that are looked at, the last ones."""


def shortened(text: str, most: int) -> str:
    """At most about `most` characters: two fifths of them from the start, two fifths from the end."""
    side = max(40, most * 2 // 5)
    if len(text) <= 2 * side:
        return text
    head = _to_line_end(text[:side])
    tail = _from_line_start(text[-side:])
    middle = text[len(head) : len(text) - len(tail)]

    lines = [head.rstrip("\n"), "…"]
    signals = _signals(middle, max(0, most - 2 * side))
    if signals:
        lines += [*signals, "…"]
    return "\n".join([*lines, tail])


def _to_line_end(head: str) -> str:
    """Up to the last whole line, where that is not far back."""
    end = head.rfind("\n")
    return head[: end + 1] if end > len(head) // 2 else head


def _from_line_start(tail: str) -> str:
    start = tail.find("\n")
    return tail[start + 1 :] if 0 <= start < len(tail) // 2 else tail


def _signals(middle: str, room: int) -> list[str]:
    """Lines that say something, each once, as far as there is room; the last ones first, as they
    say how it ended.
    """
    low = "\n" + middle.lower()
    if (
        len(low) != len(middle) + 1
    ):  # A few letters are longer in lower case, and places must stay where they are.
        low = "\n" + middle
    starts = {start for word in _SIGNALS for start in _lines_with(low, word)}
    chosen: dict[str, int] = {}
    for start in sorted(starts, reverse=True):
        end = middle.find("\n", start)
        line = middle[start : end if end >= 0 else len(middle)].strip()[:_LONGEST]
        if not line or line in chosen:
            continue
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        chosen[line] = start
    return sorted(chosen, key=lambda line: chosen[line])


def _lines_with(low: str, word: str) -> list[int]:
    """Where the last lines with a word begin. `low` has one line end before the text."""
    found: list[int] = []
    end = len(low)
    while len(found) < _HITS and (at := low.rfind(word, 0, end)) >= 0:
        start = at if word[0] == "\n" else low.rfind("\n", 0, at)
        found.append(start)
        end = max(start, 0) + (word[0] != "\n")
    return found
