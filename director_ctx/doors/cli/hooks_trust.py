"""`dctx hooks trust`: what a project has agents told in its own words, and the user's word on it."""

from __future__ import annotations

from director_ctx.doors.cli.speak import say, speak
from director_ctx.errors import FAILED, OK
from director_ctx.folder.project import load_project
from director_ctx.folder.text import plain
from director_ctx.wiring.agreement import DEFAULT, agree, refuse, take_back
from director_ctx.wiring.overrides import not_agreed, unanswered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.folder.project import Project
    from director_ctx.wiring.agreement import Override

QUESTION = "Allow this?"


def run(values: dict[str, Any]) -> int:
    from director_ctx.doors.cli.asking import says_yes
    from director_ctx.doors.cli.table import put_lines

    project = load_project(root=values["root"])
    if values["revoke"]:
        taken = take_back(project)
        put_lines([("Taken back." if taken else "There was nothing to take back.", "bold")])
        return OK
    unused = not_agreed(project)
    if not unused:
        put_lines([("Nothing to do: this project has agents told nothing that you have not agreed to.", "bold")])
        return OK
    put_lines([(line, "") for line in _lines(project, unused)])
    if not values["yes"] and not says_yes(QUESTION):
        put_lines([("Nothing was allowed.", "bold")])
        return FAILED
    agree(project, unused)
    put_lines([("Allowed, until one of these changes.", "bold")])
    return OK


def ask_once(project: Project) -> None:
    """Whoever sits at the terminal, on standard error: the output may be a context. Each text is asked about once."""
    unused = unanswered(project)
    if not unused:
        return
    from director_ctx.doors.cli.asking import says_yes

    speak("".join(f"{line}\n" for line in _lines(project, unused)))
    if says_yes(QUESTION):
        agree(project, unused)
    else:
        refuse(project, unused)
        say("It is not used.", "`dctx hooks trust` asks again.")


def listed(unused: Sequence[Override]) -> str:
    return ", ".join(plain(one.thing) for one in unused)


def _lines(project: Project, unused: Sequence[Override]) -> Iterator[str]:
    yield f"{plain(project.root)} would have agents told, in its own words:"
    for one in unused:
        if one.thing == DEFAULT:
            yield f"  {DEFAULT}: {plain(one.text)}, for every type of agent that is not named"
            continue
        yield f"  {plain(one.thing)}"
        for line in one.text.splitlines():
            yield f"    {plain(line)}"
