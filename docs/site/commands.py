"""Prints docs/commands.md: every command and option, out of the tables that the program itself reads.

usage: python docs/site/commands.py > docs/commands.md
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from director_ctx.doors.cli.shared.menu import TABLES, table
from director_ctx.doors.cli.shared.options import EVERYWHERE, FLAG, LIST
from director_ctx.doors.cli.shared.topics import EXIT_CODES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.doors.cli.shared.options import Argument, Command, Option

TITLES = {
    "start": "Start",
    "contexts": "Every day: where it stands, and contexts",
    "upkeep": "The plan: adding to it, and keeping it true",
    "clients": "Agents and their clients",
    "conversations": "Conversations",
    "accounts": "Counting, and what agents were told",
    "memory": "What lasts between runs",
    "browser": "The browser",
}
OPENING = """\
# Every command

<!-- Made by `make docs` out of the tables in director_ctx/doors/cli/*/menu.py. -->

`dctx COMMAND --help` says the same at a terminal. Those that a script would read have `--json`. Results go to standard
output, everything else to standard error.
"""


def page() -> str:
    parts = [OPENING, "\n".join(_overview()), "\n".join(_everywhere()), "\n".join(_exit_codes())]
    for room in _rooms():
        parts.append(f"## {_title(room)}\n")
        for command in table(room):
            parts.append("\n".join(_section(command)))
    return "\n".join(parts)


def _rooms() -> list[str]:
    """In the order of a reader; one that is new comes last."""
    rooms = [room for room in TITLES if room in TABLES]
    rooms += [room for room in TABLES if room not in TITLES]
    return rooms


def _title(room: str) -> str:
    return TITLES.get(room, room.capitalize())


def _overview() -> Iterator[str]:
    for room in _rooms():
        yield f"**{_title(room)}**\n"
        yield "| command | what it does |"
        yield "|---|---|"
        for command in table(room):
            yield f"| [`dctx {command.name}`](#{_anchor(command)}) | {_cell(command.help)} |"
        yield ""


def _everywhere() -> Iterator[str]:
    yield "## Options of every command\n"
    yield "| | |"
    yield "|---|---|"
    yield from map(_option_row, EVERYWHERE)
    yield ""


def _exit_codes() -> Iterator[str]:
    yield "## Exit codes\n"
    yield "| code | what it means |"
    yield "|---|---|"
    for code, meaning in EXIT_CODES:
        yield f"| {code} | {_cell(meaning)} |"
    yield ""


def _anchor(command: Command) -> str:
    """As GitHub makes it of a heading."""
    return f"dctx-{command.name.replace(' ', '-')}"


def _section(command: Command) -> Iterator[str]:
    yield f"### dctx {command.name}\n"
    yield f"{command.help}\n"
    yield "```text"
    yield _usage(command)
    yield "```\n"
    rows = [_argument_row(argument) for argument in command.arguments]
    rows += [_option_row(option) for option in command.options]
    if rows:
        yield "| | |"
        yield "|---|---|"
        yield from rows
        yield ""
    if command.examples:
        yield "```sh"
        yield from command.examples
        yield "```\n"


def _usage(command: Command) -> str:
    words = ["dctx", command.name]
    if command.options:
        words.append("[OPTIONS]")
    for argument in command.arguments:
        word = argument.name.upper()
        if argument.many:
            word += "..."
        if not argument.required:
            word = f"[{word}]"
        words.append(word)
    return " ".join(words)


def _argument_row(argument: Argument) -> str:
    return f"| `{argument.name.upper()}` | {_cell(argument.help)} |"


def _option_row(option: Option) -> str:
    names = ", ".join(f"`{flag}`" for flag in option.flags)
    if option.kind != FLAG:
        names += f" {option.metavar or option.name.upper()}"
    says = _cell(option.help)
    if option.kind == LIST and "several times" not in says:
        says += " May be given several times."
    return f"| {names} | {says} |"


def _cell(text: str) -> str:
    """A bar would end the cell, and a bracket begin a tag."""
    return text.replace("|", r"\|").replace("<", "&lt;")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(page())
