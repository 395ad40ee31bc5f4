"""What a parent lists as its children: goals in GAMEPLAN.md, steps in GOAL.md."""

from __future__ import annotations

from director_ctx.folder.markdown import find_section, headings, outside_code
from director_ctx.record import Record


class Listed(Record):
    """`1. **Step 1: NAME** -- DESC` in a list, or a heading `Goal 1: NAME`."""

    number: int
    name: str
    line: int
    placeholder: bool = False
    """A name in brackets: a template's, unless there is a folder of that number."""


def listed_goals(gameplan: str) -> list[tuple[int, str]]:
    """The goals that GAMEPLAN lists, by number."""
    found: dict[int, str] = {}
    for one in listed(gameplan, "goals", "goal"):
        if not one.placeholder:
            found.setdefault(one.number, one.name)
    return sorted(found.items())


def listed(text: str, section: str, label: str) -> list[Listed]:
    """Every goal or step in the section's list, then those that are headings."""
    found = find_section(text, section)
    lines = [(n, line) for n, at, line in outside_code(text) if found and found[1] <= at < found[2]]
    lines += [(mark.line, mark.title) for mark in headings(text) if label == "goal"]
    return [one for number, line in lines if (one := _listed(line, number, label))]


def _listed(line: str, line_number: int, label: str) -> Listed | None:
    bare = line.replace("*", "").strip().strip("#-+ \t").lstrip("0123456789").lstrip(".) ")
    head, colon, rest = bare.partition(":")
    words = head.split()
    if not colon or len(words) != 2 or words[0].casefold() != label or not (words[1].isascii() and words[1].isdigit()):
        return None
    name = rest.strip().replace(" \u2014 ", " -- ").partition(" -- ")[0].strip()
    return Listed(int(words[1][:9]), name, line_number, name[0] == "[" and name[-1] == "]") if name else None
