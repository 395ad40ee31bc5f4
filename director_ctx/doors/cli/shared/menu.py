"""Every command, once. The short way and the Typer app are both made from these tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.doors.cli.shared.options import Command

TABLES = {
    "start": ("setup", "demo", "init", "config", "help"),
    "contexts": ("status", "next", "ui", "assemble", "budget", "profiles"),
    "upkeep": ("add", "task", "doctor"),
    "accounts": ("diff", "tokens"),
    "memory": ("plan", "vars", "store"),
    "browser": ("browser",),
    "chat": ("chat",),
    "conversations": ("compress", "restore", "history"),
    "clients": ("hook", "agents", "skill", "mcp"),
}
"""Which table the first word of a command is in, so that a start reads only that one."""
HELP = (["-h"], ["--help"])
GROUPS = {
    "config": "Show the settings of a project, and change one.",
    "task": "Show, start, finish, move, rename or remove a task.",
    "plan": "The plan: what is to be done, with every version kept.",
    "vars": "Variables: what was found out, for whoever works next.",
    "store": "Where plans and variables are kept.",
    "browser": "Look into a browser, and try things in it.",
    "history": "Read, search and summarize conversations.",
    "agents": "What is in Claude Code, Codex and other clients, and whether it works.",
    "skill": "Skills that load their own context.",
}
"""First words that are no commands themselves."""


def table(name: str) -> tuple[Command, ...]:
    """The commands of one room."""
    # `importlib.import_module` would be a module more to load at every start.
    module = __import__(f"director_ctx.doors.cli.{name}.menu", fromlist=["COMMANDS"])
    rows: tuple[Command, ...] = module.COMMANDS
    return rows


def commands() -> tuple[Command, ...]:
    """All of them, in the order of `dctx --help`."""
    every_command: list[Command] = []
    for name in TABLES:
        every_command += table(name)
    return tuple(every_command)


def room(name: str) -> str:
    """The package that a command is in, beside its table."""
    first_word = name.split(" ", 1)[0]
    for table_name, first_words in TABLES.items():
        if first_word in first_words:
            return table_name
    raise LookupError(f"no room has {name}")


def find(arguments: Sequence[str]) -> Command | None:
    """The command that these words begin with; two words mean more than one."""
    if not arguments:
        return None
    for name, first_words in TABLES.items():
        if arguments[0] in first_words:
            return _command_named(table(name), arguments)
    return None


def with_verb(arguments: Sequence[str]) -> Sequence[str]:
    """A bare noun shows: `dctx plan` is `dctx plan show`, `dctx history` is `dctx history list`."""
    noun, *rest = arguments or ("",)
    if noun not in GROUPS or (rest and not rest[0].startswith("-")) or rest[:1] in HELP:
        return arguments
    for verb in ("list", "show"):
        command = find((noun, verb))
        if command and not any(argument.required for argument in command.arguments):
            return (noun, verb, *rest)
    return arguments


def _command_named(rows: Sequence[Command], arguments: Sequence[str]) -> Command | None:
    by_name = {command.name: command for command in rows}
    two_words = " ".join(arguments[:2])
    return by_name.get(two_words) or by_name.get(arguments[0])


def run(command: Command, values: dict[str, Any]) -> int:
    """What a command does, once it is known where it would keep what it writes."""
    if command.store:
        # Said first: whoever expects things elsewhere should read the answer with that in mind.
        from director_ctx.doors.cli.shared.store_notice import say_where_kept_here

        say_where_kept_here(values, command.store)

    name = f"director_ctx.doors.cli.{room(command.name)}.{command.module}"
    module = __import__(name, fromlist=["run"])
    call = getattr(module, command.call)
    return int(call(values))
