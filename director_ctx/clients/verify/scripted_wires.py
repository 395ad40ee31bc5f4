"""The wire formats of the model interfaces that agent clients speak: what a request says, how an
answer is written.
"""

from __future__ import annotations

import json

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Json = dict[str, Any]

MODEL = "scripted"


class ScriptedCall(Record):
    """A tool that the model calls. Of names with a bar between them it is the first that the client
    offers.
    """

    name: str
    input: Mapping[str, Any]


class Answer(Record):
    """What the model says, and the tools that it calls, by the names under which they are offered."""

    number: int
    say: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    tokens: int = 10
    """The size of the request, as the model claims it."""


class ScriptedWire(Record):
    """One format: where its requests go, what they say, which tools they offer, and how they are
    answered.
    """

    path: str
    said: Callable[[Json], object]
    offers: Callable[[Json], Iterator[str]]
    whole: Callable[[Answer], Json]
    pieces: Callable[[Answer], Iterator[Json]]


def _named(tools: object) -> Iterator[str]:
    """The names in a list of tools, those inside a namespace with it in front."""
    if not isinstance(tools, list):
        return
    for tool in tools:
        # Codex groups tools so; those inside of one are called by both names.
        if tool.get("type") == "namespace":
            for name in _named(tool.get("tools")):
                yield f"{tool['name']}.{name}"
        elif isinstance(tool.get("name"), str):
            yield tool["name"]


def _says_something(answer: Answer) -> bool:
    """An answer without calls says something, be it nothing."""
    return bool(answer.say) or not answer.calls


# Anthropic's Messages.


def _message(answer: Answer) -> Json:
    content: list[Json] = []
    if _says_something(answer):
        content.append({"type": "text", "text": answer.say})
    for index, call in enumerate(answer.calls):
        number = f"toolu_{answer.number:04}_{index}"
        block = {
            "type": "tool_use",
            "id": number,
            "name": call.name,
            "input": call.input,
        }
        content.append(block)
    stop_reason = "end_turn"
    if answer.calls:
        stop_reason = "tool_use"
    return {
        "id": f"msg_{answer.number:04}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": answer.tokens, "output_tokens": 5},
    }


def _message_events(answer: Answer) -> Iterator[Json]:
    whole = _message(answer)
    start = {**whole, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(whole["content"]):
        delta = _message_delta(block)
        yield {"type": "content_block_start", "index": index, "content_block": _emptied(block)}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}}
    yield {"type": "message_stop"}


def _emptied(block: Json) -> Json:
    """A block as it begins; what is in it comes afterwards."""
    if block["type"] == "text":
        return {**block, "text": ""}
    return {**block, "input": {}}


def _message_delta(block: Json) -> Json:
    if block["type"] == "text":
        return {"type": "text_delta", "text": block["text"]}
    return {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}


# OpenAI's Responses.


def _output(answer: Answer) -> list[Json]:
    output: list[Json] = []
    if _says_something(answer):
        text = {"type": "output_text", "text": answer.say, "annotations": []}
        message = {
            "type": "message",
            "id": f"msg_{answer.number:04}",
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }
        output.append(message)
    for index, call in enumerate(answer.calls):
        output.append(_function_call(f"{answer.number:04}_{index}", call))
    return output


def _function_call(number: str, call: ScriptedCall) -> Json:
    namespace, _, name = call.name.rpartition(".")
    item: Json = {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "status": "completed",
    }
    if namespace:
        item["namespace"] = namespace
    item["name"] = name
    item["arguments"] = json.dumps(call.input)
    return item


def _response(answer: Answer) -> Json:
    size = {
        "input_tokens": answer.tokens,
        "output_tokens": 5,
        "total_tokens": answer.tokens + 5,
    }
    return {
        "id": f"resp_{answer.number:04}",
        "object": "response",
        "status": "completed",
        "model": MODEL,
        "output": _output(answer),
        "usage": size,
    }


def _response_events(answer: Answer) -> Iterator[Json]:
    whole = _response(answer)
    yield {
        "type": "response.created",
        "response": {**whole, "status": "in_progress", "output": [], "usage": None},
    }
    for index, item in enumerate(whole["output"]):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": whole}


# Google's generateContent.


def _functions(body: Json) -> Iterator[str]:
    for group in body.get("tools") or ():
        yield from _named(group.get("functionDeclarations"))


def _candidate(answer: Answer) -> Json:
    parts: list[Json] = []
    if _says_something(answer):
        parts.append({"text": answer.say})
    for call in answer.calls:
        parts.append({"functionCall": {"name": call.name, "args": call.input}})
    candidate = {
        "content": {"role": "model", "parts": parts},
        "finishReason": "STOP",
        "index": 0,
    }
    usage = {
        "promptTokenCount": answer.tokens,
        "candidatesTokenCount": 5,
        "totalTokenCount": answer.tokens + 5,
    }
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL}


def _candidates(answer: Answer) -> Iterator[Json]:
    yield _candidate(answer)


WIRES = (
    ScriptedWire(
        "/v1/messages",
        lambda body: [body.get("system"), body.get("messages")],
        lambda body: _named(body.get("tools")),
        _message,
        _message_events,
    ),
    ScriptedWire(
        "/responses",
        lambda body: [body.get("instructions"), body.get("input")],
        lambda body: _named(body.get("tools")),
        _response,
        _response_events,
    ),
    ScriptedWire(
        "enerateContent",
        lambda body: [body.get("systemInstruction"), body.get("contents")],
        _functions,
        _candidate,
        _candidates,
    ),
)
COUNTS = {
    "count_tokens": "input_tokens",
    "input_tokens": "input_tokens",
    "countTokens": "totalTokens",
}
"""How a path ends that asks for the size of a request, and what the size is called in the answer.
"""


def find_wire(path: str) -> ScriptedWire | None:
    for wire in WIRES:
        if wire.path in path:
            return wire
    return None


def streamed(events: Iterator[Json]) -> str:
    """As server-sent events."""
    lines: list[str] = []
    for event in events:
        if "type" in event:
            lines.append(f"event: {event['type']}\n")
        lines.append(f"data: {json.dumps(event)}\n\n")
    return "".join(lines)
