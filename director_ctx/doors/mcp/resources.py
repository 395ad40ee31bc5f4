"""The documents of the folder as resources, for clients that show such things to people."""

from __future__ import annotations

from urllib.parse import quote, unquote

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import DctxError
from director_ctx.base.safe_text import safe
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
    from director_ctx.doors.mcp.messages import Object
    from director_ctx.doors.mcp.server import ClientCall
    from director_ctx.project.project import Project
    from director_ctx.tools.service import ToolService

DOCUMENT, CONTEXT = "dctx://folder/", "dctx://context/"
TEMPLATE = f"{CONTEXT}{{agent}}{{?task}}"
MARKDOWN = "text/markdown"
ON_A_PAGE = 200
"""Documents that one answer lists."""


def list_resources(service: ToolService, call: ClientCall) -> Object:
    first = _first(call)
    try:
        project = service.project()
        paths = list(documents(project))
    except DctxError:
        return {"resources": []}
    listed = [_shown(project, path) for path in paths[first : first + ON_A_PAGE]]
    result: Object = {"resources": listed}
    if len(paths) > first + ON_A_PAGE:
        result["nextCursor"] = str(first + ON_A_PAGE)
    return result


def _first(call: ClientCall) -> int:
    cursor = call.request.parameters.get("cursor")
    if cursor is None:
        return 0
    is_ours = isinstance(cursor, str) and cursor.isdecimal() and len(cursor) < 10
    if not is_ours:
        raise RefusedMessage(BAD_PARAMETERS, "That is no cursor of this server.")
    return int(cursor)


def _shown(project: Project, path: str) -> Object:
    inner = path.removeprefix(f"{FOLDER}/")
    shown = {"uri": f"{DOCUMENT}{quote(inner)}", "name": inner, "mimeType": MARKDOWN}
    title = first_heading(project.text(path))
    if title:
        shown["title"] = title
    return shown


def list_templates(_: ToolService, __: ClientCall) -> Object:
    template = {
        "uriTemplate": TEMPLATE,
        "name": "context",
        "description": "The context of an agent, for a task or for the next one.",
        "mimeType": MARKDOWN,
    }
    return {"resourceTemplates": [template]}


def read_resource(service: ToolService, call: ClientCall) -> Object:
    uri = call.request.parameters.get("uri")
    if not isinstance(uri, str):
        raise RefusedMessage(BAD_PARAMETERS, "uri is missing.")
    try:
        text = _text(service.project(), uri)
    except DctxError as error:
        raise RefusedMessage(BAD_PARAMETERS, f"{error.message} {error.hint}".strip()) from error
    if text is None:
        code = BAD_PARAMETERS
        if call.revision not in MODERN:
            code = NO_RESOURCE_BEFORE
        raise RefusedMessage(code, "There is no such resource.", {"uri": uri[:500]})
    return {"contents": [{"uri": uri, "mimeType": MARKDOWN, "text": safe(text)}]}


def _text(project: Project, uri: str) -> str | None:
    """Only what is listed can be read, so no path leads out of the folder."""
    if uri.startswith(DOCUMENT):
        path = f"{FOLDER}/{unquote(uri.removeprefix(DOCUMENT))}"
        if path in documents(project):
            return project.text(path)
        return None
    if not uri.startswith(CONTEXT):
        return None
    agent, _, query = uri.removeprefix(CONTEXT).partition("?")
    name, _, task = query.partition("=")
    if query and name != "task":
        return None
    return assemble(project, unquote(agent), task=unquote(task) or None).text
