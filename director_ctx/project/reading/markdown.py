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
    # Most documents have neither, and then every line that looks like a heading is one.
    if "```" in text or "~~~" in text or "<!--" in text:
        return _scan_lines(text)
    return _scan_plain(text)


def _scan_lines(text: str) -> Iterator[Heading]:
    for number, start, line in outside_code(text):
        if not line.startswith("#"):
            continue
        parsed = _heading(line)
        if parsed:
            level, title = parsed
            yield Heading(level, title, start, start + len(line), number)


def _scan_plain(text: str) -> Iterator[Heading]:
    """The same where no line is inside a fence or a comment, without a look at each of them."""
    number = 1
    counted = 0
    start = 0
    while start < len(text):
        if text[start] != "#":
            start = text.find("\n#", start) + 1
            if not start:
                return
        end = text.find("\n", start) + 1
        if not end:
            end = len(text)
        number += text.count("\n", counted, start)
        counted = start
        parsed = _heading(text[start:end])
        if parsed:
            level, title = parsed
            yield Heading(level, title, start, end, number)
        start = end


def outside_code(text: str) -> Iterator[tuple[int, int, str]]:
    """The lines outside fences and HTML comments, with their numbers and offsets."""
    fence: _Fence | None = None
    in_comment = False
    in_list = False
    offset = 0
    for number, line in enumerate(_lines(text), 1):
        start = offset
        offset += len(line)
        if in_comment:
            in_comment = "-->" not in line
            continue
        if fence and not fence.ended_by(line):
            if fence.closed_by(line):
                fence = None
            continue
        fence = None
        # Few lines have one of these, and every line of every document comes by here.
        if "```" in line or "~~~" in line:
            fence = _opens(line, in_list)
        # Lines that are blank or indented go on with what they stand in.
        if line[:1] not in ("", " ", "\t", "\n"):
            in_list = _is_item(line)
        if line.startswith("<!--"):
            in_comment = "-->" not in line[4:]
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
        if self.container != "list" or not line.strip():
            return False
        return line[0] not in " \t"

    def closed_by(self, line: str) -> bool:
        rest, container = _inside(line)
        if not self.container and container:
            return False
        rest = rest.rstrip()
        if len(rest) < len(self.mark):
            return False
        return not rest.strip(self.mark[0])


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
    if mark == "`" and "`" in rest[length:]:
        # A code span.
        return None
    return _Fence(mark * length, container)


def _inside(line: str) -> tuple[str, str]:
    """What is left of a line without quote marks, list markers and indentation, and what it stands
    in.
    """
    rest = line.lstrip(" \t")
    indent = len(line) - len(rest)
    container = ""
    if indent > 3 or line[:1] == "\t":
        container = "list"
    while True:
        if rest.startswith(">"):
            rest = rest[1:]
            # Of a quote in a list, the list says where it ends.
            if container != "list":
                container = "quote"
        elif _is_item(rest):
            rest = rest.partition(" ")[2]
            container = container or "list"
        else:
            return rest, container
        rest = rest.lstrip(" \t")


def _is_item(line: str) -> bool:
    """Whether a line begins with a list marker."""
    marker, blank, _ = line.partition(" ")
    if not blank:
        return False
    if marker in ("-", "*", "+"):
        return True
    number = marker[:-1]
    return number.isdigit() and marker.endswith((".", ")"))


def _heading(line: str) -> tuple[int, str] | None:
    rest = line.lstrip("#")
    level = len(line) - len(rest)
    title = rest.strip()
    if level > 6:
        return None
    if title and rest[0] not in " \t":
        return None
    # Signs at the end close a heading; without a blank before them they belong to it: `C#`.
    bare = title.rstrip("#")
    if not bare or bare[-1] in " \t":
        title = bare.rstrip()
    return level, title


def section(text: str, title: str) -> str | None:
    """The body of the first H2 whose title begins with `title`, up to the next H1 or H2."""
    position = find_section(text, title)
    if position is None:
        return None
    _, body, end = position
    return text[body:end].strip("\n")


def find_section(text: str, title: str) -> tuple[int, int, int] | None:
    """Offsets of that section: its heading, its body, its end."""
    wanted = title.casefold()
    named: Heading | None = None
    for heading in _scan(text):
        if named and heading.level <= 2:
            return named.start, named.body, heading.start
        if not named and heading.level == 2 and _names(heading.title, wanted):
            named = heading
    if named is None:
        return None
    return named.start, named.body, len(text)


def _names(title: str, wanted: str) -> bool:
    """`Decisions`, `Decisions (locked)` and `Decisions:` name `decisions`; `Decisionsmaker` does
    not.
    """
    plain = title.strip("*_ ").casefold()
    if not plain.startswith(wanted):
        return False
    following = plain[len(wanted) : len(wanted) + 1]
    return not following.isalnum()


def first_heading(text: str) -> str:
    """The title of the first H1, or an empty string."""
    for heading in _scan(text):
        if heading.level == 1:
            return heading.title
    return ""


def without_comments(text: str) -> str:
    """The text with HTML comments removed; an unclosed one stays."""
    pieces: list[str] = []
    place = 0
    while True:
        start = text.find("<!--", place)
        end = -1
        if start >= 0:
            end = text.find("-->", start + 4)
        if end < 0:
            break
        pieces.append(text[place:start])
        place = end + 3
    pieces.append(text[place:])
    return "".join(pieces)
