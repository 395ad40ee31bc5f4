"""A model that says and calls what it is told to, in the wire formats that the proxy knows, streamed
and not.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

from proxied import Upstream

Json = dict[str, Any]
MESSAGES, CHAT, RESPONSES = "/v1/messages", "/v1/chat/completions", "/v1/responses"
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
Script = Callable[[Json, int], "list[Part] | bytes"]
"""From a request and its number to what the model says; or the bytes of an answer."""


class AskingModel(Upstream):
    """Each request takes 100 tokens, each answer 7."""

    def __init__(self, script: Script, cut: int = 1 << 30) -> None:
        """`cut`: after so many bytes comes the next chunk of a stream."""
        super().__init__(self._play)
        self._script, self._size = script, cut

    @property
    def asked(self) -> list[Json]:
        return [json.loads(body) for body in self.bodies]

    def _play(self, client: socket.socket, head: bytes, body: bytes) -> None:
        asked = json.loads(body)
        number = len(self.bodies)
        parts = self._script(asked, number)
        if isinstance(parts, bytes):
            client.sendall(parts)
            if b"Connection: close" in parts:
                raise OSError
            return
        path = head.split(b" ")[1].decode()
        whole, events = FORMS[path[path.index("/v1") :]]
        if not asked.get("stream"):
            client.sendall(plain(whole(parts, number)))
            return
        data = streamed(events(parts, number))
        client.sendall(STREAM_HEAD)
        for start in range(0, len(data), self._size):
            piece = data[start : start + self._size]
            client.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        client.sendall(b"0\r\n\r\n")


def plain(document: Json, status: str = "200 OK") -> bytes:
    body = json.dumps(document).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def streamed(events: Iterator[Json | str]) -> bytes:
    lines = b""
    for event in events:
        if isinstance(event, str):
            lines += f"data: {event}\n\n".encode()
            continue
        if "type" in event:
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


def message_events(parts: list[Part], number: int) -> Iterator[Json | str]:
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


def completion(parts: list[Part], number: int) -> Json:
    text = "".join(
        part.text for part in parts if isinstance(part, Say) and not isinstance(part, Think)
    )
    told: Json = {"role": "assistant", "content": text or None}
    calls: list[Json] = []
    for index, part in enumerate(parts):
        if isinstance(part, Call):
            function = {"name": part.name, "arguments": json.dumps(part.given)}
            calls.append({"id": f"call_{number}_{index}", "type": "function", "function": function})
    if calls:
        told["tool_calls"] = calls
    choice = {"index": 0, "message": told, "finish_reason": "tool_calls" if calls else "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
    return {
        "id": f"chatcmpl_{number}", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [choice], "usage": usage,
    }  # fmt: skip


def completion_chunks(parts: list[Part], number: int) -> Iterator[Json | str]:
    whole = completion(parts, number)
    told = whole["choices"][0]["message"]

    def chunk(delta: Json, reason: str | None = None) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {
            "id": whole["id"], "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [choice], "usage": None,
        }  # fmt: skip

    yield chunk({"role": "assistant", "content": ""})
    for text in halves(told["content"] or ""):
        yield chunk({"content": text})
    for index, call in enumerate(told.get("tool_calls", ())):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, **call, "function": function}]})
        for text in halves(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": text}}]})
    yield chunk({}, whole["choices"][0]["finish_reason"])
    yield {**chunk({}), "choices": [], "usage": whole["usage"]}
    yield "[DONE]"


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
            output.append(
                {
                    "type": "reasoning",
                    "id": f"rs_{name}",
                    "summary": [],
                    "encrypted_content": part.text,
                }
            )
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


def response_events(parts: list[Part], number: int) -> Iterator[Json | str]:
    whole = response(parts, number)
    begin = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[Json] = [{"type": "response.created", "response": begin}]
    for index, item in enumerate(whole["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        events.append(
            {"type": "response.output_item.added", "output_index": index, "item": opened(item)}
        )
        if item["type"] == "message":
            part = item["content"][0]
            events.append(
                {
                    "type": "response.content_part.added",
                    **at,
                    "content_index": 0,
                    "part": {**part, "text": ""},
                }
            )
            for text in halves(part["text"]):
                events.append(
                    {
                        "type": "response.output_text.delta",
                        **at,
                        "content_index": 0,
                        "delta": text,
                        "logprobs": [],
                    }
                )
            events.append(
                {
                    "type": "response.output_text.done",
                    **at,
                    "content_index": 0,
                    "text": part["text"],
                    "logprobs": [],
                }
            )
            events.append(
                {"type": "response.content_part.done", **at, "content_index": 0, "part": part}
            )
        elif item["type"] == "function_call":
            for text in halves(item["arguments"]):
                events.append(
                    {"type": "response.function_call_arguments.delta", **at, "delta": text}
                )
            events.append(
                {
                    "type": "response.function_call_arguments.done",
                    **at,
                    "name": item["name"],
                    "arguments": item["arguments"],
                }
            )
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": whole})
    for sequence, event in enumerate(events):
        yield {**event, "sequence_number": sequence}


def opened(item: Json) -> Json:
    empty = {"content": [], "arguments": "", "status": "in_progress"}
    return {name: empty.get(name, value) for name, value in item.items()}


FORMS = {
    MESSAGES: (message, message_events),
    CHAT: (completion, completion_chunks),
    RESPONSES: (response, response_events),
}
