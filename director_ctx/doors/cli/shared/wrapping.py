"""Text that fits the width of a terminal: broken between words, and paths shortened in the middle."""

from __future__ import annotations

MORE = "…"
NARROWEST_COLUMN = 20
"""Columns of a terminal in which a sentence can be read."""
MARGIN = 3
"""How far in a line begins that would begin too far to the right."""


def cells(text: str) -> int:
    """How many columns of a terminal a text takes; a letter of Chinese takes two."""
    if text.isascii():
        return len(text)
    # Known on a terminal alone, which has loaded it already.
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """The text in lines, all but the first behind the indent. A word that is longer than a line stays
    in one piece: it is a path or an address that somebody copies.
    """
    if cells(text) <= width:
        return [text]

    first, *words = _words(text, width - cells(indent))
    lines: list[str] = []
    line = first
    for word in words:
        longer = f"{line} {word}"
        if cells(longer) <= width or not line.strip():
            line = longer
        else:
            lines.append(line.rstrip())
            line = f"{indent}{word}"
    lines.append(line)
    return lines


def wrapped_columns(text: str, width: int) -> list[str]:
    """A line of columns, which two blanks or more set apart. What does not fit goes on below in the
    last column, or below the whole line where that column is too narrow for a sentence.
    """
    if cells(text) <= width:
        return [text]

    margin = depth(text)
    if width - margin < NARROWEST_COLUMN:
        margin = MARGIN
    line = " " * margin + text.lstrip(" ")
    below = " " * (margin + 2)
    before, last = _last_column(line)
    if not last:
        return wrapped(line, width, below)
    if width - cells(before) >= NARROWEST_COLUMN:
        return wrapped(line, width, " " * cells(before))

    first = before.rstrip(" ")
    if cells(first) > width:
        first = " " * margin + _with_small_gaps(first)
    return [*wrapped(first, width, below), *wrapped(f"{below}{last}", width, below)]


def _last_column(line: str) -> tuple[str, str]:
    """What stands before the last column, with the gap, and that column; without columns, nothing."""
    inner = line.lstrip(" ")
    gap = inner.rfind("  ")
    if gap < 0:
        return line, ""
    start = len(line) - len(inner) + gap + 2
    return line[:start], line[start:]


def _with_small_gaps(line: str) -> str:
    columns: list[str] = []
    for column in line.split("  "):
        if column.strip():
            columns.append(column.strip())
    return "  ".join(columns)


def _words(text: str, room: int) -> list[str]:
    """What is set between two blanks; a command in backquotes is one word, if a line has room for it."""
    words: list[str] = []
    for word in text.split(" "):
        is_open = bool(words) and words[-1].count("`") % 2 == 1
        if is_open and cells(f"{words[-1]} {word}") <= room:
            words[-1] = f"{words[-1]} {word}"
        else:
            words.append(word)
    return words


def depth(text: str) -> int:
    """How far in a text begins."""
    return len(text) - len(text.lstrip(" "))


def narrowest(text: str) -> int:
    """The width in which a text can be set without breaking a word."""
    longest = 0
    for word in text.split(" "):
        longest = max(longest, cells(word))
    return depth(text) + longest


def shortened_in_the_middle(path: str, width: int) -> str:
    """A path that keeps what it begins and what it ends with."""
    if cells(path) <= width:
        return path

    # Most of what tells two files apart stands at the end.
    tail_room = (width - 1) * 2 // 3
    head_room = width - 1 - tail_room
    return f"{_head(path, head_room)}{MORE}{_tail(path, tail_room)}"


def shortened_at_the_end(text: str, width: int) -> str:
    if cells(text) <= width:
        return text
    head = _head(text, width - 1)
    last_space = head.rfind(" ")
    # Half a word is left out, unless little would be left of the text.
    if last_space > width // 2:
        head = head[:last_space]
    return f"{head.rstrip()}{MORE}"


def _head(text: str, room: int) -> str:
    head = text[:room]
    while cells(head) > room:
        head = head[:-1]
    return head


def _tail(text: str, room: int) -> str:
    tail = text[len(text) - room :]
    while cells(tail) > room:
        tail = tail[1:]
    return tail


def filled(text: str, width: int, right: bool = False) -> str:
    """The text with blanks up to a width."""
    blanks = " " * (width - cells(text))
    if right:
        return f"{blanks}{text}"
    return f"{text}{blanks}"
