"""`dctx skill trust`: what a skill would run, and the user's word on it."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.base.text import plain
from director_ctx.clients.skills.allowed import unseen
from director_ctx.clients.skills.find import here, skill_named, values_for
from director_ctx.clients.skills.plan import ALLOWED, TRUSTED, in_record, mark, plan
from director_ctx.context.settings.consents import keep
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.table import put_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.clients.skills.arguments import Values
    from director_ctx.clients.skills.plan import PlannedCommand
    from director_ctx.clients.skills.skill import Skill


def run(values: dict[str, Any]) -> int:
    root = here(values["root"])
    skill = skill_named(values["name"], root)
    if values["revoke"]:
        return _revoke(skill, root)

    # Without arguments: consent is for what was shown, and what only an argument made is not.
    arguments = values_for(skill, (), root)
    wanting = [command for command in plan(skill, arguments, root) if command.leave != ALLOWED]
    if not wanting:
        put_lines([("Nothing to do: it runs nothing that needs your word.", "bold")])
        return OK
    if all(command.leave == TRUSTED for command in wanting):
        put_lines([("Nothing to do: it is allowed already.", "bold")])
        return OK

    shown = mark(skill, root, arguments)
    if not shown:
        raise DctxError(
            f"More lies beside {plain(skill.path)}, or is named in it, than can be watched.",
            "Keep only its own files; have it name files, not folders.",
        )
    put_lines(list(_lines(skill, root, wanting, arguments)))
    if not values["yes"] and not says_yes("Allow this?"):
        put_lines([("Nothing was allowed.", "bold")])
        return FAILED
    keep(root, {in_record(skill): shown})
    put_lines([("Allowed, until the skill or a script that it names changes.", "bold")])
    return OK


def _revoke(skill: Skill, root: str) -> int:
    if keep(root, {in_record(skill): ""}):
        put_lines([("Taken back.", "bold")])
    else:
        put_lines([("There was nothing to take back.", "bold")])
    return OK


def _lines(
    skill: Skill, root: str, wanting: list[PlannedCommand], arguments: Values
) -> Iterator[tuple[str, str]]:
    yield f"{plain(skill.path)} would run, in {plain(root)}:", "bold"
    for planned in wanting:
        command = planned.injection.command
        for line in command.split("\n"):
            yield f"  {plain(line)}", ""
        sign = unseen(command, arguments)
        if sign:
            yield f"    What it runs cannot all be watched, because of the {sign} in it.", "yellow"
