"""IDEAS.md: entries of the form `- **[2026-02-16 22:01]** -- text`, newest first, each up to the next one."""

from __future__ import annotations

import re

from director_ctx.folder.markdown import headings
from director_ctx.folder.source import Edit
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.folder.source import Source

_ENTRY = re.compile(r"[-*+] \*\*\[?(\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2})?)\]?\*\*(?:\s+(?:--?|\u2013|\u2014))?\s*(.*)")
_INTRO = "_Captured ideas"
EMPTY = "# Ideas\n\n_Captured ideas wait here until you decide what to do with them. Newest first._\n"


class Idea(Record):
    number: int
    when: str
    text: str
    line: int
    last: int


def ideas(text: str) -> list[Idea]:
    """Every entry, with or without brackets around its time."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines, 1) if _ENTRY.match(line)]
    ends = [mark.line for mark in headings(text) if mark.level <= 2]
    found = []
    for number, start in enumerate(starts, 1):
        stop = min([place for place in (*starts, *ends) if place > start], default=len(lines) + 1)
        match = _ENTRY.match(lines[start - 1])
        assert match
        body = [match[2], *(line.removeprefix("  ") for line in lines[start : stop - 1])]
        last = stop - 1
        while last > start and not lines[last - 1].strip():
            last -= 1
        found.append(Idea(number, match[1], "\n".join(body).strip(), start, last))
    return found


def added(source: Source, text: str, now: str) -> list[Edit]:
    """A new entry before all others. Its further lines are indented, so that none can pass for an entry."""
    first, *more = text.strip().split("\n")
    entry = "\n".join([f"- **[{now}]** -- {first}", *(f"  {line}".rstrip() for line in more)])
    have = ideas(source.text)
    if have:
        apart = len(have) > 1 and have[1].line > have[0].last + 1
        return [Edit(have[0].line - 1, None, f"{entry}\n" if apart else entry)]
    lines = source.text.split("\n")
    intro = next((number for number, line in enumerate(lines, 1) if line.startswith(_INTRO)), 0)
    after = intro or next((mark.line for mark in headings(source.text) if mark.level == 1), 0)
    return [Edit(after, None, f"\n{entry}" if after else entry)]


def removed(source: Source, idea: Idea) -> list[Edit]:
    """The entry's lines go, and one of two blank lines that would meet."""
    lines = source.text.split("\n")
    last = idea.last
    blank_before = idea.line > 1 and not lines[idea.line - 2].strip()
    if blank_before and last < len(source.lines) and not lines[last].strip():
        last += 1
    return [Edit(number, source.line(number), None) for number in range(idea.line, last + 1)]
