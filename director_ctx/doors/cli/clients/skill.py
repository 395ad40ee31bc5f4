"""`dctx skill list` and `dctx skill show`."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.clients.skills.find import copies_of_ours, here, skill_named, skills
from director_ctx.clients.skills.injections import find
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.table import put_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.skills.injections import Injection
    from director_ctx.clients.skills.skill import Skill


def list_skills(values: dict[str, Any]) -> int:
    known = skills(here(values["root"]))
    # The nearest stand first, so they are written last.
    nearest = {skill.name: skill.path for skill in reversed(known)}
    if values["json"]:
        documents = []
        for skill in known:
            is_used = nearest[skill.name] == skill.path
            documents.append({**about(skill), "used": is_used})
        put_json(documents)
        return OK

    copies = copies_of_ours(known)
    copied_paths = set()
    for copies_of_one in copies.values():
        for copy in copies_of_one:
            copied_paths.add(copy.path)

    rows = []
    for skill in known:
        # A copy is named beside the skill that it is a copy of.
        if skill.path not in copied_paths:
            rows.append(_row(skill, nearest[skill.name], copies.get(skill.path, [])))
    put_table(["Skill", "From", "~What for"], rows)
    return OK


def _row(skill: Skill, nearest: str, copies: list[Skill]) -> list[str]:
    source = skill.source
    places = dict.fromkeys(copy.source for copy in copies)
    if places:
        source += f", installed: {', '.join(places)}"
    text = skill.description or skill.problem
    if skill.path != nearest:
        text = f"(a nearer one is used) {text}"
    return [skill.name, source, text]


def show(values: dict[str, Any]) -> int:
    skill = skill_named(values["name"], here(values["root"]))
    if not values["json"]:
        put(skill.text)
        return OK

    put_json(
        {
            **about(skill),
            "frontmatter": _simple(skill.about),
            "body": skill.body,
            "commands": [command_json(skill, injection) for injection in find(skill.body)],
        }
    )
    return OK


def about(skill: Skill) -> dict[str, Any]:
    return {
        "name": skill.name,
        "from": skill.source,
        "path": skill.path,
        "description": skill.description,
        "problem": skill.problem,
    }


def command_json(skill: Skill, injection: Injection) -> dict[str, Any]:
    # A command knows its line in the body; the reader looks into the file.
    line = skill.first_line + injection.line - 1
    return {"line": line, "form": injection.form, "command": injection.command}


def _simple(value: Any) -> Any:
    """YAML knows dates; JSON does not."""
    if isinstance(value, dict):
        return {str(key): _simple(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_simple(inner) for inner in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)
