"""A long text by its head, its tail, and the lines between that signal something."""

from __future__ import annotations

_SIGNALS = tuple(
    "error|exception|traceback|fail|warn|assert|panic|fatal|denied|refused|not found|undefined|unexpected| passed"
    "|summary|http://|https://|\n@@ |\n+++ |\nclass |\ndef |\nfunc ".split("|")
)
"""Words, in lower case; those behind a line end only at the start of a line."""
_LONGEST = 200
"""Characters of a line that is kept from the middle."""
_MOST_HITS = 12
"""Places of a signal that are looked at, the last ones."""
_SHORTEST_SIDE = 40


def shortened(text: str, most: int) -> str:
    """At most about `most` characters: two fifths of them from the start, two fifths from the end."""
    side = max(_SHORTEST_SIDE, most * 2 // 5)
    if len(text) <= 2 * side:
        return text

    head = _to_line_end(text[:side])
    tail = _from_line_start(text[-side:])
    start_of_tail = len(text) - len(tail)
    middle = text[len(head) : start_of_tail]
    room = max(0, most - 2 * side)

    lines = [head.rstrip("\n"), "…"]
    signals = _signal_lines(middle, room)
    if signals:
        lines += signals
        lines.append("…")
    lines.append(tail)
    return "\n".join(lines)


def clipped(text: str, most: int) -> str:
    """Never more than `most` characters: of lines as `shortened` has them, of one line both ends."""
    if len(text) <= most:
        return text
    if "\n" in text:
        short = shortened(text, most)
        if len(short) <= most:
            return short
    head = most * 2 // 3
    tail = most - head - 3
    if tail <= 0:
        return text[:most]
    return f"{text[:head]} … {text[-tail:]}"


def as_content(text: str) -> str:
    """A text in which no line can be taken for one of ours, which tell of what is not there."""
    if "…" not in text:
        return text
    lines = text.split("\n")
    return "\n".join(f"\\{line}" if line.startswith(("…", "[… ")) else line for line in lines)


def _to_line_end(head: str) -> str:
    """Up to the last whole line, where that is not far back."""
    end = head.rfind("\n")
    if end <= len(head) // 2:
        return head
    return head[: end + 1]


def _from_line_start(tail: str) -> str:
    """From the first whole line, where that is not far on."""
    line_end = tail.find("\n")
    if line_end < 0 or line_end >= len(tail) // 2:
        return tail
    return tail[line_end + 1 :]


def _signal_lines(middle: str, room: int) -> list[str]:
    """Lines that say something, each once, as far as there is room; the last ones first, as they
    say how it ended.
    """
    searched = "\n" + middle.lower()
    if len(searched) != len(middle) + 1:
        # A few letters are longer in lower case, and places must stay where they are.
        searched = "\n" + middle
    starts: set[int] = set()
    for word in _SIGNALS:
        starts.update(_lines_with(searched, word))

    start_of: dict[str, int] = {}
    for start in sorted(starts, reverse=True):
        line = _line_at(middle, start)
        if not line or line in start_of:
            continue
        # With its line end.
        size = len(line) + 1
        if size > room:
            break
        room -= size
        start_of[line] = start
    return sorted(start_of, key=lambda line: start_of[line])


def _line_at(text: str, start: int) -> str:
    end = text.find("\n", start)
    if end < 0:
        end = len(text)
    return text[start:end].strip()[:_LONGEST]


def _lines_with(searched: str, word: str) -> list[int]:
    """Where the last lines with a word begin. What is searched has one line end before the text, so
    a place of a line end there is the start of the next line in the text.
    """
    starts: list[int] = []
    has_line_end = word.startswith("\n")
    at = searched.rfind(word)
    while at >= 0 and len(starts) < _MOST_HITS:
        start = at
        end = max(start, 0)
        if not has_line_end:
            start = searched.rfind("\n", 0, at)
            end = max(start, 0) + 1
        starts.append(start)
        # Each line counts once: the search goes on above it.
        at = searched.rfind(word, 0, end)
    return starts
