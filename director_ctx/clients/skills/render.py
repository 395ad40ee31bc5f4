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
from director_ctx.clients.skills.allowed import FILES, HISTORY, OWN, own_words, place_in_folder
from director_ctx.clients.skills.git_words import run_git
from director_ctx.clients.skills.plan import REFUSED, Planned, plan
from director_ctx.clients.skills.printed import harmless, note, printed, spliced
from director_ctx.clients.skills.shell import INSIDE, Ran, environment, run_script, run_words
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
    from director_ctx.clients.skills.plan import Planned
    from director_ctx.clients.skills.skill import Skill
    from director_ctx.context.settings.budget import Counter

    Carry = Callable[[Planned], "Carried"]


class Carried(Record):
    """What stands where a command stood, and why that is only a note."""

    planned: Planned
    output: str
    failed: str = ""


class Rendering(Record):
    text: str
    bare: str
    """The same with nothing where commands stood: what the skill costs by itself."""
    commands: tuple[Carried, ...]


def render(skill: Skill, values: Values, root: str, carry: Carry | None = None) -> Rendering:
    """The text of a skill; `carry` stands in for carrying out its commands."""
    if os.environ.get(INSIDE):
        raise DctxError(
            "A skill is being rendered already, and this is one of its commands.",
            "Take it out of there.",
        )
    planned = plan(skill, values, root)
    project = Project(root)
    done = tuple(carry(one) if carry else carry_out(one, project, values) for one in planned)
    places = [one.injection for one in planned]
    text = spliced(skill.body, values, places, [one.output for one in done])
    return Rendering(text, spliced(skill.body, values, places, [""] * len(places)), done)


def carry_out(planned: Planned, project: Project, values: Values) -> Carried:
    """What one command printed; a note where it may not run, or failed."""
    if planned.leave == REFUSED:
        return _failed(planned, "; ".join(filter(None, (planned.why, planned.ask))))
    ran = _carry(planned, project, values)
    if ran.why or ran.code:
        said = (
            ran.why
            or _first_line(ran.complaint)
            or _last_line(ran.output)
            or f"it ended with exit code {ran.code}"
        )
        return _failed(planned, said)
    return Carried(planned, printed(ran.output))


def _failed(planned: Planned, why: str) -> Carried:
    return Carried(planned, note(planned.command, why), why)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _last_line(text: str) -> str:
    """What it said when it gave up, where both streams are one."""
    return text.strip().rpartition("\n")[2]


def _carry(planned: Planned, project: Project, values: Values) -> Ran:
    if not planned.lines:
        ran = run_script(planned.injection.command, project.root, values.places)
        return ran.replace(output=harmless(ran.output, False))
    kinds = planned.kinds or ("",) * len(planned.lines)
    done = [
        _line(line, kind, project, values) for line, kind in zip(planned.lines, kinds, strict=True)
    ]
    stopped = next((ran.why for ran in done if ran.why), "")
    return Ran("".join(ran.output for ran in done), done[-1].code, stopped, done[-1].complaint)


def is_context(line: Filled, kind: str) -> bool:
    """Whether it prints a context that dctx assembled itself: the tags in that are real."""
    return kind == OWN and own_words(line.words)[0] == "assemble"


def _line(line: Filled, kind: str, project: Project, values: Values) -> Ran:
    """One line, and what a shell would do around it."""
    ran = _run(line.words, kind, project, values)
    output, code = ran.output, ran.code
    if line.head is not None:
        output, code = "".join(output.splitlines(keepends=True)[: line.head]), 0
    if code and line.instead is not None:
        output, code = output + (f"{line.instead}\n" if line.instead else ""), 0
    said = "" if line.quiet else ran.complaint
    whole = harmless(said, False) + harmless(output, is_context(line, kind))
    return Ran(whole, code, ran.why if code else "", said)


def _run(words: Sequence[str], kind: str, project: Project, values: Values) -> Ran:
    if kind == FILES:
        return _print_files(words[1:], project)
    if kind == HISTORY:
        return run_git(project.root, words[1:])
    if kind == OWN:
        return _run_ourselves(own_words(words), project)
    return run_words(words, project.root, environment(values.places), apart=True)


def _print_files(paths: Sequence[str], project: Project) -> Ran:
    """`cat`, through the same reading as every context: links that leave the folder lead nowhere."""
    output, complaint = list[str](), list[str]()
    for path in paths:
        place = place_in_folder(path, project.root)
        document = None if _hidden(place, project) else project.document(place)
        if document:
            output.append(document.text)
        else:
            complaint.append(f"cat: {path}: No such file or directory\n")
    return Ran("".join(output), int(bool(complaint)), "", "".join(complaint))


def _hidden(place: str, project: Project) -> bool:
    """Whether a link leads to something that is never printed, or out of the folder."""
    real, folder = (
        os.path.realpath(project.location(place)),
        os.path.realpath(project.location(FOLDER)),
    )
    return is_secret(real[len(folder) :]) or not inside(real, folder)


def _run_ourselves(words: Sequence[str], project: Project) -> Ran:
    """The program as a process of its own, which finds no module in the project and no other
    project.
    """
    root = project.root
    if led := [
        word for word in words if (place := place_in_folder(word, root)) and _hidden(place, project)
    ]:
        return Ran("", 1, f"{led[0]} leads to what is not printed")
    above = os.path.dirname(os.path.dirname(os.path.abspath(director_ctx.__file__)))
    path = os.pathsep.join(filter(None, (above, os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "DCTX_ROOT": root, "PYTHONPATH": path}
    return run_words((sys.executable, "-P", "-m", "director_ctx", *words), root, env, apart=True)


class Settled(Record):
    counted: tuple[Callable[[str], int], Counter]
    window: Window
    warnings: tuple[str, ...]


def settle(root: str, counter: str | None, model: str | None) -> Settled:
    """The project's own settings count wherever there is a project."""
    there = os.path.isdir(os.path.join(root, FOLDER))
    settings = load_settings(Project(root)) if there else Settings()
    name = model or settings.model
    window, warnings = said_window(None, model, settings)
    window = window or Window(DEFAULT_WINDOW, BY_DEFAULT)
    chosen = settings.counter if counter is None else counter
    return Settled(choose_counter(chosen, name, settings.models), window, warnings)


def known_output(planned: Planned, root: str, values: Values) -> str | None:
    """What a command will print, where dctx finds that out by itself, without leaving a trace."""
    if not planned.kinds or not set(planned.kinds) <= {FILES, OWN}:
        return None
    unrecorded = tuple(map(_unrecorded, planned.lines, planned.kinds))
    return carry_out(planned.replace(lines=unrecorded), Project(root), values).output


def _unrecorded(line: Filled, kind: str) -> Filled:
    """Nobody is told this context, so it is nothing to be kept on record."""
    if not is_context(line, kind):
        return line
    behind = len(line.words) - len(own_words(line.words)) + 1
    return line.replace(words=(*line.words[:behind], "--no-record", *line.words[behind:]))


_HINT = "Make it with `dctx skill render NAME --record FILE`."


def recorded(skill: Skill, done: Rendering) -> dict[str, Any]:
    commands = [
        {"command": one.planned.command, "output": one.output, "failed": one.failed}
        for one in done.commands
    ]
    return {"skill": skill.name, "commands": commands}


def replayed(text: str) -> Carry:
    """Stands in for carrying out commands; each record of a command is used once, the last one ever
    after.
    """
    kept = _read(text)

    def carry(planned: Planned) -> Carried:
        records = kept.get(planned.command, [])
        if not records:
            raise DctxError(
                f"`{planned.command}` has no record.", "Record it again: --record FILE."
            )
        output, failed = records.pop(0) if len(records) > 1 else records[0]
        return Carried(planned, printed(harmless(output, _is_context(planned))), failed)

    return carry


def _is_context(planned: Planned) -> bool:
    """A record is text from a file. Only where our own context stood may it hold our tags."""
    return bool(planned.kinds) and all(map(is_context, planned.lines, planned.kinds))


def _read(text: str) -> dict[str, list[tuple[str, str]]]:
    import json

    try:
        records = json.loads(text)["commands"]
        kept: dict[str, list[tuple[str, str]]] = {}
        for one in records:
            kept.setdefault(str(one["command"]), []).append(
                (str(one["output"]), str(one["failed"]))
            )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DctxError("That is no record of a skill.", _HINT) from error
    return kept
