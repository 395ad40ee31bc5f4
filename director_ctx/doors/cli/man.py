"""The manual page `dctx(1)`, made of the tables of commands when a wheel is built (`hatch_build.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from director_ctx import __version__
from director_ctx.doors.cli.shared.menu import commands
from director_ctx.doors.cli.shared.options import EVERYWHERE
from director_ctx.doors.cli.shared.topics import ENVIRONMENT, EXIT_CODES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from director_ctx.doors.cli.shared.options import Argument, Command, Option

WHAT_IT_IS = "contexts for coding agents, assembled from a .director/ folder"
DESCRIPTION = (
    "dctx picks out of the Markdown in .director/ what one agent needs for one task: the vision, the step, its "
    "decisions, the task itself and the notes about the code that belong to it. What it prints is kept inside a "
    "budget of tokens, and it says what was cut. The same folder gives the same bytes, without a model and without a "
    "network.",
    "It also shortens long conversations with agents, and puts back what was cut.",
    "Results go to standard output, everything else to standard error.",
)
FILES = (
    (".director/", "What it is, the plan, and where it stands, as Markdown."),
    (".director/dctx.yaml", "Settings of the project."),
    (".director/.dctx/", "What dctx itself keeps. It may be deleted; only the store in it lasts."),
)


def page() -> str:
    """The whole page, in the language of `man`."""
    lines = [f'.TH DCTX 1 "" "dctx {__version__}" "User Commands"']
    lines += [".ad l", ".nh"]  # names and examples are neither stretched nor divided
    lines += [".SH NAME", f"dctx \\- {_plain(WHAT_IT_IS)}"]
    lines += [".SH SYNOPSIS", r".B dctx", r"\fICOMMAND\fR [\fIOPTION\fR]... [\fIARGUMENT\fR]..."]

    lines.append(".SH DESCRIPTION")
    first, *others = DESCRIPTION
    lines.append(_plain(first))
    for paragraph in others:
        lines += [".PP", _plain(paragraph)]

    lines.append(".SH COMMANDS")
    for command in commands():
        lines += _command(command)

    lines.append(".SH OPTIONS OF EVERY COMMAND")
    for option in EVERYWHERE:
        lines += _row(_flags(option), option.help)
    lines += [".SH EXIT STATUS", *_rows(_sentences(EXIT_CODES))]
    lines += [".SH ENVIRONMENT", *_rows(_sentences(ENVIRONMENT))]
    lines += [".SH FILES", *_rows(FILES)]
    lines += [".SH SEE ALSO", r"\fBdctx \-\-help\fR, and \fBdctx\fR \fICOMMAND\fR \fB\-\-help\fR."]
    return "\n".join(lines) + "\n"


def _command(command: Command) -> list[str]:
    """Its line, what it does, what it takes, and examples."""
    lines = [f".SS {_synopsis(command)}", _plain(command.help)]

    for argument in command.arguments:
        lines += _row(rf"\fI{_plain(argument.name.upper())}\fR", argument.help)
    title = ""
    for option in command.options:
        if option.group not in ("", title):
            title = option.group
            lines += [".PP", rf"\fI{_plain(title)}\fR"]
        lines += _row(_flags(option), option.help)

    if command.examples:
        lines += [".PP", ".nf", ".RS"]
        lines += [_plain(example) for example in command.examples]
        lines += [".RE", ".fi"]
    return lines


def _synopsis(command: Command) -> str:
    words = [rf"\fBdctx {_plain(command.name)}\fR"]
    if command.options:
        words.append(r"[\fIOPTION\fR]...")
    for argument in command.arguments:
        words.append(_place(argument))
    return " ".join(words)


def _place(argument: Argument) -> str:
    name = rf"\fI{_plain(argument.name.upper())}\fR"
    if argument.many:
        name += "..."
    if argument.required:
        return name
    return f"[{name}]"


def _flags(option: Option) -> str:
    """All ways to write an option, with what it takes."""
    flags = ", ".join(rf"\fB{_plain(flag)}\fR" for flag in option.flags)
    if option.metavar:
        return rf"{flags} \fI{_plain(option.metavar)}\fR"
    return flags


def _sentences(rows: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """As the texts about commands are written."""
    for name, meaning in rows:
        yield name, f"{meaning[0].upper()}{meaning[1:]}."


def _rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    lines = []
    for name, text in rows:
        lines += _row(rf"\fB{_plain(name)}\fR", text)
    return lines


def _row(title: str, text: str) -> list[str]:
    return [".TP", title, _plain(text)]


def _plain(text: str) -> str:
    """As it stands: nothing in it is a request, and a hyphen can be copied as one."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    if escaped.startswith((".", "'")):
        return rf"\&{escaped}"
    return escaped
