"""A skill as an agent reads it: its commands carried out and put in their places; counted, and
recorded to be rendered again.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.skills.allowed import FILES, OWN, own_words
from director_ctx.clients.skills.carrying_out import Carried, carry_out, is_context
from director_ctx.clients.skills.plan import plan
from director_ctx.clients.skills.printed import harmless, printed, spliced
from director_ctx.clients.skills.shell import INSIDE
from director_ctx.context.settings.budget import BY_DEFAULT, DEFAULT_WINDOW, Window
from director_ctx.context.settings.options import load_settings, said_window
from director_ctx.context.settings.request import Settings
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.project.project import Project
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.clients.skills.arguments import Values
    from director_ctx.clients.skills.command import Filled
    from director_ctx.clients.skills.injections import Injection
    from director_ctx.clients.skills.plan import PlannedCommand
    from director_ctx.clients.skills.skill import Skill
    from director_ctx.context.settings.budget import Counter

    Carry = Callable[[PlannedCommand], Carried]


class Rendering(Record):
    text: str
    bare: str
    """The same with nothing where commands stood: what the skill costs by itself."""
    commands: tuple[Carried, ...]


def render(
    skill: Skill,
    values: Values,
    root: str,
    carry: Carry | None = None,
) -> Rendering:
    """The text of a skill; `carry` stands in for carrying out its commands."""
    # A skill whose command renders a skill could go on without end.
    if os.environ.get(INSIDE):
        raise DctxError(
            "A skill is being rendered already, and this is one of its commands.",
            "Take it out of there.",
        )
    project = Project(root)
    injections: list[Injection] = []
    commands: list[Carried] = []
    for planned in plan(skill, values, root):
        injections.append(planned.injection)
        if carry:
            commands.append(carry(planned))
        else:
            commands.append(carry_out(planned, project, values))

    outputs = [command.output for command in commands]
    nothing = [""] * len(injections)
    text = spliced(skill.body, values, injections, outputs)
    bare = spliced(skill.body, values, injections, nothing)
    return Rendering(text, bare, tuple(commands))


class Settled(Record):
    counted: tuple[Callable[[str], int], Counter]
    window: Window
    warnings: tuple[str, ...]


def settle(root: str, counter: str | None, model: str | None) -> Settled:
    """The project's own settings count wherever there is a project."""
    settings = Settings()
    folder = os.path.join(root, FOLDER)
    if os.path.isdir(folder):
        settings = load_settings(Project(root))

    window, warnings = said_window(None, model, settings)
    if not window:
        window = Window(DEFAULT_WINDOW, BY_DEFAULT)
    if counter is None:
        counter = settings.counter
    model_name = model or settings.model
    counted = choose_counter(counter, model_name, settings.models)
    return Settled(counted, window, warnings)


def known_output(
    planned: PlannedCommand,
    root: str,
    values: Values,
) -> str | None:
    """What a command will print, where dctx finds that out by itself, without leaving a trace."""
    kinds = set(planned.kinds)
    if not kinds or not kinds <= {FILES, OWN}:
        return None
    lines = tuple(map(_unrecorded, planned.lines, planned.kinds))
    unrecorded = planned.replace(lines=lines)
    carried = carry_out(unrecorded, Project(root), values)
    return carried.output


def _unrecorded(line: Filled, kind: str) -> Filled:
    """Nobody is told this context, so it is nothing to be kept on record."""
    if not is_context(line, kind):
        return line
    # Right behind `assemble`, the first of the words that are dctx's own.
    before_own = len(line.words) - len(own_words(line.words))
    at = before_own + 1
    words = (*line.words[:at], "--no-record", *line.words[at:])
    return line.replace(words=words)


_HINT = "Make it with `dctx skill render NAME --record FILE`."


def recorded(skill: Skill, done: Rendering) -> dict[str, Any]:
    commands = []
    for carried in done.commands:
        row = {
            "command": carried.planned.command,
            "output": carried.output,
            "failed": carried.failed,
        }
        commands.append(row)
    return {"skill": skill.name, "commands": commands}


def replayed(text: str) -> Carry:
    """Stands in for carrying out commands; each record of a command is used once, the last one ever
    after.
    """
    records_by_command = _read(text)

    def carry(planned: PlannedCommand) -> Carried:
        records = records_by_command.get(planned.command)
        if not records:
            raise DctxError(
                f"`{planned.command}` has no record.", "Record it again: --record FILE."
            )
        output, failed = records[0]
        if len(records) > 1:
            records.pop(0)
        safe = harmless(output, _is_context(planned))
        return Carried(planned, printed(safe), failed)

    return carry


def _is_context(planned: PlannedCommand) -> bool:
    """A record is text from a file. Only where our own context stood may it hold our tags."""
    if not planned.kinds:
        return False
    return all(map(is_context, planned.lines, planned.kinds))


def _read(text: str) -> dict[str, list[tuple[str, str]]]:
    """What each command gave, in the order in which it was carried out."""
    import json

    records: dict[str, list[tuple[str, str]]] = {}
    try:
        for row in json.loads(text)["commands"]:
            command = str(row["command"])
            output = str(row["output"])
            failed = str(row["failed"])
            records.setdefault(command, []).append((output, failed))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DctxError("That is no record of a skill.", _HINT) from error
    return records
