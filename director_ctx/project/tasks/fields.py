"""Lines of the form `**Name:** value`, and what people write into them."""

from __future__ import annotations

import re

from director_ctx.base.text import plain
from director_ctx.project.reading.markdown import find_section, outside_code, without_comments
from director_ctx.project.tasks.needs import find_mentions, tokenize

_MARKS = (" (", " -- ", " \u2014 ")
FINISHED = ("complete", "completed", "done", "finished")


def field(text: str, name: str) -> tuple[str, int]:
    """The value of a `**Name:** value` line and its line number; empty and 0 when absent."""
    wanted = f"{name.casefold()}:"
    if wanted not in text.replace("*", "").casefold():
        return "", 0
    for number, _, line in outside_code(text):
        bare = line.replace("*", "").strip()
        bare = bare.lstrip("- ").strip()
        if bare.casefold().startswith(wanted):
            value = without_comments(bare[len(wanted) :])
            return plain(value.strip()), number
    return "", 0


def within(text: str, section: str) -> str:
    """The text with every line blank that is not in a section; line numbers stay."""
    return _blanked(text, section, inside=False)


def without(text: str, section: str) -> str:
    """The text with the lines of a section blank."""
    return _blanked(text, section, inside=True)


def _blanked(text: str, section: str, inside: bool) -> str:
    position = find_section(text, section)
    if position is None and inside:
        return text
    if position is None:
        return ""
    start, _, end = position
    if inside:
        number = text.count("\n", start, end)
        return text[:start] + "\n" * number + text[end:]
    number = text.count("\n", 0, start)
    return "\n" * number + text[start:end]


def with_value(line: str, value: str) -> str:
    """The line with another value. Marks around the name or the old value stay, and so do comments
    and blanks.
    """
    head, colon, rest = line.partition(":")
    mark = ""
    for stars in ("**", "*"):
        if stars in head:
            mark = stars
            break
    is_open = bool(mark) and head.count(mark) % 2 == 1
    if is_open and rest.lstrip().startswith(mark):
        # `**Name:** value`: the mark behind the colon belongs to the name.
        closed = rest.index(mark) + len(mark)
        colon += rest[:closed]
        rest = rest[closed:]
        is_open = False

    before, old, after = _around(rest)
    if is_open and old.endswith(mark):
        # `**Name: value**`
        after = mark + after
    elif _is_bold(old) and "**" not in value:
        before = f"{before}**"
        after = f"**{after}"
    return f"{head}{colon}{before or ' '}{value}{after}"


def _is_bold(value: str) -> bool:
    """Whether one pair of stars encloses the whole value."""
    inner = value[2:-2]
    if not inner or "**" in inner:
        return False
    return value.startswith("**") and value.endswith("**")


def _around(rest: str) -> tuple[str, str, str]:
    """Blanks and comments before a value, the value, blanks and comments after it."""
    value = rest.lstrip()
    while value.startswith("<!--"):
        _, closed, behind = value.partition("-->")
        # A comment with nothing behind it stands after the value, which is empty.
        if not closed or not behind.strip():
            break
        value = behind.lstrip()
    before = rest[: len(rest) - len(value)]

    value = value.partition("<!--")[0].rstrip()
    after = rest[len(before) + len(value) :]
    if after.startswith("<"):
        after = f" {after}"
    return before, value, after


def finished(says: str) -> bool:
    """Whether a text calls something complete."""
    return any(word in FINISHED for word in tokenize(says))


def named_numbers(text: str) -> dict[str, int]:
    """`Goal 1, Step 2, Tasks 1-2 complete` as numbers; of several the last counts."""
    numbers: dict[str, int] = {}
    for mention in reversed(find_mentions(tokenize(text))):
        numbers[mention.unit] = mention.numbers[-1]
    return numbers


def same_name(says: str, name: str) -> bool:
    """Whether a text is a name: whole, with something added, or shortened; two different endings
    are two names.
    """
    said_full = _full(says)
    name_full = _full(name)
    if said_full == name_full:
        return True
    if said_full.startswith(name_full):
        added = said_full.removeprefix(name_full)
        if added.startswith(_MARKS):
            return True
    said_bare = bare_name(says)
    name_bare = bare_name(name)
    if said_bare != name_bare:
        return False
    return said_full == said_bare or name_full == name_bare


def besides(says: str, name: str) -> str:
    """What a text says apart from a name."""
    if not name:
        return says
    named = re.search(re.escape(name), says, re.IGNORECASE)
    if named is None:
        return says
    before = says[: named.start()]
    after = says[named.end() :]
    return f"{before} {after}"


def unnamed(says: str, name: str) -> str:
    """`Goal 1 (Name)` and `Goal 1: Name` without the name."""
    return re.sub(rf"[(:]\s*{re.escape(name)}\s*\)?", " ", says, flags=re.IGNORECASE)


def bare_name(name: str) -> str:
    """A name without what people add to it: `(next)`, `-- DONE`, `Task 2:` before it."""
    short = _full(name)
    for mark in _MARKS:
        short = short.partition(mark)[0]
    return short.strip()


def _full(name: str) -> str:
    """Without stars and label, in small letters."""
    bare = name.replace("*", "").strip()
    label, colon, rest = bare.partition(":")
    words = label.split()
    if colon and len(words) == 2:
        unit, _ = words
        if unit.casefold() in ("goal", "step", "task"):
            bare = rest
    return bare.strip().casefold()
