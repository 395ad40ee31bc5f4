"""Requests and answers in the form of Anthropic's Messages API; pure. It keeps nothing, so everything goes along
each time; the beginning stays the same, and its cache has it.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump, parse
from director_ctx.base.text import well_formed
from director_ctx.chat.convert_tools import MESSAGES, convert_tools
from director_ctx.chat.exchange import INCOMPLETE, Asked, Reply, ToolUse, TurnUsage
from director_ctx.chat.providers.failures import NotAnAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from director_ctx.chat.exchange import Item

    Block = dict[str, Any]

MOST_ANSWER = 8_192
"""Tokens of an answer; the API wants to be told."""
THOUGHTS = ("thinking", "redacted_thinking")
WHOLE = (None, "end_turn", "stop_sequence", "tool_use")
"""Why an answer stops that is a whole one."""
_CACHED = {"cache_control": {"type": "ephemeral"}}


def body(asked: Asked) -> dict[str, Any]:
    messages = messages_of(asked.items)
    last = messages[-1]["content"][-1]
    # Up to here the next request is the same.
    messages[-1]["content"][-1] = {**last, **_CACHED}
    request: dict[str, Any] = {
        "model": asked.model,
        "max_tokens": MOST_ANSWER,
        "messages": messages,
    }
    if asked.tools:
        request["tool_choice"] = {"type": "auto" if asked.may_call else "none"}
        request["tools"] = convert_tools(asked.tools, MESSAGES)
    if asked.instructions:
        request["system"] = [{"type": "text", "text": asked.instructions, **_CACHED}]
    return request


def messages_of(items: Iterable[Item]) -> list[dict[str, Any]]:
    """Messages of both sides by turns: what one of them does several times in a row is one message."""
    messages: list[dict[str, Any]] = []
    for item in items:
        role, block = _block(item)
        if not messages or messages[-1]["role"] != role:
            messages.append({"role": role, "content": []})
        messages[-1]["content"].append(block)
    for message in messages:
        if message["role"] == "user":
            # Results come before anything that is said beside them.
            message["content"].sort(key=lambda block: block["type"] != "tool_result")
    return messages


def _block(item: Item) -> tuple[str, Block]:
    if item["type"] == "function_call":
        return "assistant", {
            "type": "tool_use",
            "id": item["call_id"],
            "name": item["name"],
            "input": _object(item["arguments"]),
        }
    if item["type"] == "function_call_output":
        result = {"type": "tool_result", "tool_use_id": item["call_id"]}
        if item["output"]:
            result["content"] = item["output"]
        return "user", result
    if item["type"] in THOUGHTS:
        return "assistant", item
    return item["role"], {"type": "text", "text": item["content"]}


def _object(arguments: str) -> Any:
    """What a model wrote may be no JSON; its result says so."""
    try:
        value = parse(arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def reply_of(document: Mapping[str, Any]) -> Reply:
    if not isinstance(document.get("content"), list):
        raise NotAnAnswer
    texts: list[str] = []
    thoughts: list[Item] = []
    calls: list[ToolUse] = []
    for block in document["content"]:
        if block["type"] == "text":
            texts.append(well_formed(block["text"]))
        elif block["type"] == "tool_use":
            arguments = well_formed(dump(block["input"]))
            calls.append(ToolUse(block["id"], block["name"], arguments))
        elif block["type"] in THOUGHTS:
            thoughts.append(block)
    reason = document.get("stop_reason")
    cut = "" if reason in WHOLE else str(reason)
    return Reply(
        id=str(document["id"]),
        text="\n\n".join(filter(None, texts)),
        # The last call may have been cut in the middle.
        calls=() if cut else tuple(calls),
        thoughts=tuple(thoughts),
        cut=cut,
        lost_call=bool(cut and calls),
        usage=_usage(document.get("usage") or {}),
        status=INCOMPLETE if cut else "completed",
    )


def _usage(document: Mapping[str, Any]) -> TurnUsage:
    cached = int(document.get("cache_read_input_tokens") or 0)
    written = int(document.get("cache_creation_input_tokens") or 0)
    return TurnUsage(
        input=int(document.get("input_tokens") or 0) + cached + written,
        cached=cached,
        written=written,
        output=int(document.get("output_tokens") or 0),
        requests=1,
    )
