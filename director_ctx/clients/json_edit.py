"""Puts values into a JSON text and takes them out again, in the style of what is there; the rest
stays as it is.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from director_ctx.clients.json_text import JsonNode, JsonText

    Edit = tuple[int, int, str]


INDENT = "  "
_REST_OF_LINE = re.compile(r",?[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=[\r\n]))")


def with_edits(text: str, edits: Collection[Edit]) -> str:
    """The text with each span replaced; spans do not overlap."""
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(edits):
        pieces.append(text[at:start])
        pieces.append(new)
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def additions(
    document: JsonText,
    container: JsonNode,
    values: list[tuple[str, Any]],
) -> list[Edit]:
    """Edits that put values at the end of an object (with their keys) or of a list (keys are
    empty).
    """
    text = document.text
    margin = _inner_margin(document, container)
    if margin is None:
        return _added_in_line(text, container, values)

    line_end = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(document)
    items: list[str] = []
    for key, value in values:
        written = _dumped(key, value, unit, margin, line_end)
        items.append(line_end + margin + written)
    new = ",".join(items)
    if container.children:
        return _behind(text, container, new)

    # What may stand in an empty container, a comment, stays before the new values.
    _, closing = _body(container)
    last = len(text[:closing].rstrip())
    tail = text[last:closing]
    if "\n" not in tail:
        tail = line_end + _margin(text, container.open)
    return [(last, closing, new + tail)]


def _behind(text: str, container: JsonNode, new: str) -> list[Edit]:
    """After the last child, its comma, and what is said about it on the same line."""
    end = container.children[-1].end
    has_comma = _ends_in_a_comma(container)
    rest = _REST_OF_LINE.match(text, end)
    if rest:
        at = rest.end()
    elif has_comma:
        at = container.commas[-1] + 1
    else:
        at = end

    if has_comma:
        return [(at, at, new)]
    if at == end:
        return [(at, at, "," + new)]
    # The comma belongs right behind the value, and not behind what is said about it.
    return [(end, end, ","), (at, at, new)]


def _ends_in_a_comma(container: JsonNode) -> bool:
    return len(container.commas) == len(container.children)


def _added_in_line(
    text: str,
    container: JsonNode,
    values: list[tuple[str, Any]],
) -> list[Edit]:
    """As tight as the rest of the file."""
    comma = ", "
    colon = ": "
    is_tight = '": ' not in text
    if is_tight:
        comma = ","
        colon = ":"
    items: list[str] = []
    for key, value in values:
        written = json.dumps(value, separators=(comma, colon), ensure_ascii=False)
        if key:
            name = json.dumps(key)
            written = f"{name}{colon}{written}"
        items.append(written)
    new = comma.join(items)

    if not container.children:
        at = container.open + 1
        return [(at, at, new)]
    if _ends_in_a_comma(container):
        at = container.commas[-1] + 1
        blank = comma[1:]
        return [(at, at, blank + new)]
    at = container.children[-1].end
    return [(at, at, comma + new)]


def _dumped(
    key: str,
    value: Any,
    unit: str,
    margin: str,
    line_end: str,
) -> str:
    """A value over several lines."""
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    written = (line_end + margin).join(lines)
    if not key:
        return written
    return f"{json.dumps(key, ensure_ascii=False)}: {written}"


def _inner_margin(document: JsonText, container: JsonNode) -> str | None:
    """How far the children of a container are set in; None where they stand in its own line."""
    text = document.text
    if container.children:
        first = container.children[0]
        before_first = text[container.open : first.start]
        if "\n" not in before_first:
            return None
        return _margin(text, first.start)

    # Whoever writes the whole file on one line wants it to stay one.
    before = text[: container.open]
    if container is document.root or "\n" in before:
        return _margin(text, container.open) + _unit(document)
    return None


def _unit(document: JsonText) -> str:
    """One step of the indentation of this file."""
    text = document.text
    root = document.root
    for child in root.children:
        if "\n" in text[root.open : child.start]:
            return _margin(text, child.start) or INDENT
    return INDENT


def _margin(text: str, at: int) -> str:
    """The blanks that the line of this place begins with."""
    line_start = text.rfind("\n", 0, at) + 1
    before = text[line_start:at]
    blanks = len(before) - len(before.lstrip(" \t"))
    return before[:blanks]


def _body(container: JsonNode) -> tuple[int, int]:
    return container.open + 1, container.end - 1


def removals(
    document: JsonText,
    container: JsonNode,
    indices: Collection[int],
) -> Iterator[Edit]:
    """Edits that take children out of a container; comments stay."""
    gone = set(indices)
    all_indices = range(len(container.children))
    staying = [index for index in all_indices if index not in gone]
    if not staying:
        yield from _emptied(document, container)
        return

    # A child goes with the comma that is between it and the next child that stays.
    for index in sorted(gone):
        child = container.children[index]
        if index < staying[0]:
            following = container.children[index + 1]
            comma = container.commas[index]
            yield from _without(document, child.start, following.start, child, comma)
        else:
            before = container.children[index - 1]
            comma = container.commas[index - 1]
            yield from _cut(document, before.end, child, comma)


def _without(
    document: JsonText,
    start: int,
    end: int,
    child: JsonNode,
    comma: int,
) -> Iterator[Edit]:
    """From a child to the next one, except comments between them."""
    if _comments(document, child.end, end):
        yield child.start, child.end, ""
        yield comma, comma + 1, ""
    else:
        yield start, end, ""


def _cut(
    document: JsonText,
    start: int,
    child: JsonNode,
    comma: int,
) -> Iterator[Edit]:
    """From the end of the child before to the end of this one, except comments between them."""
    between = _comments(document, start, child.start)
    if not between:
        yield start, child.end, ""
        return

    _, comments_end = between[-1]
    if comma < comments_end:
        yield comma, comma + 1, ""
    yield comments_end, child.end, ""


def _emptied(document: JsonText, container: JsonNode) -> Iterator[Edit]:
    start, end = _body(container)
    starts = [child.start for child in container.children]
    comments = _comments(document, start, end)
    if all(_within(container, starts, comment) for comment in comments):
        yield start, end, ""
        return

    for child in container.children:
        yield child.start, child.end, ""
    for comma in container.commas:
        yield comma, comma + 1, ""


def _comments(
    document: JsonText,
    start: int,
    end: int,
) -> list[tuple[int, int]]:
    """Those that are whole between two offsets."""
    first = bisect_left(document.comments, (start,))
    behind = bisect_left(document.comments, (end,))
    candidates = document.comments[first:behind]
    return [comment for comment in candidates if comment[1] <= end]


def _within(
    container: JsonNode,
    starts: list[int],
    comment: tuple[int, int],
) -> bool:
    """Whether a comment is inside of a child, whose own affair it is."""
    comment_start, _ = comment
    children_before = bisect_right(starts, comment_start)
    if children_before == 0:
        return False
    nearest = container.children[children_before - 1]
    return comment_start < nearest.end
