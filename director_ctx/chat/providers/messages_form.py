"""Requests and answers in the form of Anthropic's Messages API; pure. It keeps nothing, so everything goes along
each time; the beginning stays the same, and its cache has it.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump, parse
from director_ctx.base.text import well_formed
from director_ctx.chat.convert_tools import MESSAGES, convert_tools
from director_ctx.chat.exchange import CACHE_HIT, INCOMPLETE, Reply, ToolUse, TurnUsage
from director_ctx.chat.job import CLEAR, COMPACT
from director_ctx.chat.providers.no_answer import NotAnAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from director_ctx.chat.exchange import Asked, Item

    Block = dict[str, Any]

MOST_ANSWER = 8_192
"""Tokens of an answer; the API wants to be told."""
THOUGHTS = ("thinking", "redacted_thinking")
COMPACTION = "compaction"
KEPT_RESULTS = 6
"""Results of tools that Anthropic leaves as they are, the newest."""
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
    request |= _tried_out(asked)
    if asked.previous:
        # The rest is held, and may not be said again.
        return request
    if asked.instructions:
        request["system"] = [{"type": "text", "text": asked.instructions, **_CACHED}]
    if asked.tools:
        request["tools"] = convert_tools(asked.tools, MESSAGES)
    return request


def _tried_out(asked: Asked) -> dict[str, Any]:
    """The fields that `betas` names."""
    fields: dict[str, Any] = {}
    if asked.previous:
        fields["thread"] = {"type": "continue", "previous_message_id": asked.previous}
    elif asked.store:
        fields["thread"] = {"type": "create"}
    if asked.editing:
        fields["context_management"] = {"edits": [_edit(asked)]}
    if asked.checks_cache:
        fields["diagnostics"] = {"previous_message_id": asked.compared}
    return fields


def betas(asked: Asked) -> list[str]:
    """The names of what is tried out, which a request has to say."""
    names: list[str] = []
    if asked.store:
        names.append("message-threads-2026-08-12")
    if asked.editing == CLEAR:
        names.append("context-management-2025-06-27")
    if asked.editing == COMPACT:
        names.append("compact-2026-01-12")
    if asked.checks_cache:
        names.append("cache-diagnosis-2026-04-07")
    return names


def _edit(asked: Asked) -> Block:
    trigger = {"type": "input_tokens", "value": asked.editing_from}
    if asked.editing == COMPACT:
        return {"type": "compact_20260112", "trigger": trigger}
    kept = {"type": "tool_uses", "value": KEPT_RESULTS}
    return {"type": "clear_tool_uses_20250919", "trigger": trigger, "keep": kept}


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
            message["content"].sort(key=_is_said)
    return messages


def _is_said(block: Block) -> bool:
    return bool(block["type"] != "tool_result")


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
    if item["type"] in (*THOUGHTS, COMPACTION):
        return "assistant", item
    return item["role"], {"type": "text", "text": item["content"]}


def _object(arguments: str) -> Any:
    """What a model wrote may be no JSON; its result says so."""
    try:
        value = parse(arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def reply_of(document: Mapping[str, Any], checks_cache: bool = False) -> Reply:
    texts: list[str] = []
    thoughts: list[Item] = []
    calls: list[ToolUse] = []
    compaction: Item | None = None
    if not isinstance(document.get("content"), list):
        raise NotAnAnswer
    for block in document["content"]:
        if block["type"] == "text":
            texts.append(well_formed(block["text"]))
        elif block["type"] == "tool_use":
            arguments = well_formed(dump(block["input"]))
            calls.append(ToolUse(block["id"], block["name"], arguments))
        elif block["type"] in THOUGHTS:
            thoughts.append(block)
        elif block["type"] == COMPACTION and block.get("content"):
            compaction = block
    status = "completed"
    cut = _why_cut(document)
    lost_call = bool(cut and calls)
    if cut:
        status = INCOMPLETE
        # The last call may have been cut in the middle.
        calls = []
    text = "\n\n".join(filter(None, texts))
    return Reply(
        id=str(document["id"]),
        text=text,
        calls=tuple(calls),
        thoughts=tuple(thoughts),
        compaction=compaction,
        cut=cut,
        lost_call=lost_call,
        cache=_cache(document) if checks_cache else "",
        usage=_usage(document.get("usage") or {}),
        status=status,
    )


def _why_cut(document: Mapping[str, Any]) -> str:
    reason = document.get("stop_reason")
    return "" if reason in WHOLE else str(reason)


def _cache(document: Mapping[str, Any]) -> str:
    """Nothing is said where nothing was different."""
    told = document.get("diagnostics")
    if not told:
        return CACHE_HIT
    reason = told.get("cache_miss_reason") or {}
    return str(reason.get("type") or "pending")


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
