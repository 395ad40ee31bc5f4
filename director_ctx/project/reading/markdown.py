"""Just enough Markdown: headings outside code fences, and the sections between them.

Headings are recognised at the start of a line only, so that indented code and the content of lists
never count. markdown-it-py checks this scanner in the tests; importing it here would cost 32 ms.
"""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


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
    for number, start, line in outside_code(text):
        if line.startswith("#") and (heading := _heading(line)):
            yield Heading(heading[0], heading[1], start, start + len(line), number)


def outside_code(text: str) -> Iterator[tuple[int, int, str]]:
    """The lines outside fences and HTML comments, with their numbers and offsets."""
    fence: _Fence | None = None
    comment, listed, offset = False, False, 0
    for number, line in enumerate(_lines(text), 1):
        start, offset = offset, offset + len(line)
        if comment:
            comment = "-->" not in line
            continue
        if fence and not fence.ended_by(line):
            fence = None if fence.closed_by(line) else fence
            continue
        fence = _opens(line, listed) if "```" in line or "~~~" in line else None
        if line[:1] not in ("", " ", "\t", "\n"):
            listed = _is_item(line)
        if line.startswith("<!--"):
            comment = "-->" not in line[4:]
        elif fence is None:
            yield number, start, line


def _lines(text: str) -> list[str]:
    """Lines with their ends; unlike `splitlines`, only a newline ends a line."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines


class _Fence(Record):
    """An open code fence: its mark, and what it stands in (nothing, a list or a quote)."""

    mark: str
    container: str

    def ended_by(self, line: str) -> bool:
        """A fence inside a list or a quote ends with it."""
        if self.container == "quote":
            return not line.lstrip().startswith(">")
        return self.container == "list" and bool(line.strip()) and line[0] not in " \t"

    def closed_by(self, line: str) -> bool:
        rest, container = _inside(line)
        if not self.container and container:
            return False
        rest = rest.rstrip()
        return len(rest) >= len(self.mark) and not rest.strip(self.mark[0])


def _opens(line: str, listed: bool) -> _Fence | None:
    """The fence that this line opens, also inside a list item or a quote."""
    is_indented = line.startswith(("    ", "\t"))
    if is_indented and not listed:
        # Code by its indentation, or a paragraph that goes on.
        return None

    rest, container = _inside(line)
    if listed and not container and line[0] == " ":
        container = "list"
    if not rest.startswith(("```", "~~~")):
        return None
    mark = rest[0]
    length = len(rest) - len(rest.lstrip(mark))
    return None if mark == "`" and "`" in rest[length:] else _Fence(mark * length, container)


def _inside(line: str) -> tuple[str, str]:
    """What is left of a line without quote marks, list markers and indentation, and what it stands
    in.
    """
    rest = line.lstrip(" \t")
    container = "list" if len(line) - len(rest) > 3 or line[:1] == "\t" else ""
    while True:
        if rest.startswith(">"):
            rest, container = rest[1:].lstrip(" \t"), "quote" if container != "list" else container
            continue
        if not _is_item(rest):
            return rest, container
        rest, container = rest.partition(" ")[2].lstrip(" \t"), container or "list"


def _is_item(line: str) -> bool:
    """Whether a line begins with a list marker."""
    marker, blank, _ = line.partition(" ")
    return bool(blank) and (
        marker in ("-", "*", "+") or (marker[:-1].isdigit() and marker[-1:] in (".", ")"))
    )


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
    """`Decisions`, `Decisions (locked)` and `Decisions:` name `decisions`; `Decisionsmaker` does
    not.
    """
    plain = title.strip("*_ ").casefold()
    return plain.startswith(wanted) and not plain[len(wanted) : len(wanted) + 1].isalnum()


def first_heading(text: str) -> str:
    """The title of the first H1, or an empty string."""
    return next((mark.title for mark in _scan(text) if mark.level == 1), "")


def without_comments(text: str) -> str:
    """The text with HTML comments removed; an unclosed one stays."""
    kept, place = [], 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[place:start])
        place = end + 3
    return "".join([*kept, text[place:]]) if kept or place else text
