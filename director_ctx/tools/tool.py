"""What a tool is, how clients are told of it, and the arguments of a call checked against that."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    Object = dict[str, Any]

PLAN, VARIABLES, TASKS, BROWSER = "plan", "variables", "tasks", "browser"
AREAS = (PLAN, VARIABLES, TASKS, BROWSER)
"""What may be changed, each only where the server was started with it."""

TEXT, NUMBER, TEXTS, OBJECT, ANYTHING = "text", "number", "texts", "object", ""
NAME = "name"
"""A text that may look like a number, so that one is taken, too."""
_KINDS: dict[str, tuple[Object, str]] = {
    TEXT: ({"type": "string"}, "a text"),
    NUMBER: ({"type": "integer"}, "a whole number from 0 on"),
    NAME: ({"type": "string"}, "a text"),
    TEXTS: ({"type": "array", "items": {"type": "string"}}, "a list of texts"),
    OBJECT: ({"type": "object"}, "an object"),
    ANYTHING: ({}, "anything"),
}
LONGEST_SHOWN = 60
MOST_NUMBER = 1_000_000_000


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

    def choices_with(self, writable: Collection[str]) -> list[str]:
        more = [choice for area, choices in self.writing if area in writable for choice in choices]
        return [*self.choices, *more]


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

    @property
    def every_area(self) -> list[str]:
        """What some use of it changes."""
        more = (area for parameter in self.parameters for area, _ in parameter.writing)
        return [*self.areas, *more]

    def changes(self, writable: Collection[str]) -> bool:
        """Whether it can change something as the server was started."""
        return any(area in writable for area in self.every_area)

    def changes_with(self, values: Mapping[str, object]) -> bool:
        """Whether this call of it changes something."""
        writes = (
            values[parameter.name] in choices
            for parameter in self.parameters
            for _, choices in parameter.writing
        )
        return bool(self.areas) or any(writes)

    def offered(self, writable: Collection[str]) -> list[Parameter]:
        """The parameters that make sense where only these areas may be changed."""
        return [
            parameter
            for parameter in self.parameters
            if not parameter.areas or any(area in writable for area in parameter.areas)
        ]


def definition(tool: Tool, writable: Collection[str]) -> Object:
    """The tool as clients list it."""
    properties: Object = {}
    for parameter in tool.offered(writable):
        shape = properties[parameter.name] = dict(_KINDS[parameter.kind][0])
        choices = parameter.choices_with(writable)
        if choices:
            shape["enum"] = choices
        if parameter.says:
            shape["description"] = parameter.says
    schema: Object = {"type": "object", "properties": properties}
    required = [parameter.name for parameter in tool.offered(writable) if parameter.required]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    # Clients ask before what is not known to be harmless.
    annotations = {"readOnlyHint": True, "openWorldHint": False}
    if tool.changes(writable):
        opens = BROWSER in tool.every_area
        annotations = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": opens}
    shown: Object = {
        "name": tool.name,
        "description": tool.says,
        "inputSchema": schema,
        "annotations": annotations,
    }
    if tool.meta:
        shown["_meta"] = dict(tool.meta)
    return shown


# --- The arguments of a call ---


class NotWritable(UsageProblem):
    """Somebody changes something although the tools are served without it."""

    def __init__(self, area: str, writable: Collection[str]) -> None:
        super().__init__(f"This server may not change the {area}.")
        self.area = area
        self.areas = ",".join((*writable, area))
        """What would have to be allowed."""


def checked(tool: Tool, given: Object, writable: Collection[str]) -> Object:
    """Every parameter with its value, None where none was given; an error names the first mistake."""
    known = {parameter.name: parameter for parameter in tool.parameters}
    for name in given:
        if name not in known:
            takes = ", ".join(parameter.name for parameter in tool.offered(writable)) or "none"
            raise UsageProblem(
                f"{tool.name} has no argument {_short(name)}.", f"It takes: {takes}."
            )
    missing = [each for each in tool.parameters if each.required and given.get(each.name) is None]
    if missing:
        names = listed([parameter.name for parameter in missing])
        meanings = [parameter.says for parameter in missing if parameter.says]
        raise UsageProblem(f"{tool.name} needs {names}.", " ".join(meanings))
    return {name: _value(known[name], given.get(name), writable) for name in known}


def _value(parameter: Parameter, value: Any, writable: Collection[str]) -> Any:
    if value is None:
        return None
    if not _fits(parameter.kind, value):
        raise UsageProblem(f"{parameter.name} has to be {_KINDS[parameter.kind][1]}.")
    choices = parameter.choices_with(writable)
    if choices and value not in choices:
        for area, more in parameter.writing:
            if value in more:
                raise NotWritable(area, writable)
        raise UsageProblem(
            f"{parameter.name} cannot be {_short(str(value))}.", f"One of: {', '.join(choices)}."
        )
    return str(value) if parameter.kind == NAME else value


def _fits(kind: str, value: object) -> bool:
    is_text = isinstance(value, str) and is_whole(value)
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_NUMBER
    if kind == TEXTS:
        return isinstance(value, list) and all(_fits(TEXT, text) for text in value)
    fits = {TEXT: is_text, NUMBER: is_number, NAME: is_text or is_number}
    return fits.get(kind, kind == ANYTHING or isinstance(value, dict))


def is_whole(text: str) -> bool:
    """Whether every character of a text is one: half of a pair cannot be written to a file."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def listed(names: Sequence[str]) -> str:
    """`the argument name`, `the arguments name, agent and version`."""
    *others, last = names
    return f"the arguments {', '.join(others)} and {last}" if others else f"the argument {last}"


def _short(text: str) -> str:
    return repr(plain(text[:LONGEST_SHOWN]))
