"""Definitions of tools from one form into another: Chat Completions, Responses, Anthropic's Messages, and
that of the Model Context Protocol.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Definition = Mapping[str, Any]

CHAT, RESPONSES, MESSAGES = "chat", "responses", "messages"
FORMS = (CHAT, RESPONSES, MESSAGES)
_FUNCTION = "function"
_NO_PARAMETERS = {"type": "object", "properties": {}}


def convert_tools(tools: Iterable[Definition], to: str = RESPONSES) -> list[dict[str, Any]]:
    """The same tools in another form, in the same order; whichever form each of them has.

    A tool of the provider's own, such as a web search, has one form only, and stays as it is.
    """
    if to not in FORMS:
        raise UsageProblem(f"There is no form of tools {to!r}.", f"One of: {', '.join(FORMS)}.")
    converted: list[dict[str, Any]] = []
    for tool in tools:
        function = _function_of(tool)
        if function is None:
            converted.append(dict(tool))
        else:
            converted.append(_written(function, to))
    return converted


def _function_of(tool: Definition) -> dict[str, Any] | None:
    """Name, description, parameters and strict, as far as they are there; None for no function."""
    if isinstance(tool.get(_FUNCTION), dict):
        return _named(tool[_FUNCTION], "parameters")
    if tool.get("type") == _FUNCTION:
        return _named(tool, "parameters")
    for key in ("input_schema", "inputSchema"):
        if key in tool:
            return _named(tool, key)
    if "type" not in tool:
        return _named(tool, "parameters")
    return None


def _named(tool: Definition, schema: str) -> dict[str, Any]:
    if not isinstance(tool.get("name"), str) or not tool["name"]:
        raise UsageProblem("A tool has no name.", "Every definition of a function needs one.")
    function: dict[str, Any] = {"name": tool["name"]}
    if tool.get("description") is not None:
        function["description"] = tool["description"]
    function["parameters"] = tool.get(schema) or _NO_PARAMETERS
    if tool.get("strict") is not None:
        function["strict"] = tool["strict"]
    return function


def _written(function: dict[str, Any], to: str) -> dict[str, Any]:
    if to == CHAT:
        return {"type": _FUNCTION, _FUNCTION: function}
    if to == RESPONSES:
        # The API would take a schema for a strict one where nothing is said.
        return {"type": _FUNCTION, "strict": False, **function}
    tool = {"name": function["name"], "input_schema": function["parameters"]}
    if "description" in function:
        tool["description"] = function["description"]
    if function.get("strict"):
        tool["strict"] = True
    return tool
