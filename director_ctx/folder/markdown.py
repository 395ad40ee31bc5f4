"""Just enough Markdown: headings outside code fences, and the sections between them.

Headings are recognised at the start of a line only, so that indented code and the content of lists
never count. markdown-it-py checks this scanner in the tests; importing it here would cost 32 ms.
"""

from __future__ import annotations

from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTAINERS = " \t>"


class Heading(Record):
    level: int
    title: str
    start: int
    """Offset of the heading's line."""
    body: int
    """Offset of the line after it."""
    line: int
    """Line number, from 1."""


def headings(text: str) -> list[Heading]:
    """Every ATX heading outside fences and HTML comments, in order."""
    if "#" not in text:
        return []
    return list(_scan(text))


def _scan(text: str) -> Iterator[Heading]:
    fence, comment, offset = "", False, 0
    for number, line in enumerate(_lines(text), 1):
        start, offset = offset, offset + len(line)
        if comment:
            comment = "-->" not in line
        elif fence:
            fence = "" if _closes(line, fence) else fence
        elif "```" in line or "~~~" in line:
            fence = _opens(line)
        elif line.startswith("<!--"):
            comment = "-->" not in line[4:]
        if line.startswith("#") and not (fence or comment) and (heading := _heading(line)):
            yield Heading(heading[0], heading[1], start, offset, number)


def _lines(text: str) -> list[str]:
    """Lines with their ends; unlike `splitlines`, only a newline ends a line."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines


def _opens(line: str) -> str:
    """The fence that this line opens, also inside a list item or a quote."""
    rest = _inside(line)
    mark = rest[:1]
    if not rest.startswith(("```", "~~~")):
        return ""
    length = len(rest) - len(rest.lstrip(mark))
    return "" if mark == "`" and "`" in rest[length:] else mark * length


def _inside(line: str) -> str:
    rest = line.lstrip(_CONTAINERS)
    marker, _, after = rest.partition(" ")
    is_item = marker in ("-", "*", "+") or (marker[:-1].isdigit() and marker[-1:] in (".", ")"))
    return after.lstrip() if is_item else rest


def _closes(line: str, fence: str) -> bool:
    rest = line.lstrip(_CONTAINERS).rstrip()
    return len(rest) >= len(fence) and not rest.strip(fence[0])


def _heading(line: str) -> tuple[int, str] | None:
    rest = line.lstrip("#")
    level = len(line) - len(rest)
    if level > 6 or (rest.strip() and rest[0] not in " \t"):
        return None
    title = rest.strip()
    bare = title.rstrip("#")
    return level, bare.rstrip() if not bare or bare[-1] in " \t" else title


def section(text: str, title: str) -> str | None:
    """The body of the first H2 whose title begins with `title`, up to the next H1 or H2."""
    found = find_section(text, title)
    return None if found is None else text[found[1] : found[2]].strip("\n")


def find_section(text: str, title: str) -> tuple[int, int, int] | None:
    """Offsets of that section: its heading, its body, its end."""
    wanted = title.casefold()
    found: Heading | None = None
    for mark in _scan(text):
        if found and mark.level <= 2:
            return found.start, found.body, mark.start
        if not found and mark.level == 2 and _names(mark.title, wanted):
            found = mark
    return (found.start, found.body, len(text)) if found else None


def _names(title: str, wanted: str) -> bool:
    """`Decisions`, `Decisions (locked)` and `Decisions:` name `decisions`; `Decisionsmaker` does not."""
    plain = title.strip("*_ ").casefold()
    return plain.startswith(wanted) and not plain[len(wanted) : len(wanted) + 1].isalnum()


def first_heading(text: str) -> str:
    """The title of the first H1, or an empty string."""
    return next((mark.title for mark in _scan(text) if mark.level == 1), "")


def without_comments(text: str) -> str:
    """The text with HTML comments removed; an unclosed one stays."""
    if "<!--" not in text:
        return text
    kept, rest = "", text
    while "<!--" in rest:
        before, _, after = rest.partition("<!--")
        _, closed, tail = after.partition("-->")
        if not closed:
            return kept + rest
        kept, rest = kept + before, tail
    return kept + rest
