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
    values = _values(command, list(arguments[len(command.name.split()) :]))
    if values is None or any(
        argument.required and not values[argument.name] for argument in command.arguments
    ):
        return None
    return command, values


def _values(command: Command, rest: list[str]) -> dict[str, object] | None:
    flags = {flag: option for option in command.options for flag in option.flags}
    values = defaults(command)
    places = list(command.arguments)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            if not places:
                return None
            place = places[0] if places[0].many else places.pop(0)
            values[place.name] = _and(values[place.name], word) if place.many else word
        elif not _take(values, flags, word, rest):
            return None
    return values


def _take(values: dict[str, object], flags: dict[str, Option], word: str, rest: list[str]) -> bool:
    """Reads one option; False if it is not plain."""
    flag, equals, value = word.partition("=")
    option = flags.get(flag)
    if option is None or (equals and not flag.startswith("--")):
        return False
    if option.kind == FLAG:
        values[option.name] = True
        return not equals
    if not equals:
        if not rest or (rest[0].startswith("-") and rest[0] != "-"):
            return False
        value = rest.pop(0)
    values[option.name] = _and(values[option.name], value) if option.kind == LIST else value
    return True


def _and(old: object, value: str) -> tuple[object, ...]:
    return (*old, value) if isinstance(old, tuple) else (value,)
