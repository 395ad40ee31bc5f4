"""The short way: reads a plain command line by the table, without any framework.

Whatever is not plain (help, a mistake, completion, a value that looks like an option) is left to
Typer, which knows how to say what is wrong. Both ways end in the same values.
"""

from __future__ import annotations

from director_ctx.doors.cli.shared.menu import find
from director_ctx.doors.cli.shared.options import FLAG, LIST, Command, Option, defaults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def parse(arguments: Sequence[str]) -> tuple[Command, dict[str, object]] | None:
    """The command and its values, or None where Typer should look."""
    command = find(arguments)
    if command is None:
        return None

    # A name of two words takes two of them.
    words_of_name = len(command.name.split())
    values = _values(command, list(arguments[words_of_name:]))
    if values is None:
        return None

    for argument in command.arguments:
        if argument.required and not values[argument.name]:
            return None
    return command, values


def _values(command: Command, rest: list[str]) -> dict[str, object] | None:
    values = defaults(command)
    flags = _by_flag(command)
    awaited = list(command.arguments)
    has_options = True
    # Options may stand before, between and behind arguments, as with Typer; none behind two dashes.
    while rest:
        word = rest.pop(0)
        if word == "--" and has_options:
            has_options = False
            continue
        if has_options and _looks_like_option(word):
            if not _take(values, flags, word, rest):
                return None
            continue
        if not awaited:
            return None
        argument = awaited[0]
        if argument.many:
            values[argument.name] = _appended(values[argument.name], word)
        else:
            values[argument.name] = word
            del awaited[0]
    return values


def _by_flag(command: Command) -> dict[str, Option]:
    flags = {}
    for option in command.every_option:
        for flag in option.flags:
            flags[flag] = option
    return flags


def _take(values: dict[str, object], flags: dict[str, Option], word: str, rest: list[str]) -> bool:
    """Reads one option; False if it is not plain."""
    flag, equals, value = word.partition("=")
    option = flags.get(flag)
    if option is None:
        return False
    if equals and not flag.startswith("--"):
        return False

    if option.kind == FLAG:
        values[option.name] = True
        return not equals

    # `--root=DIR` has its value with it, `--root DIR` in the next word.
    if not equals:
        if not rest or _looks_like_option(rest[0]):
            return False
        value = rest.pop(0)
    if option.kind == LIST:
        values[option.name] = _appended(values[option.name], value)
    else:
        values[option.name] = value
    return True


def _looks_like_option(word: str) -> bool:
    """A dash alone is standard input."""
    return word.startswith("-") and word != "-"


def _appended(old: object, value: str) -> tuple[object, ...]:
    if isinstance(old, tuple):
        return (*old, value)
    return (value,)
