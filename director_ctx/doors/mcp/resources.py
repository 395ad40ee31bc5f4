"""What people pick in their client: documents of the folder as resources, and agents as prompts, whose context begins
the conversation.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import DctxError
from director_ctx.base.safe_text import safe
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.profiles import PROFILES
from director_ctx.doors.mcp.messages import (
    BAD_PARAMETERS,
    MODERN,
    NO_RESOURCE_BEFORE,
    RefusedMessage,
)
from director_ctx.project.find_text import documents
from director_ctx.project.reading.markdown import first_heading
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.context.settings.profiles import Profile
    from director_ctx.doors.mcp.messages import Object
    from director_ctx.doors.mcp.server import ClientCall
    from director_ctx.project.project import Project

DOCUMENT, CONTEXT = "dctx://folder/", "dctx://context/"
TEMPLATE = f"{CONTEXT}{{agent}}{{?task}}"
MARKDOWN = "text/markdown"
TASK = {"name": "task", "description": "Such as 2/1/3. Default: the next one."}
ON_A_PAGE = 200
"""Documents that one answer lists."""


def list_resources(call: ClientCall) -> Object:
    cursor = call.request.parameters.get("cursor")
    if cursor is None:
        cursor = "0"
    if not isinstance(cursor, str) or not cursor.isdecimal() or len(cursor) >= 10:
        raise RefusedMessage(BAD_PARAMETERS, "That is no cursor of this server.")
    end = int(cursor) + ON_A_PAGE
    try:
        project = call.project()
        paths = list(documents(project))
    except DctxError:
        return {"resources": []}
    result: Object = {"resources": [_shown(project, path) for path in paths[end - ON_A_PAGE : end]]}
    if len(paths) > end:
        result["nextCursor"] = str(end)
    return result


def _shown(project: Project, path: str) -> Object:
    inner = path.removeprefix(f"{FOLDER}/")
    shown = {"uri": f"{DOCUMENT}{quote(inner)}", "name": inner, "mimeType": MARKDOWN}
    title = first_heading(project.text(path))
    if title:
        shown["title"] = title
    return shown


def list_templates(call: ClientCall) -> Object:
    template = {
        "uriTemplate": TEMPLATE,
        "name": "context",
        "description": "The context of an agent, for a task or for the next one.",
        "mimeType": MARKDOWN,
    }
    return {"resourceTemplates": [template]}


def read_resource(call: ClientCall) -> Object:
    uri = call.request.parameters.get("uri")
    if not isinstance(uri, str):
        raise RefusedMessage(BAD_PARAMETERS, "uri is missing.")
    try:
        text = _text(call.project(), uri)
    except DctxError as error:
        raise RefusedMessage(BAD_PARAMETERS, f"{error.message} {error.hint}".strip()) from error
    if text is None:
        code = BAD_PARAMETERS if call.revision in MODERN else NO_RESOURCE_BEFORE
        raise RefusedMessage(code, "There is no such resource.", {"uri": uri[:500]})
    return {"contents": [{"uri": uri, "mimeType": MARKDOWN, "text": safe(text)}]}


def _text(project: Project, uri: str) -> str | None:
    """Only what is listed can be read, so no path leads out of the folder."""
    if uri.startswith(DOCUMENT):
        path = f"{FOLDER}/{unquote(uri.removeprefix(DOCUMENT))}"
        return project.text(path) if path in documents(project) else None
    if not uri.startswith(CONTEXT):
        return None
    agent, _, query = uri.removeprefix(CONTEXT).partition("?")
    name, _, task = query.partition("=")
    if query and name != "task":
        return None
    return assemble(project, unquote(agent), task=unquote(task) or None).text


# --- Prompts ---


def list_prompts(call: ClientCall) -> Object:
    shown = [
        {
            "name": profile.name,
            "description": _about(profile),
            "arguments": [TASK, *({"name": name} for name in profile.inputs)],
        }
        for profile in _agents(call).values()
    ]
    return {"prompts": shown}


def get_prompt(call: ClientCall) -> Object:
    name = call.request.parameters.get("name")
    profile = next((each for each in _agents(call).values() if each.name == name), None)
    if profile is None:
        raise RefusedMessage(BAD_PARAMETERS, f"There is no prompt {str(name)[:80]}.")
    options = _options(profile, call.request.parameters.get("arguments") or {})
    try:
        assembly = assemble(call.project(), profile.name, **options)
    except DctxError as error:
        said = f"{error.message} {error.hint}"
        raise RefusedMessage(BAD_PARAMETERS, said.strip()) from error
    content = {"type": "text", "text": safe(assembly.text)}
    message = {"role": "user", "content": content}
    return {"description": _about(profile), "messages": [message]}


def _agents(call: ClientCall) -> Mapping[str, Profile]:
    """Those that every project has, where there is none or it cannot be read."""
    try:
        return load_settings(call.project()).profiles
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
