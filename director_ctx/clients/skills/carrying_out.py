"""Carries out the commands of a skill as they were planned: files and git by ourselves, dctx as a
process of its own, the rest as the user has allowed it.
"""

from __future__ import annotations

import os
import sys

import director_ctx
from director_ctx.base.record import Record
from director_ctx.base.secrets.file_names import is_secret
from director_ctx.clients.skills.allowed import FILES, HISTORY, OWN, own_words, path_in_folder
from director_ctx.clients.skills.git_words import run_git
from director_ctx.clients.skills.plan import REFUSED
from director_ctx.clients.skills.printed import harmless, note, printed
from director_ctx.clients.skills.shell import CommandOutcome, environment, run_script, run_words
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.skills.arguments import Values
    from director_ctx.clients.skills.command import Filled
    from director_ctx.clients.skills.plan import PlannedCommand
    from director_ctx.project.project import Project


class Carried(Record):
    """What stands where a command stood, and why that is only a note."""

    planned: PlannedCommand
    output: str
    failed: str = ""


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
