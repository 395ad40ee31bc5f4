"""`dctx skill list` and `dctx skill show`."""

from __future__ import annotations

import sys
from shutil import get_terminal_size

from director_ctx.base.errors import OK
from director_ctx.clients.skills.find import copies_of_ours, here, skill_named, skills
from director_ctx.clients.skills.injections import find
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.table import put_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.skills.skill import Skill

FRAME = 10
"""What a table of three columns adds to their widths on a terminal."""
SHORTEST = 30
"""A description is cut where a terminal ends, but never to less than this."""


def listed(values: dict[str, Any]) -> int:
    found = skills(here(values["root"]))
    nearest = {skill.name: skill.path for skill in reversed(found)}
    if values["json"]:
        put_json([{**about(skill), "used": nearest[skill.name] == skill.path} for skill in found])
        return OK
    copies = copies_of_ours(found)
    mine = {skill.path for some in copies.values() for skill in some}
    rows = [
        _row(skill, nearest[skill.name], copies.get(skill.path, []))
        for skill in found
        if skill.path not in mine
    ]
    put_table(["Skill", "From", "What for"], _fitting(rows))
    return OK


def _row(skill: Skill, nearest: str, copies: list[Skill]) -> list[str]:
    text = skill.description or skill.problem
    places = ", ".join(dict.fromkeys(copy.source for copy in copies))
    source = f"{skill.source}, installed: {places}" if places else skill.source
    return [skill.name, source, text if skill.path == nearest else f"(a nearer one is used) {text}"]


def _fitting(rows: list[list[str]]) -> list[list[str]]:
    """One line each on a terminal; elsewhere everything."""
    if not (sys.stdout and sys.stdout.isatty()):
        return rows
    taken = sum(max(len(row[column]) for row in rows) for column in range(2))
    room = max(SHORTEST, get_terminal_size().columns - taken - FRAME)
    return [[*row, text if len(text) <= room else f"{text[: room - 1]}…"] for *row, text in rows]


def show(values: dict[str, Any]) -> int:
    skill = skill_named(values["name"], here(values["root"]))
    if values["json"]:
        commands = [
            {"line": _line(skill, one.line), "form": one.form, "command": one.command}
            for one in find(skill.body)
        ]
        put_json(
            {
                **about(skill),
                "frontmatter": _simple(skill.about),
                "body": skill.body,
                "commands": commands,
            }
        )
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
