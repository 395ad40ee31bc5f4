"""How help is laid out: options under titles, and no sentence that ends in dots."""

from __future__ import annotations

import re
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

from director_ctx.doors.cli.shared.front import NARROW, first_screen
from director_ctx.doors.cli.shared.menu import commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.doors.cli.shared.options import Command

    Rows = list[tuple[str, str]]
    Sections = Iterable[tuple[str, Rows]]

_INSIDE, _STAYS = re.compile(r"(?<=\w)-(?=\w)"), "\u2011"
"""A hyphen in a name, and one at which no line ends."""
OPTIONS = "Options"
MARGIN, INDENT = 2, 4
_Context: Any = TyperCommand.context_class


class _Formatter(_Context.formatter_class):  # type: ignore[misc]
    """Leaves names such as openai-chat on one line, so that they can be read and copied. On a narrow
    terminal an option stands above its text.
    """

    width: int

    def __init__(self, *rest: Any, **named: Any) -> None:
        super().__init__(*rest, **named)
        # By itself it takes no terminal to be narrower than 52.
        self.width = min(self.width, get_terminal_size().columns - MARGIN)

    def write_dl(self, rows: Sequence[tuple[str, str]], *rest: Any, **named: Any) -> None:
        unbroken = []
        for name, text in rows:
            unbroken.append((name, _INSIDE.sub(_STAYS, text)))
        if self.width < NARROW:
            named["col_max"] = INDENT
        super().write_dl(unbroken, *rest, **named)

    def getvalue(self) -> str:
        return str(super().getvalue()).replace(_STAYS, "-")


class _Named(_Context):  # type: ignore[misc]
    formatter_class = _Formatter


class WholeCommand(TyperCommand):
    """A command whose options stand under the titles that the table gives them."""

    context_class = _Named

    def format_options(self, ctx: Any, formatter: Any) -> None:
        name = ctx.command_path.partition(" ")[2]
        for title, rows in _sections(self, ctx, _command_named(name)):
            with formatter.section(title):
                formatter.write_dl(rows)


class WholeGroup(TyperGroup):
    """A group whose commands are told in whole sentences."""

    context_class = _Named

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows: Rows = []
        for name, command in self.commands.items():
            if not command.hidden:
                rows.append((name, command.help or ""))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Front(WholeGroup):
    """The first screen."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(first_screen())


def _sections(command: WholeCommand, ctx: Any, row: Command | None) -> Sections:
    """The rows of help under their titles, in the order in which they are read."""
    titles: dict[str, str] = {}
    if row:
        titles = {option.name: option.group for option in row.every_option}

    arguments: Rows = []
    sections: dict[str, Rows] = {OPTIONS: []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        if parameter.param_type_name == "argument":
            arguments.append(record)
            continue
        title = titles.get(parameter.name or "") or OPTIONS
        sections.setdefault(title, []).append(record)

    if arguments:
        return {"Arguments": arguments, **sections}.items()
    return sections.items()


def _command_named(name: str) -> Command | None:
    for command in commands():
        if command.name == name:
            return command
    return None
