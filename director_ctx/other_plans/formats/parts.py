"""What plans in Markdown are made of: sections, lists, boxes, front matter."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.wording import item
from director_ctx.project.reading.markdown import headings, outside_code, without_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.source import PlanSource

_BOX = re.compile(
    r"(?P<indent>\s*)(?:[-*+]|\d{1,9}[.)])\s*\[(?:\s{0,9}(?P<mark>[^\]\s]?)\s{0,9}\](?![(\[])|\s+\])"
    r"\*?\s*(?P<text>.*)"
)
"""A box as OpenSpec's own program reads one; a star behind it is none of its words."""
ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<text>.*)")
_MARKER = "---"
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


def parts(text: str) -> list[MarkdownPart]:
    """The sections one after the other; first what stands before every heading, where something does."""
    marks = headings(text)
    count = text.count("\n") + 1
    found: list[MarkdownPart] = []
    first = text
    if marks:
        first = text[: marks[0].start]
    if first.strip():
        found.append(MarkdownPart(0, "", 0, first.strip("\n"), first.count("\n") + (not marks)))
    for index, mark in enumerate(marks):
        end = len(text)
        last = count
        if index + 1 < len(marks):
            end = marks[index + 1].start
            last = marks[index + 1].line - 1
        body = text[mark.body : end].strip("\n")
        found.append(MarkdownPart(mark.level, mark.title, mark.line, body, last))
    return found


def section_of(text: str, *titles: str) -> str:
    """What stands below the first heading that begins with one of these words, with its subsections."""
    marks = headings(text)
    for index, mark in enumerate(marks):
        if not is_titled(mark.title, *titles):
            continue
        end = len(text)
        for later in marks[index + 1 :]:
            if later.level <= mark.level:
                end = later.start
                break
        body = without_comments(text[mark.body : end]).strip()
        if body:
            return body
    return ""


def is_titled(title: str, *wanted: str) -> bool:
    """`2. Non-Goals (Explicit)` is titled `non-goals`."""
    bare = re.sub(r"^[\d.]+\s+", "", title.strip("*_ ")).casefold()
    return any(re.match(rf"{re.escape(name.casefold())}(?!\w)", bare) for name in wanted)


def boxes(text: str, in_code: bool = False) -> list[TickBox]:
    """Every line with a box; with `in_code` also those inside fences, as some tools count them, where the fence is not
    that of a task.
    """
    lines = text.split("\n")
    heads = {heading.line for heading in headings(text)}
    in_comment = _in_comments(text)
    every = [start for start in _lines_with_box(lines) if start[0] not in in_comment]
    outside = {number for number, _, _ in outside_code(text)}
    starts = [start for start in every if start[0] in outside]
    if in_code:
        of_tasks = _lines_of_tasks(lines, [number for number, _ in starts], heads)
        starts = [start for start in every if start[0] in outside or start[0] not in of_tasks]

    found: list[TickBox] = []
    end = len(lines) + 1
    for number, match in reversed(starts):
        below = _below(lines, number, end, heads)
        found.append(_box(number, match, below))
        end = number

    found.reverse()
    return found


def hidden_boxes(text: str) -> Iterator[tuple[int, str]]:
    """What looks like a box, and stands in a comment or in the code of a task: its line and its words."""
    shown = {box.line for box in boxes(text, in_code=True)}
    for number, match in _lines_with_box(text.split("\n")):
        if number not in shown:
            yield number, match["text"].strip()


def _in_comments(text: str) -> set[int]:
    """The lines of comments that go over several; one that is never closed is none."""
    if "<!--" not in text:
        return set()
    inside: set[int] = set()
    waiting: list[int] = []
    is_open = False
    for number, _, line in outside_code(text.replace("<!--", _OPENING)):
        if is_open:
            waiting.append(number)
        if "-->" in line:
            inside.update(waiting)
            waiting = []
        begins = line.rfind(_OPENING)
        is_open = begins > line.rfind("-->") or (is_open and "-->" not in line)
    return inside


def _lines_of_tasks(lines: list[str], starts: list[int], heads: set[int]) -> set[int]:
    """What stands indented below a box."""
    below: set[int] = set()
    end = len(lines) + 1
    for number in reversed(starts):
        count = len(_below(lines, number, end, heads))
        below.update(range(number + 1, number + 1 + count))
        end = number
    return below


def _lines_with_box(lines: list[str]) -> list[tuple[int, re.Match[str]]]:
    starts: list[tuple[int, re.Match[str]]] = []
    for number, line in enumerate(lines, 1):
        match = _BOX.match(line)
        if match:
            starts.append((number, match))
    return starts


def _box(number: int, match: re.Match[str], below: tuple[str, ...]) -> TickBox:
    indent = match["indent"].expandtabs(4)
    return TickBox(
        line=number,
        indent=len(indent),
        mark=match["mark"] or "",
        text=match["text"].strip(),
        below=below,
    )


def boxes_of_parts(
    text: str, in_code: bool = False
) -> Iterator[tuple[MarkdownPart, tuple[TickBox, ...]]]:
    """Each section with the boxes that stand right below its heading."""
    waiting = boxes(text, in_code)
    waiting.reverse()
    for part in parts(text):
        own: list[TickBox] = []
        while waiting and waiting[-1].line <= part.last:
            own.append(waiting.pop())
        yield part, tuple(own)


def nested(found: Sequence[TickBox]) -> list[tuple[TickBox, list[TickBox]]]:
    """The outer boxes, each with those inside it."""
    outer: list[tuple[TickBox, list[TickBox]]] = []
    for box in found:
        if outer:
            last, inner = outer[-1]
            if box.indent > last.indent:
                inner.append(box)
                continue

        outer.append((box, []))
    return outer


def _below(lines: list[str], number: int, end: int, heads: set[int]) -> tuple[str, ...]:
    """Indented lines, and blank ones between them."""
    below: list[str] = []
    for later in range(number + 1, end):
        line = lines[later - 1]
        is_blank = not line.strip()
        is_indented = line.startswith((" ", "\t"))
        if later in heads or not (is_blank or is_indented):
            break
        below.append(line)

    while below and not below[-1].strip():
        below.pop()
    return tuple(below)


def dedented(lines: tuple[str, ...] | list[str]) -> str:
    """Lines below an item without what all of them are indented by."""
    import textwrap

    return textwrap.dedent("\n".join(lines)).strip("\n")


def items(text: str) -> Iterator[tuple[int, str]]:
    """The items of lists, outermost ones only, each with its line; what goes on with it follows in lines of its own."""
    found: list[tuple[int, list[str]]] = []
    outermost = 0
    for number, _, raw in outside_code(text):
        line = raw.rstrip("\n")
        match = ITEM.fullmatch(line)
        indent = len(line) - len(line.lstrip())
        is_outermost = not found or indent <= outermost

        if match and is_outermost:
            found.append((number, [match["text"]]))
            outermost = indent
        elif found and indent > outermost and line.strip():
            _, words = found[-1]
            words.append(line.strip())

    for number, words in found:
        yield number, "\n".join(words)


def lines_of_lists(text: str) -> Iterator[tuple[int, int, str]]:
    """Every item of a list, inner ones, too: its line, its indent and its words."""
    for number, _, raw in outside_code(text):
        line = raw.rstrip("\n")
        match = ITEM.fullmatch(line)
        if match:
            indent = match["indent"].expandtabs(4)
            yield number, len(indent), match["text"]


def listed(text: str) -> list[str]:
    """The items of a list, each on one line."""
    return [text for text in (item(text) for _, text in items(text)) if text]


def paragraphs(text: str) -> list[str]:
    """Prose, piece by piece."""
    bare = without_comments(text)
    return [piece.strip() for piece in re.split(r"\n\s*\n", bare) if piece.strip()]


def joined(*pieces: str) -> str:
    """The pieces that say something, as paragraphs of one text."""
    return "\n\n".join(piece for piece in pieces if piece)


def with_questions(text: str, questions: list[str]) -> str:
    """The text with what is still open behind it, so that `dctx status` counts it."""
    if not questions:
        return text
    lines = ["Open questions:", ""]
    for question in questions:
        lines.append(f"- [UNCLEAR] {question}")
    return joined(text, "\n".join(lines))


def front_matter(source: PlanSource, path: str) -> tuple[dict[str, object], str]:
    """The values above a text, and the text."""
    text = source.text(path)
    if not text.startswith(f"{_MARKER}\n"):
        return {}, text

    start = len(_MARKER)
    end = text.find(f"\n{_MARKER}", start)
    if end < 0:
        return {}, text

    head = text[start + 1 : end + 1]
    values = source.yaml_text(head, path)

    _, _, body = text[end + 1 :].partition("\n")
    return values, body


def string(value: object) -> str:
    """A value of YAML or JSON as text; nothing for a list, a mapping or nothing."""
    if value is None or isinstance(value, list | dict | bool):
        return ""
    return str(value).strip()


def strings(value: object) -> list[str]:
    """A list of values, or one, as texts."""
    if isinstance(value, list | tuple):
        return [text for text in map(string, value) if text]
    text = string(value)
    return [text] if text else []


def is_begun(status: str) -> bool:
    """Whether a status of a tracker says that somebody is at it."""
    words = re.sub(r"[\s_-]+", " ", status.casefold()).strip()
    return words in ("in progress", "review", "in review", "doing", "started")


def blocked_note(tool: str) -> str:
    """What a task says that its tool has as blocked, without a word on what blocks it."""
    return f"{tool} has this as blocked. Ask what it waits for before you begin."


def is_number(text: str) -> bool:
    """Whether it is a number as people and tools count: Python takes digits of other scripts, and refuses long ones."""
    return text.isascii() and text.isdigit() and len(text) < 10
