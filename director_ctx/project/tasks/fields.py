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
        bare = line.replace("*", "").strip().lstrip("- ").strip()
        if bare.casefold().startswith(wanted):
            return plain(without_comments(bare[len(wanted) :]).strip()), number
    return "", 0


def within(text: str, section: str) -> str:
    """The text with every line blank that is not in a section; line numbers stay."""
    return _blanked(text, section, inside=False)


def without(text: str, section: str) -> str:
    """The text with the lines of a section blank."""
    return _blanked(text, section, inside=True)


def _blanked(text: str, section: str, inside: bool) -> str:
    found = find_section(text, section)
    if found is None:
        return text if inside else ""
    start, _, end = found
    if inside:
        return text[:start] + "\n" * text.count("\n", start, end) + text[end:]
    return "\n" * text.count("\n", 0, start) + text[start:end]


def with_value(line: str, value: str) -> str:
    """The line with another value. Marks around the name or the old value stay, and so do comments
    and blanks.
    """
    head, colon, rest = line.partition(":")
    mark = "**" if "**" in head else "*" if "*" in head else ""
    is_open = bool(mark) and head.count(mark) % 2 == 1
    if is_open and rest.lstrip().startswith(mark):
        closed = rest.index(mark) + len(mark)
        colon, rest, is_open = colon + rest[:closed], rest[closed:], False
    before, old, after = _around(rest)
    if is_open and old.endswith(mark):
        after = mark + after
    elif (
        len(old) > 4
        and old.startswith("**")
        and old.endswith("**")
        and "**" not in old[2:-2] + value
    ):
        before, after = f"{before}**", f"**{after}"
    return f"{head}{colon}{before or ' '}{value}{after}"


def _around(rest: str) -> tuple[str, str, str]:
    """Blanks and comments before a value, the value, blanks and comments after it."""
    before, old = "", rest
    while True:
        bare = old.lstrip()
        before, old = before + old[: len(old) - len(bare)], bare
        comment, closed, behind = old.partition("-->")
        if not (old.startswith("<!--") and closed and behind.strip()):
            break
        before, old = before + comment + closed, behind
    value = old.partition("<!--")[0].rstrip()
    after = old[len(value) :]
    return before, value, f" {after}" if after.startswith("<") else after


def finished(says: str) -> bool:
    """Whether a text calls something complete."""
    return any(word in FINISHED for word in tokenize(says))


def named_numbers(text: str) -> dict[str, int]:
    """`Goal 1, Step 2, Tasks 1-2 complete` as numbers; of several the last counts."""
    return {
        mention.unit: mention.numbers[-1] for mention in reversed(find_mentions(tokenize(text)))
    }


def same_name(says: str, name: str) -> bool:
    """Whether a text is a name: whole, with something added, or shortened; two different endings
    are two names.
    """
    one, other = _full(says), _full(name)
    if one == other or (one.startswith(other) and one[len(other) :].startswith(_MARKS)):
        return True
    return bare_name(says) == bare_name(name) and (
        one == bare_name(says) or other == bare_name(name)
    )


def besides(says: str, name: str) -> str:
    """What a text says apart from a name."""
    found = re.search(re.escape(name), says, re.IGNORECASE) if name else None
    return f"{says[: found.start()]} {says[found.end() :]}" if found else says


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
    labelled = colon and len(words) == 2 and words[0].casefold() in ("goal", "step", "task")
    return (rest if labelled else bare).strip().casefold()
