"""`dctx skill render`: what an agent reads."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.clients.skills.find import here, skill_named, values_for
from director_ctx.clients.skills.render import render
from director_ctx.doors.cli.clients.skill import about, command_json
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def run(values: dict[str, Any]) -> int:
    root = here(values["root"])
    skill = skill_named(values["name"], root)
    rendering = render(skill, values_for(skill, values["arguments"], root), root)
    text = rendering.text
    if values["json"]:
        commands = []
        for injection, carried in rendering.commands:
            about_command = command_json(skill, injection)
            commands.append({**about_command, "output": carried.output, "failed": carried.failed})
        put_json({**about(skill), "commands": commands, "text": text})
    else:
        put(text if text.endswith("\n") else f"{text}\n")
    for injection, carried in rendering.commands:
        if carried.failed:
            say(f"warning: `{' '.join(injection.command.split())}`: {carried.failed}")
    return OK
