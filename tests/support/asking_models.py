"""What a model says and calls, as the APIs of Anthropic and of OpenAI's responses write it, streamed and not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
MESSAGES, RESPONSES = "/v1/messages", "/v1/responses"
STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"


class Say:
    def __init__(self, text: str) -> None:
        self.text = text


class Think(Say):
    """A thought, which is signed by its words."""


class Call:
    def __init__(self, name: str, **given: Any) -> None:
        self.name, self.given = name, given


Part = Say | Call


def plain(document: Json, status: str = "200 OK") -> bytes:
    body = json.dumps(document).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def streamed(events: Iterator[Json]) -> bytes:
    lines = b""
    for event in events:
        lines += f"event: {event['type']}\n".encode()
        lines += b"data: " + json.dumps(event).encode() + b"\n\n"
    return lines


def halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [text[:middle], text[middle:]]


def message(parts: list[Part], number: int) -> Json:
    content: list[Json] = []
    for index, part in enumerate(parts):
        if isinstance(part, Call):
            name = f"toolu_{number}_{index}"
            content.append({"type": "tool_use", "id": name, "name": part.name, "input": part.given})
        elif isinstance(part, Think):
            content.append(
                {"type": "thinking", "thinking": part.text, "signature": f"signed {part.text}"}
            )
        else:
            content.append({"type": "text", "text": part.text})
    stop = "tool_use" if any(isinstance(part, Call) for part in parts) else "end_turn"
    return {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 100, "output_tokens": 7},
    }  # fmt: skip


def message_events(parts: list[Part], number: int) -> Iterator[Json]:
    whole = message(parts, number)
    start = {
        **whole,
        "content": [],
        "stop_reason": None,
        "usage": {**whole["usage"], "output_tokens": 1},
    }
    yield {"type": "message_start", "message": start}
    yield {"type": "ping"}
    for index, block in enumerate(whole["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": begun(block)}
        for delta in deltas(block):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 7}}
    yield {"type": "message_stop"}


def begun(block: Json) -> Json:
    empty = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {
        name: empty.get(name, value) if name != "type" else value for name, value in block.items()
    }


def deltas(block: Json) -> Iterator[Json]:
    if block["type"] == "text":
        for text in halves(block["text"]):
            yield {"type": "text_delta", "text": text}
    elif block["type"] == "thinking":
        for text in halves(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": text}
        yield {"type": "signature_delta", "signature": block["signature"]}
    else:
        for text in halves(json.dumps(block["input"])):
            yield {"type": "input_json_delta", "partial_json": text}


def response(parts: list[Part], number: int) -> Json:
    output: list[Json] = []
    for index, part in enumerate(parts):
        name = f"{number}_{index}"
        if isinstance(part, Call):
            output.append({
                "type": "function_call", "id": f"fc_{name}", "call_id": f"call_{name}", "status": "completed",
                "name": part.name, "arguments": json.dumps(part.given),
            })  # fmt: skip
        elif isinstance(part, Think):
            thought = {"type": "reasoning", "id": f"rs_{name}", "summary": []}
            output.append({**thought, "encrypted_content": part.text})
        else:
            text = {"type": "output_text", "text": part.text, "annotations": []}
            output.append({
                "type": "message", "id": f"msg_{name}", "role": "assistant", "status": "completed",
                "content": [text],
            })  # fmt: skip
    usage = {
        "input_tokens": 100, "input_tokens_details": {"cached_tokens": 60}, "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 107,
    }  # fmt: skip
    return {
        "id": f"resp_{number}", "object": "response", "created_at": 1, "status": "completed", "model": "m",
        "output": output, "usage": usage, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip


def response_events(parts: list[Part], number: int) -> Iterator[Json]:
    whole = response(parts, number)
    begin = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[Json] = []

    def tell(kind: str, **more: Any) -> None:
        events.append({"type": f"response.{kind}", **more, "sequence_number": len(events)})

    tell("created", response=begin)
    for index, item in enumerate(whole["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        tell("output_item.added", output_index=index, item=opened(item))
        if item["type"] == "message":
            (part,) = item["content"]
            at["content_index"] = 0
            tell("content_part.added", **at, part={**part, "text": ""})
            for text in halves(part["text"]):
                tell("output_text.delta", **at, delta=text, logprobs=[])
            tell("output_text.done", **at, text=part["text"], logprobs=[])
            tell("content_part.done", **at, part=part)
        elif item["type"] == "function_call":
            arguments = item["arguments"]
            for text in halves(arguments):
                tell("function_call_arguments.delta", **at, delta=text)
            tell("function_call_arguments.done", **at, name=item["name"], arguments=arguments)
        tell("output_item.done", output_index=index, item=item)
    tell("completed", response=whole)
    yield from events


def opened(item: Json) -> Json:
    empty = {"content": [], "arguments": "", "status": "in_progress"}
    return {name: empty.get(name, value) for name, value in item.items()}
