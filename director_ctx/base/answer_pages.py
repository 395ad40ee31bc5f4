"""A long answer in pages that arrive whole in every client, each saying how to get the next."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.light_json import dump
from director_ctx.base.record import Record
from director_ctx.base.safe_text import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

CHARACTERS = 10_000
"""What reaches the model whole in Claude Code, Codex and Copilot CLI; Codex cuts more in the middle."""
FOOTER = 400
"""Characters that the words about the rest may take,"""
MOST_OF_NAMES = 300
"""and the names of what is in it."""


class PageDivision(Record):
    """How an answer is divided that is not divided as usual."""

    most: int
    """Characters of a page."""
    left_in: Callable[[str], str]
    """Says in a sentence what the text behind a page has."""


def page_of(
    text: str,
    tool: str,
    arguments: dict[str, Any],
    note: str = "",
    division: PageDivision | None = None,
) -> str:
    """The page that is asked for. `note` says how else to get less, where there is more than a page."""
    most, left_in = CHARACTERS, None
    if division:
        most, left_in = division.most, division.left_in
    number = arguments.get("page") or 1
    if len(text) <= most and number == 1:
        return text

    # Before it is divided: of half a key nobody could tell that it is one.
    text = safe(text)
    room = most - FOOTER - len(note)
    if left_in:
        room -= MOST_OF_NAMES
    pages = _pages(text, room)
    if number > len(pages):
        raise UsageProblem(f"There is no page {number}.", f"The last one is page {len(pages)}.")
    shown = pages[number - 1]
    before = sum(map(len, pages[: number - 1]))
    where = f"characters {before + 1:,} to {before + len(shown):,} of {len(text):,}"
    # Within a line a document may have a tag, and no page may begin with it.
    if before and text[before - 1] != "\n":
        shown = f"…{shown}"
    if number == len(pages):
        return f"{shown.rstrip()}\n\n[Page {number} of {len(pages)}, the last: {where}.]"
    rest = call(tool, {**arguments, "page": number + 1})
    names = ""
    if left_in:
        names = left_in("".join(pages[number:]))[:MOST_OF_NAMES]
    return f"{shown.rstrip()}\n\n[Page {number} of {len(pages)}: {where}. The rest: {rest}.{names}{note}]"


def page_with_line(text: str, line: int) -> int:
    """The number of the page that a line is on, of those that have no note."""
    if len(text) <= CHARACTERS:
        return 1
    lines = 0
    pages = _pages(text, CHARACTERS - FOOTER)
    for number, page in enumerate(pages, 1):
        lines += page.count("\n")
        if lines >= line:
            return number
    return len(pages)


def call(tool: str, arguments: dict[str, Any]) -> str:
    """A call as it can be made: the tool, and its arguments as JSON."""
    given = {name: value for name, value in arguments.items() if value is not None}
    whole = dump(given)
    if len(whole) > FOOTER // 2 and "page" in given:
        # Whoever asked with so much knows it; only the page is new to them.
        page = dump({"page": given["page"]})
        return f"{tool} with the same arguments and {page}"
    return f"{tool} {whole}"


def _pages(text: str, most: int) -> list[str]:
    """Whole lines as far as they go; a line that is longer than a page is divided."""
    pages = []
    start = 0
    while start < len(text):
        end = start + most
        if end < len(text):
            line_end = text.rfind("\n", start, end)
            if line_end > start:
                end = line_end + 1
        pages.append(text[start:end])
        start = end
    return pages or [""]
