"""A skill as an agent reads it: planned, carried out, put together; counted, and recorded to be
rendered again.
"""

from __future__ import annotations

import os
import sys

import director_ctx
from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.secrets.file_names import is_secret
from director_ctx.clients.skills.allowed import FILES, HISTORY, OWN, own_words, path_in_folder
from director_ctx.clients.skills.git_words import run_git
from director_ctx.clients.skills.plan import REFUSED, PlannedCommand, plan
from director_ctx.clients.skills.printed import harmless, note, printed, spliced
from director_ctx.clients.skills.shell import (
    INSIDE,
    CommandOutcome,
    environment,
    run_script,
    run_words,
)
from director_ctx.context.settings.budget import BY_DEFAULT, DEFAULT_WINDOW, Window
from director_ctx.context.settings.options import load_settings, said_window
from director_ctx.context.settings.request import Settings
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.project.project import Project
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.clients.skills.arguments import Values
    from director_ctx.clients.skills.command import Filled
    from director_ctx.clients.skills.injections import Injection
    from director_ctx.clients.skills.plan import PlannedCommand
    from director_ctx.clients.skills.skill import Skill
    from director_ctx.context.settings.budget import Counter

    Carry = Callable[[PlannedCommand], "Carried"]


class Carried(Record):
    """What stands where a command stood, and why that is only a note."""

    planned: PlannedCommand
    output: str
    failed: str = ""


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


def carry_out(
    planned: PlannedCommand,
    project: Project,
    values: Values,
) -> Carried:
    """What one command printed; a note where it may not run, or failed."""
    if planned.leave == REFUSED:
        why = planned.why
        if planned.ask:
            why = f"{why}; {planned.ask}"
        return _failed(planned, why)

    outcome = _run_lines(planned, project, values)
    if outcome.why:
        return _failed(planned, outcome.why)
    if outcome.code:
        complaint = _first_line(outcome.complaint) or _last_line(outcome.output)
        why = complaint or f"it ended with exit code {outcome.code}"
        return _failed(planned, why)
    return Carried(planned, printed(outcome.output))


def _failed(planned: PlannedCommand, why: str) -> Carried:
    text = note(planned.command, why)
    return Carried(planned, text, why)


def _first_line(text: str) -> str:
    first, _, _ = text.strip().partition("\n")
    return first


def _last_line(text: str) -> str:
    """What it said when it gave up, where both streams are one."""
    _, _, last = text.strip().rpartition("\n")
    return last


def _run_lines(
    planned: PlannedCommand,
    project: Project,
    values: Values,
) -> CommandOutcome:
    if not planned.lines:
        outcome = run_script(planned.injection.command, project.root, values.places)
        output = harmless(outcome.output, ours=False)
        return outcome.replace(output=output)

    kinds = planned.kinds or ("",) * len(planned.lines)
    output = ""
    stopped = ""
    for line, kind in zip(planned.lines, kinds, strict=True):
        outcome = _line(line, kind, project, values)
        output += outcome.output
        stopped = stopped or outcome.why
    # As in a shell, the last line says how it ended.
    return CommandOutcome(
        output=output,
        code=outcome.code,
        why=stopped,
        complaint=outcome.complaint,
    )


def is_context(line: Filled, kind: str) -> bool:
    """Whether it prints a context that dctx assembled itself: the tags in that are real."""
    if kind != OWN:
        return False
    command = own_words(line.words)[0]
    return command == "assemble"


def _line(
    line: Filled,
    kind: str,
    project: Project,
    values: Values,
) -> CommandOutcome:
    """One line, and what a shell would do around it."""
    outcome = _run(line.words, kind, project, values)
    output = outcome.output
    code = outcome.code
    if line.head is not None:
        # A pipe ends as `head` does, which is well.
        output = _first_lines(output, line.head)
        code = 0
    if code and line.instead is not None:
        if line.instead:
            output += f"{line.instead}\n"
        code = 0

    complaint = outcome.complaint
    if line.quiet:
        complaint = ""
    why = outcome.why
    if code == 0:
        why = ""
    ours = is_context(line, kind)
    safe_complaint = harmless(complaint, ours=False)
    safe_output = harmless(output, ours)
    return CommandOutcome(
        output=safe_complaint + safe_output,
        code=code,
        why=why,
        complaint=complaint,
    )


def _first_lines(text: str, count: int) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(lines[:count])


def _run(
    words: Sequence[str],
    kind: str,
    project: Project,
    values: Values,
) -> CommandOutcome:
    if kind == FILES:
        return _print_files(words[1:], project)
    if kind == HISTORY:
        return run_git(project.root, words[1:])
    if kind == OWN:
        return _run_ourselves(own_words(words), project)
    env = environment(values.places)
    return run_words(words, project.root, env, apart=True)


def _print_files(paths: Sequence[str], project: Project) -> CommandOutcome:
    """`cat`, through the same reading as every context: links that leave the folder lead nowhere."""
    output: list[str] = []
    complaints: list[str] = []
    for path in paths:
        name = path_in_folder(path, project.root)
        document = None
        if not _is_hidden(name, project):
            document = project.document(name)
        if document:
            output.append(document.text)
        else:
            complaints.append(f"cat: {path}: No such file or directory\n")
    code = 0
    if complaints:
        code = 1
    return CommandOutcome(
        output="".join(output),
        code=code,
        why="",
        complaint="".join(complaints),
    )


def _is_hidden(name: str, project: Project) -> bool:
    """Whether a link leads to something that is never printed, or out of the folder."""
    real = os.path.realpath(project.location(name))
    folder = os.path.realpath(project.location(FOLDER))
    if not inside(real, folder):
        return True
    below = real[len(folder) :]
    return is_secret(below)


def _run_ourselves(words: Sequence[str], project: Project) -> CommandOutcome:
    """The program as a process of its own, which finds no module in the project and no other
    project.
    """
    root = project.root
    for word in words:
        name = path_in_folder(word, root)
        leads_to_hidden = name and _is_hidden(name, project)
        if leads_to_hidden:
            return CommandOutcome("", 1, f"{word} leads to what is not printed")

    package = os.path.dirname(os.path.abspath(director_ctx.__file__))
    paths = [os.path.dirname(package)]
    users_paths = os.environ.get("PYTHONPATH")
    if users_paths:
        paths.append(users_paths)
    env = dict(os.environ)
    env["DCTX_ROOT"] = root
    env["PYTHONPATH"] = os.pathsep.join(paths)

    # Without `-P`, Python looks for modules in the folder that it is called in.
    command = (sys.executable, "-P", "-m", "director_ctx", *words)
    return run_words(command, root, env, apart=True)


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
