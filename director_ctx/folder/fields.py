"""Lines of the form `**Name:** value`, and what people write into them."""

from __future__ import annotations

from director_ctx.folder.markdown import outside_code
from director_ctx.folder.needs import find_mentions, tokenize
from director_ctx.folder.text import plain

FINISHED = ("complete", "completed", "done", "finished")


def field(text: str, name: str) -> tuple[str, int]:
    """The value of a `**Name:** value` line and its line number; empty and 0 when absent."""
    wanted = f"{name.casefold()}:"
    if wanted not in text.replace("*", "").casefold():
        return "", 0
    for number, _, line in outside_code(text):
        bare = line.replace("*", "").strip().lstrip("- ").strip()
        if bare.casefold().startswith(wanted):
            return plain(bare[len(wanted) :].strip()), number
    return "", 0


def with_value(line: str, value: str) -> str:
    """The line with another value; marks around it, a comment and blanks after it stay."""
    head, colon, rest = line.partition(":")
    body, comment, tail = rest.partition("<!--")
    inner = body.lstrip("* \t")
    before = body[: len(body) - len(inner)]
    after = inner[len(inner.rstrip("* \t")) :]
    space = "" if any(mark.isspace() for mark in before) else " "
    gap = " " if comment and not after[-1:].isspace() else ""
    return f"{head}{colon}{before}{space}{value}{after}{gap}{comment}{tail}"


def finished(says: str) -> bool:
    """Whether a text calls something complete."""
    return any(word in FINISHED for word in tokenize(says))


def named_numbers(text: str) -> dict[str, int]:
    """`Goal 1, Step 2, Tasks 1-2 complete` as numbers; of several the last counts."""
    return {mention.unit: mention.numbers[-1] for mention in reversed(find_mentions(tokenize(text)))}


def bare_name(name: str) -> str:
    """A name without what people add to it: `(next)`, `-- DONE`, `Task 2:` before it."""
    for mark in (" (", " -- ", " \u2014 "):
        name = name.partition(mark)[0]
    label, colon, rest = name.partition(":")
    words = label.split()
    labelled = colon and len(words) == 2 and words[0].casefold() in ("goal", "step", "task")
    return (rest if labelled else name).strip().casefold()
