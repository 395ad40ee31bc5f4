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

    return arguments[0] if len(arguments) == 1 else shlex.join(arguments)


def pattern(names: Sequence[str]) -> re.Pattern[str]:
    """What a placeholder looks like: numbered, named, all of them, or a place; or one that is
    escaped.
    """
    return _pattern(tuple(names))


@lru_cache(maxsize=8)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    # A skill without names needs a choice that never matches.
    own = "|".join(rf"{re.escape(name)}(?![\[\w])" for name in longest_first) or "(?!)"
    return re.compile(
        rf"(?<!\\)\\\$(?=\d|ARGUMENTS|{own})"
        r"|\$\{(?P<place>CLAUDE_\w+)\}"
        rf"|\$(?P<name>{own})"
        r"|\$ARGUMENTS\[(?P<index>\d+)\]|\$(?P<number>\d+)(?!\w)|\$(?P<all>ARGUMENTS)"
    )


def value(found: re.Match[str], values: Values) -> str | None:
    """What one placeholder stands for; None for a place that is not known here, or a number that
    was not given.
    """
    if place := found["place"]:
        return values.places.get(place)
    if found["all"]:
        return values.text
    if name := found["name"]:
        return _word(values, values.names.index(name)) or ""
    digits = found["index"] or found["number"]
    return _word(values, int(digits[:9])) if digits else _DOLLAR


def _word(values: Values, number: int) -> str | None:
    return values.words[number] if number < len(values.words) else None


def is_argument(found: re.Match[str]) -> bool:
    """Whether it stands for something that the user typed."""
    return bool(found["all"] or found["name"] or found["index"] or found["number"])


def takes_arguments(text: str, names: Sequence[str]) -> bool:
    return any(is_argument(found) for found in pattern(names).finditer(text))


def answers(text: str, values: Values) -> bool:
    """Whether the arguments find a place in a text. `$5.00` is no place where there are not six of
    them.
    """
    found = pattern(values.names).finditer(text)
    return any(is_argument(one) and value(one, values) is not None for one in found)


def fill(text: str, values: Values) -> str:
    """The text with its placeholders filled in, each once; one that is not known here stays as it
    is.
    """

    def put(found: re.Match[str]) -> str:
        known = value(found, values)
        if known is None:
            return found[0]
        return defused(known) if is_argument(found) else known

    return pattern(values.names).sub(put, text)


def defused(text: str) -> str:
    """An argument in which nobody who reads the text later sees an injection; the client writes it
    the same way.
    """
    return re.sub(r"(^|\s)!", r"\1\\!", text.replace("`!", "` !").replace("!`", "! `"), flags=re.M)


def unknown_places(text: str, values: Values) -> tuple[str, ...]:
    """Placeholders whose value only a running client knows."""
    found = (one["place"] for one in pattern(values.names).finditer(text))
    return tuple(
        dict.fromkeys(f"${{{name}}}" for name in found if name and name not in values.places)
    )
