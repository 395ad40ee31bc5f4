"""A skill as an agent reads it: the commands of a short list carried out, everything else as it stands, with a note."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.skills.carrying_out import Carried, carry_out
from director_ctx.clients.skills.injections import BLOCK, MOST, Injection, find
from director_ctx.clients.skills.printed import spliced
from director_ctx.project.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.skills.arguments import Values
    from director_ctx.clients.skills.skill import Skill

NOT_LISTED = (
    "not run: dctx runs cat of files in .director/, git log, git status, git diff --stat,"
    " and its own commands that only read"
)


class Rendering(Record):
    text: str
    commands: tuple[tuple[Injection, Carried], ...]


def render(skill: Skill, values: Values, root: str) -> Rendering:
    injections = find(skill.body)
    if len(injections) > MOST:
        raise DctxError(
            f"{skill.path} has {len(injections):,} commands.", f"A skill may have {MOST}."
        )
    project = Project(root)
    commands: list[tuple[Injection, Carried]] = []
    for injection in injections:
        carried = carry_out(injection.command, project, values)
        if carried is None:
            written = skill.body[injection.start : injection.end]
            # Behind the end of a fence, a note would keep it open.
            between = "\n" if injection.form == BLOCK else " "
            carried = Carried(f"{written}{between}({NOT_LISTED})", NOT_LISTED)
        commands.append((injection, carried))
    outputs = [carried.output for _, carried in commands]
    return Rendering(spliced(skill.body, values, injections, outputs), tuple(commands))
