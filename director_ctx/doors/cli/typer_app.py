"""The Typer app, made from the same table: help, completion, and words for what is wrong."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from director_ctx import __version__
from director_ctx.doors.cli.complete import COMPLETERS
from director_ctx.doors.cli.shared.menu import GROUPS, commands
from director_ctx.doors.cli.shared.menu import run as perform
from director_ctx.doors.cli.shared.options import FLAG, LIST, Argument, Command, Option
from director_ctx.doors.cli.shared.speak import speak

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ALSO_CALLED = {"compact": "compress", "summarize": "compress", "undo": "restore"}
_TYPES: dict[str, Any] = {FLAG: bool, LIST: list[str]}


_INSIDE, _STAYS = re.compile(r"(?<=\w)-(?=\w)"), "\u2011"
"""A hyphen in a name, and one at which no line ends."""
_Context: Any = TyperCommand.context_class


class _Formatter(_Context.formatter_class):  # type: ignore[misc]
    """Leaves names such as openai-chat on one line, so that they can be read and copied."""

    def write_dl(self, rows: Sequence[tuple[str, str]], *rest: Any, **named: Any) -> None:
        super().write_dl(
            [(first, _INSIDE.sub(_STAYS, second)) for first, second in rows], *rest, **named
        )

    def getvalue(self) -> str:
        return str(super().getvalue()).replace(_STAYS, "-")


class _Named(_Context):  # type: ignore[misc]
    formatter_class = _Formatter


class _Whole(TyperCommand):
    context_class = _Named


def build() -> typer.Typer:
    """One app with a command for each row of the table."""
    app = _app("dctx", "Contexts for coding agents, assembled from a .director/ folder.")
    app.callback()(_top)
    groups = {name: _app(name, text, _firsts(name)) for name, text in GROUPS.items()}
    for command in commands():
        first, _, second = command.name.partition(" ")
        home, name = (groups[first], second) if first in groups else (app, command.name)
        home.command(name, cls=_Whole, help=command.help, epilog=_examples(command.examples))(
            _function(command)
        )
    for name, group in groups.items():
        app.add_typer(group, name=name)
    return app


def _app(name: str, text: str, examples: Sequence[str] = ()) -> typer.Typer:
    return typer.Typer(
        name=name,
        help=text,
        epilog=_examples(examples) if examples else None,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _version(wanted: bool) -> None:
    if wanted:
        print(f"dctx {__version__}")
        raise typer.Exit


def _top(
    version: bool = typer.Option(
        False, "--version", "-V", help="Print the version.", is_eager=True, callback=_version
    ),
) -> None:
    pass


def _firsts(group: str) -> list[str]:
    """An example of each command of a group."""
    return [
        command.examples[0]
        for command in commands()
        if command.name.split()[0] == group and command.examples
    ]


def _examples(examples: Sequence[str]) -> str:
    """One paragraph; `\\b` keeps its line breaks."""
    return "\n".join(["\b", "Examples:", *(f"  {example}" for example in examples)])


def _function(command: Command) -> Callable[..., int]:
    def run(**values: Any) -> int:
        plain = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        lists = {option.name for option in command.options if option.kind == LIST}
        lists |= {argument.name for argument in command.arguments if argument.many}
        values = {
            name: () if value is None and name in lists else value for name, value in plain.items()
        }
        return perform(command, values)

    parameters = [*map(_argument, command.arguments), *map(_option, command.options)]
    run.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _argument(argument: Argument) -> inspect.Parameter:
    default = ... if argument.required else None
    info = typer.Argument(
        default,
        metavar=argument.name.upper(),
        help=argument.help,
        autocompletion=COMPLETERS.get(argument.complete),
        show_default=False,
    )
    kind: Any = list[str] if argument.many else str
    return _parameter(argument.name, kind if argument.required else kind | None, info)


def _option(option: Option) -> inspect.Parameter:
    kind = _TYPES.get(option.kind, str)
    completion = COMPLETERS.get(option.complete) or (
        _among(option.values) if option.values else None
    )
    info = typer.Option(
        False if option.kind == FLAG else None,
        *option.flags,
        help=option.help,
        metavar=option.metavar or None,
        show_default=False,
        autocompletion=completion,
    )
    return _parameter(option.name, kind if option.kind == FLAG else kind | None, info)


def _among(values: tuple[str, ...]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return complete


def _joined(arguments: Sequence[str]) -> list[str]:
    """`lock verify` is a command beside `lock`: its two words are one name."""
    beside = {command.name for command in commands() if " " in command.name} - set(GROUPS)
    first = " ".join(arguments[:2])
    joined = first in beside and arguments[0] not in GROUPS
    return [first, *arguments[2:]] if joined else list(arguments)


def _point_to(arguments: Sequence[str]) -> None:
    """A first word that is no command may be the second of one, or what others call it."""
    words = [command.name.split() for command in commands()]
    if not arguments or arguments[0] in {word[0] for word in words}:
        return
    named = ALSO_CALLED.get(arguments[0], arguments[0])
    found = [f"dctx {' '.join(word)}" for word in words if word[-1] == named]
    if found:
        speak(f"  hint: {' or '.join(found)}\n")


def run(arguments: Sequence[str]) -> int:
    """Parses and runs; usage problems are said in Typer's words, with exit code 2."""
    command = typer.main.get_command(build())
    try:
        result = command.main(args=_joined(arguments), prog_name="dctx", standalone_mode=False)
    except typer.Abort:
        return 130
    except Exception as error:
        # Typer's own usage errors share no public base class since it stopped depending on click.
        show, code = getattr(error, "show", None), getattr(error, "exit_code", None)
        if show is None or code is None:
            raise
        show()
        _point_to(arguments)
        if getattr(error, "ctx", None) is None:
            speak("Try 'dctx COMMAND --help' for help.\n")
        return int(code)
    return int(result or 0)
