"""What a tool is, and how clients are told of it."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    Object = dict[str, Any]

PLAN, VARIABLES, TASKS, BROWSER = "plan", "variables", "tasks", "browser"
AREAS = (PLAN, VARIABLES, TASKS, BROWSER)
"""What may be changed, each only where the server was started with it."""

TEXT, NUMBER, TEXTS, OBJECT, ANYTHING = "text", "number", "texts", "object", ""
NAME = "name"
"""A text that may look like a number, so that one is taken, too."""
_SCHEMAS: dict[str, Object] = {
    TEXT: {"type": "string"},
    NUMBER: {"type": "integer"},
    NAME: {"type": "string"},
    TEXTS: {"type": "array", "items": {"type": "string"}},
    OBJECT: {"type": "object"},
    ANYTHING: {},
}


class Parameter(Record):
    """One argument of a tool."""

    name: str
    says: str = ""
    kind: str = TEXT
    choices: tuple[str, ...] = ()
    writing: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Further choices, each with the area that has to be writable for it."""
    areas: tuple[str, ...] = ()
    """It is there only where one of these may be changed."""
    required: bool = False


class Tool(Record):
    """One tool. Its function is loaded when it is first called."""

    name: str
    says: str
    module: str
    parameters: tuple[Parameter, ...] = ()
    call: str = "run"
    areas: tuple[str, ...] = ()
    """What all of it changes: without one of these it is refused."""
    meta: tuple[tuple[str, object], ...] = ()


def definition(tool: Tool, writable: Collection[str]) -> Object:
    """The tool as clients list it."""
    properties: Object = {}
    required = []
    for parameter in offered(tool, writable):
        properties[parameter.name] = _schema(parameter, writable)
        if parameter.required:
            required.append(parameter.name)

    schema: Object = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    shown: Object = {
        "name": tool.name,
        "description": tool.says,
        "inputSchema": schema,
        "annotations": _annotations(tool, writable),
    }
    if tool.meta:
        shown["_meta"] = dict(tool.meta)
    return shown


def _annotations(tool: Tool, writable: Collection[str]) -> Object:
    """Clients ask before what is not known to be harmless."""
    if not changes(tool, writable):
        return {"readOnlyHint": True, "openWorldHint": False}
    return {
        "readOnlyHint": False,
        "destructiveHint": False,
        "openWorldHint": BROWSER in areas_of(tool),
    }


def changes(tool: Tool, writable: Collection[str]) -> bool:
    """Whether it can change something as the server was started."""
    return any(area in writable for area in areas_of(tool))


def changes_with(tool: Tool, values: Mapping[str, object]) -> bool:
    """Whether this call of it changes something."""
    if tool.areas:
        return True
    for parameter in tool.parameters:
        for _, more in parameter.writing:
            if values[parameter.name] in more:
                return True
    return False


def areas_of(tool: Tool) -> tuple[str, ...]:
    """Every area that some use of it changes."""
    areas = list(tool.areas)
    for parameter in tool.parameters:
        for area, _ in parameter.writing:
            areas.append(area)
    return tuple(dict.fromkeys(areas))


def offered(tool: Tool, writable: Collection[str]) -> list[Parameter]:
    """The parameters that make sense where only these areas may be changed."""
    parameters = []
    for parameter in tool.parameters:
        if not parameter.areas or any(area in writable for area in parameter.areas):
            parameters.append(parameter)
    return parameters


def choices_of(parameter: Parameter, writable: Collection[str]) -> list[str]:
    choices = list(parameter.choices)
    for area, more in parameter.writing:
        if area in writable:
            choices += more
    return choices


def _schema(parameter: Parameter, writable: Collection[str]) -> Object:
    schema = dict(_SCHEMAS[parameter.kind])
    choices = choices_of(parameter, writable)
    if choices:
        schema["enum"] = choices
    if parameter.says:
        schema["description"] = parameter.says
    return schema
