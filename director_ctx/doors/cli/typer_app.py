"""The Typer app, made from the same table: help, completion, and words for what is wrong."""

from __future__ import annotations

import inspect
import shlex
from typing import TYPE_CHECKING, Any

import typer

from director_ctx import __version__
from director_ctx.doors.cli.complete import COMPLETERS, names_that_begin
from director_ctx.doors.cli.help_layout import Front, WholeCommand, WholeGroup
from director_ctx.doors.cli.shared.front import HIDDEN, first_words
from director_ctx.doors.cli.shared.menu import GROUPS, commands, find
from director_ctx.doors.cli.shared.menu import run as perform
from director_ctx.doors.cli.shared.options import FLAG, LIST, Argument, Command, Option
from director_ctx.doors.cli.shared.speak import speak

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Completer = Callable[[str], list[Any]]

INSTEAD = {
    "agents install": "dctx setup",
    "agents remove": "dctx setup --undo",
    "agents status": "dctx agents show",
    "agents trust": "dctx setup --trust",
    "agents uninstall": "dctx setup --undo",
    "browser close": "dctx browser act close TAB",
    "browser list": "dctx browser show",
    "browser navigate": "dctx browser open URL --tab TAB",
    "browser tabs": "dctx browser show",
    "compact": "dctx compress or dctx history summarize",
    "config check": "dctx config show",
    "config get": "dctx config show",
    "config list": "dctx config show",
    "context": "dctx assemble",
    "cost": "dctx budget",
    "dashboard": "dctx ui",
    "history check": "dctx doctor CONVERSATION",
    "history forget": "dctx history remove",
    "history get": "dctx restore ID",
    "history stats": "dctx history show --tokens",
    "history summaries": "dctx history list --summaries",
    "idea": "dctx add idea TEXT",
    "ideas": "dctx add idea TEXT",
    "install": "dctx setup",
    "list": "dctx status or dctx history list",
    "log": "dctx history list or dctx budget --history",
    "ls": "dctx status",
    "mcp install": "dctx setup --what mcp",
    "mcp remove": "dctx setup --undo --what mcp",
    "mcp uninstall": "dctx setup --undo --what mcp",
    "new": "dctx add",
    "plan diff": "dctx plan show --diff",
    "plan get": "dctx plan show",
    "plan history": "dctx plan show --versions",
    "plan list": "dctx plan show --versions",
    "prompt": "dctx assemble",
    "reopen": "dctx task done REF --undo",
    "rename": "dctx task move REF --title TITLE",
    "serve": "dctx ui or dctx mcp",
    "sessions": "dctx history list",
    "settings": "dctx config show",
    "skill install": "dctx setup --what skills",
    "skill list": "dctx skill show",
    "skill render": "dctx skill show NAME --rendered",
    "store info": "dctx store show",
    "summarize": "dctx compress or dctx history summarize",
    "task add": "dctx add task TITLE",
    "task complete": "dctx task done",
    "task list": "dctx status",
    "task rename": "dctx task move REF --title TITLE",
    "task reopen": "dctx task done REF --undo",
    "tasks": "dctx status",
    "todo": "dctx next",
    "undo": "dctx restore or dctx setup --undo",
    "uninstall": "dctx setup --undo",
    "variables": "dctx vars show",
    "vars get": "dctx vars show NAME",
    "vars history": "dctx vars show NAME --history",
    "vars list": "dctx vars show",
    "vars remove": "dctx vars clear NAME",
    "vars unset": "dctx vars clear NAME",
    "version": "dctx --version",
}
"""What people type, by other programs or by a guess, and the command that they mean. These are hints
and no other names: whoever typed it learns the command.
"""
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
        register = home.command(
            name,
            cls=WholeCommand,
            help=command.help,
            epilog=_examples(command.examples),
            # The hook is for clients.
            hidden=name in HIDDEN[:1],
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
    for argument in command.arguments:
        yield _argument(argument, COMPLETERS.get(argument.complete))


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
    """The command that was meant, if its name is another one, or only its second word was typed."""
    words = list(arguments[:2])
    is_bare = not any(word.startswith("-") for word in arguments)
    if words == ["task", "move"] and len(arguments) > 3 and is_bare:
        speak(
            "  hint: where it goes is named by --to, --before or --after: dctx task move 2/1/4 --to 2/2\n"
        )
        return
    if words == ["history", "proxy"]:
        _point_to_dashes(arguments)
        return
    meant = INSTEAD.get(" ".join(words)) or INSTEAD.get(" ".join(words[:1]))
    if not meant and words and words[0] not in first_words():
        names = [command.name for command in commands()]
        meant = " or ".join(f"dctx {name}" for name in names if name.split()[-1] == words[0])
    if not meant and len(words) == 2 and find(words) is None:
        # `dctx task 3`: a noun and what is to be shown.
        noun, thing = words
        shows = find((noun, "show"))
        if shows and shows.arguments:
            meant = f"dctx {noun} show {thing}"
    if meant:
        speak(f"  hint: {meant}\n")


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
