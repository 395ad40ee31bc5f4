"""The proxy's tool in a request, in front of nothing that its client wrote.

A request is mostly conversation, and reading all of it only to add a tool would cost more than
everything else. So where the list of tools stands once, that place is looked at alone; what is in
doubt is read as a whole.
"""

from __future__ import annotations

import json
import re
from json import JSONDecoder

from director_ctx.history.proxy.cut_rule import RESPONSES, kept_there
from director_ctx.history.proxy.request_body import Body
from director_ctx.history.retrieve.tool import NAME, definition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_TOOLS = re.compile(r'"tools"[ \t\n\r]*:[ \t\n\r]*\[')
_CHOICE = '"tool_choice"'
_FREE_CHOICE = re.compile(
    r'"tool_choice"\s*:\s*(?:null|"auto"|"none"|\{\s*"type"\s*:\s*"(?:auto|none)"[^{}]*\})'
)
FREE = ("auto", "none", None)
"""Choices of a tool that force none."""
_DOUBTS = {
    "openai-chat": ('"n"',),
    RESPONSES: ('"previous_response_id"', '"conversation"', '"item_reference"'),
}
"""What may stand in a request that is left as it is."""
_value = JSONDecoder().raw_decode


def tool_text(wire: str) -> str:
    """The tool, as it is written into each request."""
    return json.dumps(definition(wire), separators=(",", ":"))


def with_tool(text: str, wire: str, key: str) -> str | None:
    """The request with the tool behind its others; None where it is left as it is: where it has no
    tools or one of that name, where it forces the choice of one, and where the provider keeps the
    conversation.
    """
    end = _end_of_tools(text, wire, key)
    if end is not None:
        return f"{text[:end]},{tool_text(wire)}{text[end:]}"
    if not _TOOLS.search(text):
        return None
    # Where somebody is in doubt, everything is read.
    body = Body(text, "tools")
    if not _may_have_tool(body, wire, key):
        return None
    return body.appended(tool_text(wire))


def without_tool(text: str, wire: str) -> str:
    """What `with_tool` was made of."""
    # In texts quotes are written otherwise, so it stands there once.
    return text.replace("," + tool_text(wire), "", 1)


def _may_have_tool(body: Body, wire: str, key: str) -> bool:
    document = body.document
    messages = document.get(key)
    if not isinstance(messages, list) or not body.elements or NAME in _names(body.elements):
        return False
    choice = document.get("tool_choice")
    if isinstance(choice, dict):
        choice = choice.get("type")
    if choice not in FREE or document.get("n") not in (None, 1):
        return False
    return wire != RESPONSES or not kept_there(document, messages)


def _names(tools: list[Any]) -> set[str]:
    names: set[str] = set()
    for tool in tools:
        if not isinstance(tool, dict):
            continue
        described: Mapping[str, Any] = tool
        if isinstance(tool.get("function"), dict):
            described = tool["function"]
        names.add(str(described.get("name")))
    return names


def _end_of_tools(text: str, wire: str, key: str) -> int | None:
    """Where the last tool ends, if that can be told without reading everything."""
    places = list(_TOOLS.finditer(text))
    if len(places) != 1 or _is_in_doubt(text, wire):
        return None
    start = places[0].end() - 1
    tools, end = _value(text, start)
    is_list_of_tools = bool(tools) and all(isinstance(tool, dict) for tool in tools)
    if not is_list_of_tools or NAME in _names(tools):
        return None
    # A string would have other quotes in it: so this is a key, and what is left is whether it is
    # one of the request itself. Whichever side is shorter tells that.
    before = text[: places[0].start()]
    behind = text[end:]
    shorter = before + '"":0}'
    if len(behind) < len(before):
        shorter = '{"":0' + behind
    if not _is_object(shorter) or not re.search(rf'"{key}"\s*:\s*\[', text):
        return None
    return end - 1 - _space_before(text, end - 1)


def _is_in_doubt(text: str, wire: str) -> bool:
    if text.count(_CHOICE) != len(_FREE_CHOICE.findall(text)):
        return True
    return any(word in text for word in _DOUBTS.get(wire, ()))


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _space_before(text: str, place: int) -> int:
    """How many blanks stand there."""
    start = place
    while text[start - 1] in " \t\n\r":
        start -= 1
    return place - start
