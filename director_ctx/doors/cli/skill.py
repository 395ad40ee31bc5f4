"""`dctx skill list` and `dctx skill show`."""

from __future__ import annotations

from director_ctx.context.skills.injections import find
from director_ctx.doors.cli.output import put, put_json
from director_ctx.doors.cli.table import put_lines, put_table
from director_ctx.errors import OK
from director_ctx.wiring.skills.find import here, skill_named, skills

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.context.skills.skill import Skill

LONGEST = 80


def listed(values: dict[str, Any]) -> int:
    found = skills(here(values["root"]))
    nearest = {skill.name: skill.path for skill in reversed(found)}
    if values["json"]:
        put_json([{**about(skill), "used": nearest[skill.name] == skill.path} for skill in found])
    elif found:
        put_table(["Skill", "From", "What for"], [_row(skill, nearest[skill.name]) for skill in found])
    else:
        put_lines([("There are no skills here.", "")])
    return OK


def _row(skill: Skill, nearest: str) -> list[str]:
    text = skill.description or skill.problem
    short = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return [skill.name, skill.source, short if skill.path == nearest else f"(a nearer one is used) {short}"]


def show(values: dict[str, Any]) -> int:
    skill = skill_named(values["name"], here(values["root"]))
    if values["json"]:
        commands = [
            {"line": _line(skill, one.line), "form": one.form, "command": one.command} for one in find(skill.body)
        ]
        put_json({**about(skill), "frontmatter": _simple(skill.about), "body": skill.body, "commands": commands})
    else:
        put(skill.text)
    return OK


def about(skill: Skill) -> dict[str, Any]:
    return {
        "name": skill.name,
        "from": skill.source,
        "path": skill.path,
        "description": skill.description,
        "problem": skill.problem,
    }


def _line(skill: Skill, line: int) -> int:
    return skill.first_line + line - 1


def _simple(value: Any) -> Any:
    """YAML knows dates; JSON does not."""
    if isinstance(value, dict):
        return {str(key): _simple(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_simple(one) for one in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
