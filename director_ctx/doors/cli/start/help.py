"""`dctx help`: the first screen, every command, one of them, or a topic."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.doors.cli.shared.front import every_command, first_screen
from director_ctx.doors.cli.shared.menu import GROUPS, commands
from director_ctx.doors.cli.shared.old_names import refuse_old_name
from director_ctx.doors.cli.shared.output import put
from director_ctx.doors.cli.shared.topics import TOPICS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def run(values: dict[str, Any]) -> int:
    words = values["topic"]
    if values["all"] and words:
        raise UsageProblem("--all is every command, so it takes no name.", "Leave out one of them.")
    if values["all"]:
        put(every_command())
    elif not words:
        put(first_screen())
    else:
        return _about(words)
    return OK


def _about(words: tuple[str, ...]) -> int:
    name = " ".join(words)
    # `budget` is a command as well as a topic: its help, and what the words in it mean.
    is_command = name in GROUPS or name in [command.name for command in commands()]
    if is_command:
        code = _help_of(words)
        if name in TOPICS:
            put(f"\n{TOPICS[name]}")
        return code
    if name in TOPICS:
        put(TOPICS[name])
        return OK

    refuse_old_name(words)
    known = ", ".join(TOPICS)
    raise UsageProblem(
        f"There is no help about {name!r}.", f"Topics: {known}; or a command of `dctx help --all`."
    )


def _help_of(words: tuple[str, ...]) -> int:
    # Typer takes its time to load, and only the help of a command needs it.
    from director_ctx.doors.cli import typer_app

    return typer_app.run([*words, "--help"])
