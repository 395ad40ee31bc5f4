"""Agents as prompts: somebody picks one in their client, and its context begins the conversation."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import DctxError
from director_ctx.base.safe_text import safe
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.profiles import PROFILES
from director_ctx.doors.mcp.messages import BAD_PARAMETERS, RefusedMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.context.settings.profiles import Profile
    from director_ctx.doors.mcp.messages import Object
    from director_ctx.doors.mcp.server import ClientCall
    from director_ctx.tools.service import ToolService

TASK = {"name": "task", "description": "Such as 2/1/3. Default: the next one."}


def list_prompts(service: ToolService, _: ClientCall) -> Object:
    shown = [
        {
            "name": profile.name,
            "description": _about(profile),
            "arguments": [TASK, *({"name": name} for name in profile.inputs)],
        }
        for profile in _agents(service).values()
    ]
    return {"prompts": shown}


def get_prompt(service: ToolService, call: ClientCall) -> Object:
    name = call.request.parameters.get("name")
    profile = next((each for each in _agents(service).values() if each.name == name), None)
    if profile is None:
        raise RefusedMessage(BAD_PARAMETERS, f"There is no prompt {str(name)[:80]}.")
    options = _options(profile, call.request.parameters.get("arguments") or {})
    try:
        assembly = assemble(service.project(), profile.name, **options)
    except DctxError as error:
        said = f"{error.message} {error.hint}"
        raise RefusedMessage(BAD_PARAMETERS, said.strip()) from error
    content = {"type": "text", "text": safe(assembly.text)}
    message = {"role": "user", "content": content}
    return {"description": _about(profile), "messages": [message]}


def _agents(service: ToolService) -> Mapping[str, Profile]:
    """Those that every project has, where there is none or it cannot be read."""
    try:
        return load_settings(service.project()).profiles
    except (DctxError, OSError):
        return PROFILES


def _about(profile: Profile) -> str:
    return f"The context of the {profile.name}, who {profile.purpose}."


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
