"""Every command, once. The short way and the Typer app are both made from these tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.doors.cli.shared.options import Command

TABLES = {
    "contexts": ("init", "status", "next", "assemble", "budget", "profiles"),
    "upkeep": ("add", "task", "state", "doctor", "idea"),
    "accounts": ("diff", "lock", "tokens"),
    "memory": ("plan", "vars", "snapshot", "store"),
    "browser": ("browser",),
    "conversations": ("compress", "lost", "restore", "proxy", "history"),
    "clients": ("hook", "hooks", "skill", "plugin", "agents-md"),
}
"""Which table the first word of a command is in, so that a start reads only that one."""
GROUPS = {
    "add": "Add a goal, a step or a task.",
    "task": "Show a task, mark it done or open it again.",
    "state": "Bring the records in line with the files.",
    "idea": "Keep IDEAS.md.",
    "plan": "The plan: what is to be done, with every version kept.",
    "vars": "Variables: what was found out, for whoever works next.",
    "store": "Where plans and variables are kept.",
    "browser": "Look into a browser, and try things in it.",
    "history": "Read, search and summarize conversations.",
    "hooks": "Hand contexts to agents as they are spawned.",
    "skill": "Skills that load their own context.",
    "plugin": "A plugin for Claude Code.",
}
"""First words that are no commands themselves."""


def table(name: str) -> tuple[Command, ...]:
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
    return next(table for table, words in TABLES.items() if first_word in words)


def find(arguments: Sequence[str]) -> Command | None:
    """The command that these words begin with; two words mean more than one."""
    if not arguments:
        return None
    for name, first_words in TABLES.items():
        if arguments[0] in first_words:
            return _named(table(name), arguments)
    return None


def _named(rows: Sequence[Command], arguments: Sequence[str]) -> Command | None:
    known = {command.name: command for command in rows}
    two_words = known.get(" ".join(arguments[:2]))
    return two_words or known.get(arguments[0])


def run(command: Command, values: dict[str, Any]) -> int:
    """What a command does, once it is known where it would keep what it writes."""
    if command.store:
        from director_ctx.doors.cli.shared.store_notice import tell

        tell(values, command.store)

    name = f"director_ctx.doors.cli.{room(command.name)}.{command.module}"
    module = __import__(name, fromlist=["run"])
    call = getattr(module, command.call)
    return int(call(values))
