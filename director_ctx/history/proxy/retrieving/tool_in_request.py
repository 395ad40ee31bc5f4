"""The proxy's tool in a request, behind the tools that its client wrote.

A request is mostly conversation, and reading all of it only to add a tool would cost more than
everything else. So where a list of tools stands once, that place is looked at alone; what is in
doubt is read as a whole.
"""

from __future__ import annotations

import functools
import json
import re
from collections import deque
from json import JSONDecoder

from director_ctx.history.proxy.request_body import Body
from director_ctx.history.proxy.wires import RESPONSES, kept_there
from director_ctx.history.retrieve.tool import NAME, definition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Bytes = bytes | bytearray

_TOOLS = b'"tools"'
_LIST = re.compile(rb'"[a-z]+"[ \t\n\r]*:[ \t\n\r]*\[')
"""A key whose value is a list."""
_CHOICE = b'"tool_choice"'
_FREE_CHOICE = re.compile(
    rb'"tool_choice"\s*:\s*(?:null|"auto"|"none"|\{\s*"type"\s*:\s*"(?:auto|none)"[^{}]*\})'
)
_FREE = ("auto", "none", None)
"""Choices of a tool that force none."""
_DOUBTS = {
    "openai-chat": (b'"n"',),
    RESPONSES: (b'"previous_response_id"', b'"conversation"', b'"item_reference"'),
}
"""What may stand in a request that is left as it is."""
_LONGEST = 1_048_576
"""Bytes of a list of tools that is looked at alone."""
_value = JSONDecoder().raw_decode
_known_lists: deque[bytes] = deque(maxlen=8)
"""Lists of tools that were seen last."""


@functools.cache
def tool_text(wire: str) -> str:
    """The tool, as it is written into each request behind another."""
    return "," + json.dumps(definition(wire), separators=(",", ":"))


def place_for_tool(body: Bytes, wire: str, key: str) -> int | None:
    """Where the tool is put in, behind the others; None where the request is left as it is: where
    it has no tools or one of that name, where it forces the choice of one, and where the provider
    keeps the conversation.
    """
    # Clients write their tools first or last; a search from the other end goes through everything.
    place = body.rfind(_TOOLS)
    if place < 0:
        return None
    end = _end_of_tools(body, place, key)
    if end is None:
        end = _end_of_tools(body, body.find(_TOOLS), key)
    if end is not None and not _is_in_doubt(body, wire):
        return end
    # Where something is in doubt, everything is read.
    text = str(body, "utf-8")
    read = Body(text, "tools")
    if not _may_have_tool(read, wire, key):
        return None
    before = text[: read.offset(len(read.elements) - 1)]
    return len(before.encode())


def without_tool(text: str, wire: str) -> str:
    """The same request before the tool was put in."""
    # In texts quotes are written otherwise, so it stands there once.
    return text.replace(tool_text(wire), "", 1)


def _may_have_tool(body: Body, wire: str, key: str) -> bool:
    document = body.document
    messages = document.get(key)
    if not isinstance(messages, list) or not body.elements or NAME in _names(body.elements):
        return False
    choice = document.get("tool_choice")
    if isinstance(choice, dict):
        choice = choice.get("type")
    if choice not in _FREE or document.get("n") not in (None, 1):
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


def _end_of_tools(body: Bytes, place: int, key: str) -> int | None:
    """Where the last tool ends, if that can be told without reading everything."""
    begun = _LIST.match(body, place)
    messages = _LIST.match(body, body.find(f'"{key}"'.encode()))
    if begun is None or messages is None:
        return None
    start = begun.end() - 1
    end = _end_of_list(body, start)
    if end is None:
        return None
    if not _is_key_of_request(body, place, end):
        return None
    while body[end - 2 : end - 1].isspace():
        end -= 1
    return end - 1


def _end_of_list(body: Bytes, start: int) -> int | None:
    """Where a list of tools ends to which ours can be added."""
    # Clients send the same list each time, and it may be long.
    for known in tuple(_known_lists):
        if body.startswith(known, start):
            return start + len(known)
    # Whatever is no ASCII stands in a text; what it says makes no difference here.
    text = body[start : start + _LONGEST].decode("ascii", "replace")
    tools, length = _value(text)
    if not tools or NAME in _names(tools):
        return None
    end = start + length
    _known_lists.append(bytes(body[start:end]))
    return end


def _is_in_doubt(body: Bytes, wire: str) -> bool:
    # Backwards it goes by the first sign of what is sought: a quote, which texts seldom have.
    if any(body.rfind(word) >= 0 for word in _DOUBTS.get(wire, ())):
        return True
    if body.rfind(_CHOICE) < 0:
        return False
    return body.count(_CHOICE) != len(_FREE_CHOICE.findall(body))


def _is_key_of_request(body: Bytes, start: int, end: int) -> bool:
    """Whether what stands there is a key with its value, and of the request itself.

    Inside of a text its quotes would be written otherwise, so it is a key. Whether it is one of the
    request tells whichever side is shorter: nothing of it may be open there.
    """
    if start < len(body) - end:
        shorter = bytes(body[:start]) + b'"":0}'
    else:
        shorter = b'{"":0' + bytes(body[end:])
    try:
        return isinstance(json.loads(shorter), dict)
    except ValueError:
        return False
