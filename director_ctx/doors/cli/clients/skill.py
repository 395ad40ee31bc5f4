"""`dctx skill show`: the skills that are here, or one of them, as it is written or as an agent reads it."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.clients.skills.files import (
    Skill,
    find_skill,
    list_skills,
    read_skill,
    skills_root,
)
from director_ctx.clients.skills.render import find, render
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.skills.files import SkillFile


def run(values: dict[str, Any]) -> int:
    root = skills_root(values["root"])
    if values["arguments"] and not values["rendered"]:
        raise UsageProblem("Arguments belong to --rendered.", "dctx skill show NAME --rendered")
    if values["name"] is None:
        if values["rendered"]:
            raise UsageProblem("--rendered is about one skill.", "dctx skill show NAME --rendered")
        return _list(root, values["json"])
    skill = read_skill(find_skill(values["name"], root))
    if values["rendered"]:
        return _show_rendered(skill, values, root)
    if not values["json"]:
        put(skill.text)
        return OK
    commands = [{"command": injection.command} for injection in find(skill.body)]
    about = {**_about(skill), "frontmatter": _simple(skill.about), "body": skill.body}
    put_json({**about, "commands": commands})
    return OK


def _list(root: str, as_json: bool) -> int:
    known = [_read_or_problem(file) for file in list_skills(root)]
    # The nearest stand first, so they are written last.
    nearest = {skill.file.name: skill.file.path for skill in reversed(known)}
    if as_json:
        rows = [
            {**_about(skill), "used": nearest[skill.file.name] == skill.file.path}
            for skill in known
        ]
        put_json(rows)
        return OK
    table = []
    for skill in known:
        text = skill.description or skill.problem
        if skill.file.path != nearest[skill.file.name]:
            text = f"(a nearer one is used) {text}"
        table.append([skill.file.name, skill.file.source, text])
    put_table(["Skill", "From", "~What for"], table)
    return OK


def _read_or_problem(file: SkillFile) -> Skill:
    """One that cannot be read does not hide the others."""
    try:
        return read_skill(file)
    except DctxError as error:
        return Skill(file, problem=error.message)


def _show_rendered(skill: Skill, values: dict[str, Any], root: str) -> int:
    rendering = render(skill, values["arguments"], root)
    text = rendering.text
    if values["json"]:
        commands = [
            {"command": one.command, "output": one.output, "failed": one.failed}
            for one in rendering.commands
        ]
        put_json({**_about(skill), "commands": commands, "text": text})
    else:
        put(text if text.endswith("\n") else f"{text}\n")
    for carried in rendering.commands:
        if carried.failed:
            say(f"warning: `{' '.join(carried.command.split())}`: {carried.failed}")
    return OK


def _about(skill: Skill) -> dict[str, Any]:
    return {
        "name": skill.file.name,
        "from": skill.file.source,
        "path": skill.file.path,
        "description": skill.description,
        "problem": skill.problem,
    }


def _simple(value: Any) -> Any:
    """YAML knows dates; JSON does not."""
    if isinstance(value, dict):
        return {str(key): _simple(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_simple(inner) for inner in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
