"""IDEAS.md: entries of the form `- **[2026-02-16 22:01]** -- text`, newest first, each up to the
next one.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import headings, outside_code
from director_ctx.upkeep.records.source import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.upkeep.records.source import Source

_ENTRY = re.compile(
    r"[-*+] \*\*\[?(\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2})?)\]?\*\*(?:\s+(?:--?|\u2013|\u2014))?\s*(.*)"
)
EMPTY = (
    "# Ideas\n\n_Captured ideas wait here until you decide what to do with them. Newest first._\n"
)


class Idea(Record):
    number: int
    when: str
    text: str
    line: int
    last: int


def ideas(text: str) -> list[Idea]:
    """Every entry, with or without brackets around its time."""
    lines = text.split("\n")
    starts = [number for number, _, line in outside_code(text) if _ENTRY.match(line.rstrip("\n"))]
    heads = [mark.line for mark in headings(text) if mark.level <= 2]

    entries: list[Idea] = []
    for number, start in enumerate(starts, 1):
        # An entry ends before the next one, or before a heading.
        behind = [line for line in (*starts, *heads) if line > start]
        last = min(behind, default=len(lines) + 1) - 1
        while last > start and not lines[last - 1].strip():
            last -= 1

        match = _ENTRY.match(lines[start - 1])
        assert match
        body = [match[2]]
        body += [line.removeprefix("  ") for line in lines[start:last]]
        entries.append(Idea(number, match[1], "\n".join(body).strip(), start, last))
    return entries


def added(source: Source, text: str, now: str) -> list[Edit]:
    """A new entry before all others. Its further lines are indented, so that none can pass for an
    entry.
    """
    clean = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    first, *more = clean.split("\n")
    lines = [f"- **[{now}]** -- {first}"]
    lines += [f"  {line}".rstrip() for line in more]
    entry = "\n".join(lines)

    entries = ideas(source.text)
    if entries:
        newest = entries[0]
        # With a blank line behind it where the others have one.
        if len(entries) > 1 and entries[1].line > newest.last + 1:
            entry = f"{entry}\n"
        return [Edit(newest.line - 1, None, entry)]

    after = _end(source)
    if after:
        entry = f"\n{entry}"
    return [Edit(after, None, entry)]


def _end(source: Source) -> int:
    """The last line of what stands under the H1: text without a time is nobody's entry, and stays
    in front.
    """
    heads = [mark.line for mark in headings(source.text) if mark.level <= 2]
    last = len(source.lines)
    if len(heads) > 1:
        last = min(last, heads[1] - 1)
    while last > 0 and not source.line(last).strip():
        last -= 1
    return last


def removed(source: Source, idea: Idea) -> list[Edit]:
    """The entry's lines go, and one blank line where two would meet or one would end the file."""
    lines = source.text.split("\n")
    first, last = idea.line, idea.last
    if first > 1 and not lines[first - 2].strip():
        if last < len(source.lines) and not lines[last].strip():
            last += 1
        elif last == len(source.lines):
            first -= 1
    return [Edit(number, source.line(number), None) for number in range(first, last + 1)]


def raw(source: Source, idea: Idea) -> str:
    """The entry as it stands in the file."""
    return "".join(f"{source.line(number)}\n" for number in range(idea.line, idea.last + 1))
