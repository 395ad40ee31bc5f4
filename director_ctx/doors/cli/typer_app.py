"""The Typer app, made from the same table: help, completion, and words for what is wrong."""

from __future__ import annotations

import inspect
import shlex
from typing import TYPE_CHECKING, Any

import typer

from director_ctx import __version__
from director_ctx.doors.cli.complete import COMPLETERS, names_that_begin, paths
from director_ctx.doors.cli.help_layout import Front, WholeCommand, WholeGroup
from director_ctx.doors.cli.shared.front import HIDDEN
from director_ctx.doors.cli.shared.menu import GROUPS, commands, find
from director_ctx.doors.cli.shared.menu import run as perform
from director_ctx.doors.cli.shared.options import FLAG, LIST, Argument, Command, Option
from director_ctx.doors.cli.shared.speak import speak

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Completer = Callable[[str], list[Any]]

# What other programs call these things, and so what people try first.
ALSO_CALLED = {
    "compact": ("compress", "summarize"),
    "summarize": ("compress", "summarize"),
    "undo": ("restore",),
    "uninstall": ("remove",),
}
ALSO_AN_OPTION = {"undo": "dctx setup --undo"}
"""What is an option of another command."""
TWO_WORDS = {
    "mcp install": "dctx setup --what mcp",
    "mcp remove": "dctx setup --undo --what mcp",
    "mcp uninstall": "dctx setup --undo --what mcp",
}
"""What begins with a command, and is another one."""
_TYPES: dict[str, Any] = {FLAG: bool, LIST: list[str]}


def build() -> typer.Typer:
    """One app with a command for each row of the table."""
    app = _app("dctx", "Contexts for coding agents, assembled from a .director/ folder.", cls=Front)
    app.callback()(_top)
    groups = {}
    for name, text in GROUPS.items():
        groups[name] = _app(name, text, _first_examples(name))

    for command in commands():
        first_word, _, second_word = command.name.partition(" ")
        home = app
        name = command.name
        if first_word in groups:
            home = groups[first_word]
            name = second_word
        # A name of two words is offered behind its first one, and the hook is for clients.
        register = home.command(
            name,
            cls=WholeCommand,
            help=command.help,
            epilog=_examples(command.examples),
            hidden=" " in name or name in HIDDEN[:1],
        )
        register(_function(command))

    for name, group in groups.items():
        app.add_typer(group, name=name)
    return app


def _app(
    name: str, text: str, examples: Sequence[str] = (), cls: type[WholeGroup] = WholeGroup
) -> typer.Typer:
    epilog = None
    if examples:
        epilog = _examples(examples)
    return typer.Typer(
        name=name,
        cls=cls,
        help=text,
        epilog=epilog,
        no_args_is_help=True,
        # `_Formatter` lays out plain help, and the boundary writes bugs to a log.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _version(is_asked: bool) -> None:
    if is_asked:
        print(f"dctx {__version__}")
        raise typer.Exit


def _top(
    version: bool = typer.Option(
        False, "--version", "-V", help="Print the version.", is_eager=True, callback=_version
    ),
) -> None:
    pass


def _first_examples(group: str) -> list[str]:
    """An example of each command of a group."""
    examples = []
    for command in commands():
        first_word = command.name.split()[0]
        if first_word == group and command.examples:
            examples.append(command.examples[0])
    return examples


def _examples(examples: Sequence[str]) -> str:
    """One paragraph; `\\b` keeps its line breaks."""
    lines = [f"  {example}" for example in examples]
    return "\n".join(["\b", "Examples:", *lines])


def _function(command: Command) -> Callable[..., int]:
    lists = _lists(command)

    # The short way gives tuples for what may be repeated, and never None.
    def run(**values: Any) -> int:
        for name, value in values.items():
            if isinstance(value, list):
                values[name] = tuple(value)
            elif value is None and name in lists:
                values[name] = ()
        return perform(command, values)

    parameters = [
        *_arguments(command),
        *map(_option, command.every_option),
    ]
    # Typer reads both to learn what a command takes.
    run.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _lists(command: Command) -> set[str]:
    """The names of what may be given several times."""
    names = set()
    for option in command.every_option:
        if option.kind == LIST:
            names.add(option.name)
    for argument in command.arguments:
        if argument.many:
            names.add(argument.name)
    return names


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _arguments(command: Command) -> Iterator[inspect.Parameter]:
    second = _second_words(command)
    for argument in command.arguments:
        completer = COMPLETERS.get(argument.complete)
        if second:
            # A shell offers files by itself only where it is offered nothing else.
            completer = _with(second, completer or paths)
            second = ()
        yield _argument(argument, completer)


def _second_words(command: Command) -> tuple[str, ...]:
    """What makes another command of this one, as `goal` does of `add`."""
    words = []
    for other in commands():
        if other.name.startswith(f"{command.name} "):
            words.append(other.name.split()[1])
    return tuple(words)


def _with(words: tuple[str, ...], completer: Completer) -> Completer:
    def complete(incomplete: str) -> list[Any]:
        return [*names_that_begin(words, incomplete), *completer(incomplete)]

    return complete


def _argument(argument: Argument, completer: Completer | None) -> inspect.Parameter:
    info = typer.Argument(
        ... if argument.required else None,
        metavar=argument.name.upper(),
        help=argument.help,
        autocompletion=completer,
        show_default=False,
    )
    kind: Any = list[str] if argument.many else str
    if not argument.required:
        kind = kind | None
    return _parameter(argument.name, kind, info)


def _option(option: Option) -> inspect.Parameter:
    kind = _TYPES.get(option.kind, str)
    default = None
    if option.kind == FLAG:
        default = False
    else:
        kind = kind | None

    completion = COMPLETERS.get(option.complete)
    if completion is None and option.values:
        completion = _among(option.values)

    info = typer.Option(
        default,
        *option.flags,
        help=option.help,
        metavar=option.metavar or None,
        show_default=False,
        autocompletion=completion,
    )
    return _parameter(option.name, kind, info)


def _among(values: tuple[str, ...]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        return names_that_begin(values, incomplete)

    return complete


def _point_to(arguments: Sequence[str]) -> None:
    """A first word that is no command may be the second of one, or what others call it."""
    is_bare = not any(word.startswith("-") for word in arguments)
    if list(arguments[:2]) == ["task", "move"] and len(arguments) > 3 and is_bare:
        speak(
            "  hint: where it goes is named by --to, --before or --after: dctx task move 2/1/4 --to 2/2\n"
        )
        return
    if list(arguments[:2]) == ["history", "proxy"]:
        _point_to_dashes(arguments)
        return
    meant = TWO_WORDS.get(" ".join(arguments[:2]))
    if meant:
        speak(f"  hint: {meant}\n")
        return
    names = [command.name.split() for command in commands()]
    first_words = {words[0] for words in names}
    if not arguments or arguments[0] in first_words:
        return

    own_names = ALSO_CALLED.get(arguments[0], (arguments[0],))
    hints = []
    for words in names:
        if words[-1] in own_names:
            hints.append(f"dctx {' '.join(words)}")
    if arguments[0] in ALSO_AN_OPTION:
        hints.append(ALSO_AN_OPTION[arguments[0]])
    if hints:
        speak(f"  hint: {' or '.join(hints)}\n")


def _point_to_dashes(arguments: Sequence[str]) -> None:
    """What belongs to a client that is run behind the proxy is taken for ours without them."""
    words = list(arguments)
    place = _place_of_client(words)
    if place is None or not any(word.startswith("-") for word in words[place:]):
        return
    with_dashes = shlex.join([*words[:place], "--", *words[place:]])
    speak(f"  hint: Put -- before the client: dctx {with_dashes}\n")


def _place_of_client(words: Sequence[str]) -> int | None:
    """Of the first word that is neither an option nor the value of one."""
    command = find(words)
    if command is None or "--" in words:
        return None
    with_values = {
        flag for option in command.every_option if option.kind != FLAG for flag in option.flags
    }
    is_value = False
    for place, word in enumerate(words):
        if place < len(command.name.split()) or is_value:
            is_value = False
        elif word.startswith("-"):
            is_value = word in with_values
        else:
            return place
    return None


def program() -> Any:
    """The app as what reads a command line."""
    return typer.main.get_command(build())


def run(arguments: Sequence[str]) -> int:
    """Parses and runs; usage problems are said in Typer's words, with exit code 2."""
    try:
        result = program().main(args=list(arguments), prog_name="dctx", standalone_mode=False)
    except typer.Abort:
        return 130
    except Exception as error:
        # Typer's own usage errors share no public base class since it stopped depending on click.
        show = getattr(error, "show", None)
        code = getattr(error, "exit_code", None)
        if show is None or code is None:
            raise
        show()
        _point_to(arguments)
        if getattr(error, "ctx", None) is None:
            speak(f"{_where_help_is(arguments)}\n")
        return int(code)
    return int(result or 0)


def _where_help_is(arguments: Sequence[str]) -> str:
    """Typer names the command of some errors only."""
    known = {tuple(command.name.split()) for command in commands()}
    for length in (2, 1):
        words = tuple(arguments[:length])
        if words in known:
            return f"Try 'dctx {' '.join(words)} -h' for help."
    return "For help: dctx help."
