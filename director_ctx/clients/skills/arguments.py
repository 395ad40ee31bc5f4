"""What a skill is called with, and the placeholders that stand for it.

The client puts arguments into the text first and looks for commands afterwards, so that an argument
can add words to a command. Here the commands are found and taken apart before anything is filled
in: an argument stays what it is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DOLLAR = "$"
_BANG = re.compile(r"(^|\s)!", re.MULTILINE)


class Values(Record):
    """Everything that placeholders may stand for."""

    text: str
    """The arguments as they were typed."""
    words: tuple[str, ...]
    names: tuple[str, ...]
    places: Mapping[str, str]
    """What is known of `${CLAUDE_SKILL_DIR}` and the like."""


def split_words(text: str) -> tuple[str, ...]:
    """As a shell would divide them; one whole word where a quote is not closed."""
    import shlex

    try:
        return tuple(shlex.split(text))
    except ValueError:
        return (text,)


def typed(arguments: Sequence[str]) -> str:
    """One argument is the text as it was typed; several were divided by the shell already, and are
    quoted again.
    """
    import shlex

    if len(arguments) == 1:
        return arguments[0]
    return shlex.join(arguments)


def pattern(names: Sequence[str]) -> re.Pattern[str]:
    """What a placeholder looks like: numbered, named, all of them, or a place; or one that is
    escaped.
    """
    return _pattern(tuple(names))


@lru_cache(maxsize=8)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    # Of `$day` and `$day-of-week`, which both fit, the longer one is meant.
    longest_first = sorted(names, key=len, reverse=True)
    choices = [rf"{re.escape(name)}(?![\[\w])" for name in longest_first]
    # A skill without names needs a choice that never matches.
    own = "|".join(choices) or "(?!)"
    return re.compile(
        rf"(?<!\\)\\\$(?=\d|ARGUMENTS|{own})"
        r"|\$\{(?P<place>CLAUDE_\w+)\}"
        rf"|\$(?P<name>{own})"
        r"|\$ARGUMENTS\[(?P<index>\d+)\]|\$(?P<number>\d+)(?!\w)|\$(?P<all>ARGUMENTS)"
    )


def value(placeholder: re.Match[str], values: Values) -> str | None:
    """What one placeholder stands for; None for a place that is not known here, or a number that
    was not given.
    """
    place = placeholder["place"]
    if place:
        return values.places.get(place)
    if placeholder["all"]:
        return values.text
    name = placeholder["name"]
    if name:
        number = values.names.index(name)
        return _word(values, number) or ""

    digits = placeholder["index"] or placeholder["number"]
    if not digits:
        # What is left is a dollar that was escaped.
        return _DOLLAR
    # Python refuses to read a number of thousands of digits.
    number = int(digits[:9])
    return _word(values, number)


def _word(values: Values, number: int) -> str | None:
    if number >= len(values.words):
        return None
    return values.words[number]


def is_argument(placeholder: re.Match[str]) -> bool:
    """Whether it stands for something that the user typed."""
    kinds = ("all", "name", "index", "number")
    return any(placeholder[kind] for kind in kinds)


def answers(text: str, values: Values) -> bool:
    """Whether the arguments find a place in a text. `$5.00` is no place where there are not six of
    them.
    """
    for placeholder in pattern(values.names).finditer(text):
        if not is_argument(placeholder):
            continue
        if value(placeholder, values) is not None:
            return True
    return False


def fill_word(word: str, values: Values) -> str:
    """A word of a command with its placeholders filled in; what was not given leaves nothing."""
    return pattern(values.names).sub(lambda found: value(found, values) or "", word)


def fill(text: str, values: Values) -> str:
    """The text with its placeholders filled in, each once; one that is not known here stays as it
    is.
    """

    def put(placeholder: re.Match[str]) -> str:
        known = value(placeholder, values)
        if known is None:
            return placeholder[0]
        if is_argument(placeholder):
            return defused(known)
        return known

    return pattern(values.names).sub(put, text)


def defused(text: str) -> str:
    """An argument in which nobody who reads the text later sees an injection; the client writes it
    the same way.
    """
    apart = text.replace("`!", "` !")
    apart = apart.replace("!`", "! `")
    return _BANG.sub(r"\1\\!", apart)
