"""`dctx help`: the first screen, every command, one of them, or a topic."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.doors.cli.shared.front import every_command, first_screen
from director_ctx.doors.cli.shared.menu import GROUPS, commands
from director_ctx.doors.cli.shared.output import put
from director_ctx.doors.cli.shared.table import put_lines
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
            put("\n")
            _put_topic(name)
        return code
    if name in TOPICS:
        _put_topic(name)
        return OK

    known = ", ".join(TOPICS)
    hint = f"Topics: {known}; or a command of `dctx help --all`."
    near = _near(name)
    if near:
        hint = f"Did you mean {' or '.join(f'`dctx help {other}`' for other in near)}? {hint}"
    raise UsageProblem(f"There is no help about {name!r}.", hint)


def _put_topic(name: str) -> None:
    """A terminal that is narrower than the text breaks its lines between words."""
    lines = TOPICS[name].removesuffix("\n").split("\n")
    put_lines([(line, "") for line in lines])


def _near(name: str) -> list[str]:
    """Commands of which it is the second word, else what is written nearly like it."""
    # Only a mistake waits for it.
    from difflib import get_close_matches

    names = [*TOPICS, *GROUPS, *(command.name for command in commands())]
    ending = [other for other in names if other.endswith(f" {name}")]
    return ending or get_close_matches(name, names, 2)


def _help_of(words: tuple[str, ...]) -> int:
    # Typer takes its time to load, and only the help of a command needs it.
    from director_ctx.doors.cli import typer_app

    return typer_app.run([*words, "--help"])
