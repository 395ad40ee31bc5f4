"""Agents as prompts: somebody picks one in their client, and its context begins the conversation."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import DctxError
from director_ctx.base.safe_text import safe
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.profiles import PROFILES
from director_ctx.doors.mcp.wire.messages import RefusedMessage
from director_ctx.doors.mcp.wire.revisions import BAD_PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.context.settings.profiles import Profile
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.wire.messages import Object
    from director_ctx.project.project import Project
    from director_ctx.tools.service import ToolService

TASK = {"name": "task", "description": "Such as 2/1/3. Default: the next one."}


def agents(project: Project) -> Mapping[str, Profile]:
    return load_settings(project).profiles


def agents_here(service: ToolService) -> Mapping[str, Profile]:
    """Those that every project has, where there is none or it cannot be read."""
    try:
        return agents(service.project())
    except (DctxError, OSError):
        return PROFILES


def list_prompts(service: ToolService, _: ClientCall) -> Object:
    return {"prompts": [_shown(profile) for profile in agents_here(service).values()]}


def _shown(profile: Profile) -> Object:
    arguments = [TASK]
    for name in profile.inputs:
        arguments.append({"name": name})
    return {
        "name": profile.name,
        "description": _about(profile),
        "arguments": arguments,
    }


def _about(profile: Profile) -> str:
    return f"The context of the {profile.name}, who {profile.purpose}."


def get_prompt(service: ToolService, call: ClientCall) -> Object:
    parameters = call.request.parameters
    profile = _named(service, parameters.get("name"))
    given = parameters.get("arguments") or {}
    options = _options(profile, given)
    try:
        assembly = assemble(service.project(), profile.name, **options)
    except DctxError as error:
        said = f"{error.message} {error.hint}"
        raise RefusedMessage(BAD_PARAMETERS, said.strip()) from error

    content = {"type": "text", "text": safe(assembly.text)}
    message = {"role": "user", "content": content}
    return {"description": _about(profile), "messages": [message]}


def _named(service: ToolService, name: object) -> Profile:
    for profile in agents_here(service).values():
        if profile.name == name:
            return profile
    raise RefusedMessage(BAD_PARAMETERS, f"There is no prompt {str(name)[:80]}.")


def _options(profile: Profile, given: object) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise RefusedMessage(BAD_PARAMETERS, "arguments is not an object.")
    known = ("task", *profile.inputs)
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known or not isinstance(value, str):
            raise RefusedMessage(
                BAD_PARAMETERS, f"{str(name)[:80]} is no argument of {profile.name}."
            )
        # Forms in clients send what was left empty, too.
        if value.strip():
            options[name] = value
    return options
