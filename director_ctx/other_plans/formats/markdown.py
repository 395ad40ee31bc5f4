"""What plans in Markdown are made of: sections, lists and boxes; and values of YAML and JSON as text."""

from __future__ import annotations

import re
import textwrap
from itertools import pairwise

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.other_plans.wording import item
from director_ctx.project.reading.markdown import headings, outside_code, without_comments
from director_ctx.upkeep.records.source import Edit, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BOX = re.compile(
    r"(?P<indent>\s*)(?:[-*+]|\d{1,9}[.)])\s*\[(?:\s{0,9}(?P<mark>[^\]\s]?)\s{0,9}\](?![(\[])|\s+\])"
    r"\*?\s*(?P<text>.*)"
)
"""A box as OpenSpec's own program reads one; a star behind it is none of its words."""
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<text>.*)")
_OPENING = "<!\0--"


class MarkdownPart(Record):
    """A heading and what stands below it, up to the next heading."""

    level: int
    title: str
    line: int
    body: str
    last: int = 0
    """The line before the next heading."""


class TickBox(Record):
    """A line with a box, and the lines below it that belong to it."""

    line: int
    indent: int
    mark: str
    text: str
    below: tuple[str, ...] = ()

    @property
    def ticked(self) -> bool:
        return self.mark in ("x", "X")

    @property
    def begun(self) -> bool:
        return self.mark in ("~", "-", "/")


# --- Sections ---


def parts(text: str) -> list[MarkdownPart]:
    """The sections one after the other; first what stands before every heading, where something does."""
    marks = headings(text)
    starts = [mark.start for mark in marks] + [len(text)]
    lines = [mark.line for mark in marks] + [text.count("\n") + 2]
    found: list[MarkdownPart] = []
    first = text[: starts[0]]
    if first.strip():
        found.append(MarkdownPart(0, "", 0, first.strip("\n"), lines[0] - 1))
    for mark, end, next_line in zip(marks, starts[1:], lines[1:], strict=True):
        body = text[mark.body : end].strip("\n")
        found.append(MarkdownPart(mark.level, mark.title, mark.line, body, next_line - 1))
    return found


def section_of(text: str, *titles: str) -> str:
    """What stands below the first heading that begins with one of these words, with its subsections."""
    marks = headings(text)
    for index, mark in enumerate(marks):
        if is_titled(mark.title, *titles):
            ends = [later.start for later in marks[index + 1 :] if later.level <= mark.level]
            body = without_comments(text[mark.body : [*ends, len(text)][0]]).strip()
            if body:
                return body
    return ""


def is_titled(title: str, *wanted: str) -> bool:
    """`2. Non-Goals (Explicit)` is titled `non-goals`."""
    bare = re.sub(r"^[\d.]+\s+", "", title.strip("*_ ")).casefold()
    return any(re.match(rf"{re.escape(name.casefold())}(?!\w)", bare) for name in wanted)


# --- Boxes ---


def boxes(text: str, in_code: bool = False) -> list[TickBox]:
    """Every line with a box; with `in_code` also those inside fences, as some tools count them, where the fence is not
    that of a task.
    """
    lines = text.split("\n")
    heads = {heading.line for heading in headings(text)}
    in_comment = _in_comments(text)
    outside = {number for number, _, _ in outside_code(text)}
    every = [number for number in _lines_with_box(lines) if number not in in_comment]
    found = _boxes_at([number for number in every if number in outside], lines, heads)
    if not in_code:
        return found
    of_tasks = {box.line + count for box in found for count in range(1, len(box.below) + 1)}
    shown = [number for number in every if number in outside or number not in of_tasks]
    return _boxes_at(shown, lines, heads)


def hidden_boxes(text: str) -> Iterator[tuple[int, str]]:
    """What looks like a box, and stands in a comment or in the code of a task: its line and its words."""
    shown = {box.line for box in boxes(text, in_code=True)}
    for number, match in _lines_with_box(text.split("\n")).items():
        if number not in shown:
            yield number, match["text"].strip()


def _lines_with_box(lines: Sequence[str]) -> dict[int, re.Match[str]]:
    found = ((number, BOX.match(line)) for number, line in enumerate(lines, 1))
    return {number: match for number, match in found if match}


def _boxes_at(numbers: Sequence[int], lines: Sequence[str], heads: set[int]) -> list[TickBox]:
    """Each box with the indented lines below it, and blank ones between them."""
    found: list[TickBox] = []
    for number, end in pairwise([*numbers, len(lines) + 1]):
        below: list[str] = []
        for later in range(number + 1, end):
            line = lines[later - 1]
            if later in heads or (line.strip() and not line.startswith((" ", "\t"))):
                break
            below.append(line)
        while below and not below[-1].strip():
            below.pop()
        match = BOX.match(lines[number - 1])
        assert match
        indent = len(match["indent"].expandtabs(4))
        text = match["text"].strip()
        found.append(TickBox(number, indent, match["mark"] or "", text, tuple(below)))
    return found


def _in_comments(text: str) -> set[int]:
    """The lines of comments that go over several; one that is never closed is none."""
    inside: set[int] = set()
    if "<!--" not in text:
        return inside
    waiting: list[int] = []
    is_open = False
    for number, _, line in outside_code(text.replace("<!--", _OPENING)):
        if is_open:
            waiting.append(number)
        if "-->" in line:
            inside.update(waiting)
            waiting = []
        is_open = line.rfind(_OPENING) > line.rfind("-->") or (is_open and "-->" not in line)
    return inside


def boxes_of_parts(
    text: str, in_code: bool = False
) -> Iterator[tuple[MarkdownPart, list[TickBox]]]:
    """Each section with the boxes that stand right below its heading."""
    waiting = boxes(text, in_code)[::-1]
    for part in parts(text):
        own: list[TickBox] = []
        while waiting and waiting[-1].line <= part.last:
            own.append(waiting.pop())
        yield part, own


def nested(found: Sequence[TickBox]) -> list[tuple[TickBox, list[TickBox]]]:
    """The outer boxes, each with those inside it."""
    outer: list[tuple[TickBox, list[TickBox]]] = []
    for box in found:
        if outer and box.indent > outer[-1][0].indent:
            outer[-1][1].append(box)
        else:
            outer.append((box, []))
    return outer


def ticked(text: Source, lines: Sequence[int], mark: str) -> list[Edit]:
    """The boxes in these lines of a source, ticked."""
    edits: list[Edit] = []
    for number in lines:
        line = text.line(number)
        box = BOX.match(line)
        if box is None:
            raise DctxError(f"Line {number} has no box.", "Tick it by hand.")
        head, tail = line[: line.index("[") + 1], line[line.index("]") :]
        edits.append(Edit(number, line, f"{head}{mark}{tail}"))
    return edits


def dedented(lines: Sequence[str]) -> str:
    """Lines below an item without what all of them are indented by."""
    return textwrap.dedent("\n".join(lines)).strip("\n")


# --- Lists and prose ---


def items(text: str) -> list[tuple[int, str]]:
    """The items of lists, outermost ones only, each with its line; what goes on with it follows in lines of its own."""
    found: list[tuple[int, list[str]]] = []
    outermost = 0
    for number, _, raw in outside_code(text):
        line = raw.rstrip("\n")
        match = _ITEM.fullmatch(line)
        indent = len(line) - len(line.lstrip())
        if match and (not found or indent <= outermost):
            found.append((number, [match["text"]]))
            outermost = indent
        elif found and indent > outermost and line.strip():
            found[-1][1].append(line.strip())
    return [(number, "\n".join(words)) for number, words in found]


def lines_of_lists(text: str) -> Iterator[tuple[int, int, str]]:
    """Every item of a list, inner ones, too: its line, its indent and its words."""
    for number, _, raw in outside_code(text):
        match = _ITEM.fullmatch(raw.rstrip("\n"))
        if match:
            yield number, len(match["indent"].expandtabs(4)), match["text"]


def listed(text: str) -> list[str]:
    """The items of a list, each on one line."""
    return list(filter(None, (item(words) for _, words in items(text))))


def points(text: str) -> list[str]:
    """What it says point by point: the items of its lists, and what stands between them. What announces a list
    stands before its first item; a text without a list is one point.
    """
    if not text:
        return []
    if not listed(text):
        return [item(text, most=2000)]
    outermost = {line for line, _ in items(text)}
    heads = {heading.line for heading in headings(text)}
    pieces: list[list[str]] = [[]]
    was_blank = False
    for number, line in enumerate(text.split("\n"), 1):
        is_paragraph = was_blank and not line.startswith((" ", "\t"))
        if line.strip() and (number in outermost or number in heads or is_paragraph):
            pieces.append([])
        pieces[-1].append(line)
        was_blank = not line.strip() or number in heads

    found: list[str] = []
    announced = ""
    for lines in pieces:
        piece = "\n".join(lines)
        mark = _ITEM.match(piece)
        words = piece[mark.start("text") :] if mark else piece
        says = item(f"{announced} {words}".strip(), most=2000)
        announced = ""
        if says.endswith(":") or piece.startswith("#"):
            announced = says
        elif says:
            found.append(says)
    return [*found, announced] if announced else found


def paragraphs(text: str) -> list[str]:
    """Prose, piece by piece."""
    pieces = re.split(r"\n\s*\n", without_comments(text))
    return [piece.strip() for piece in pieces if piece.strip()]


def joined(*pieces: str) -> str:
    """The pieces that say something, as paragraphs of one text."""
    return "\n\n".join(filter(None, pieces))


def with_questions(text: str, questions: Sequence[str]) -> str:
    """The text with what is still open behind it, so that `dctx status` counts it."""
    if not questions:
        return text
    lines = [f"- [UNCLEAR] {question}" for question in questions]
    return joined(text, "\n".join(["Open questions:", "", *lines]))


# --- Values ---


def string(value: object) -> str:
    """A value of YAML or JSON as text; nothing for a list, a mapping or nothing."""
    if value is None or isinstance(value, list | dict | bool):
        return ""
    return str(value).strip()


def strings(value: object) -> list[str]:
    """A list of values, or one, as texts."""
    values = value if isinstance(value, list | tuple) else [value]
    return list(filter(None, map(string, values)))


def is_begun(status: str) -> bool:
    """Whether a status of a tracker says that somebody is at it."""
    words = re.sub(r"[\s_-]+", " ", status.casefold()).strip()
    return words in ("in progress", "review", "in review", "doing", "started")


def blocked_note(tool: str) -> str:
    """What a task says that its tool has as blocked, without a word on what blocks it."""
    return f"{tool} has this as blocked. Ask what it waits for before you begin."
