"""A chat as Claude Code writes it down: a line for each block, the lines of one answer under one
message id.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.survival.reading import Chat

SESSION = "5e551011-0000-4000-8000-000000000000"
VERSION = "2.1.100"
MODEL = "claude-scripted"


def written(chat: Chat) -> list[Any]:
    """The lines, in order, each the child of the one before."""
    parent: str | None = None
    lines = []
    for number, entry in enumerate(_entries(chat)):
        own = f"{number:08x}-0000-4000-8000-000000000000"
        lines.append({**_common(number), **entry, "uuid": own, "parentUuid": parent})
        parent = own
    return lines


def _common(number: int) -> dict[str, Any]:
    moment = f"2026-01-02T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
    return {
        "isSidechain": False,
        "userType": "external",
        "cwd": "/testbed",
        "sessionId": SESSION,
        "version": VERSION,
        "gitBranch": "main",
        "timestamp": moment,
    }


def _entries(chat: Chat) -> Iterator[dict[str, Any]]:
    given: dict[str, tuple[str, dict[str, Any]]] = {}
    for number, message in enumerate(chat):
        if message["role"] == "assistant":
            yield from _answer(message, number, given)
        elif message["role"] == "tool":
            yield _result(message, *given.get(message["tool_call_id"], ("", {})))
        else:
            yield {"type": "user", "message": {"role": "user", "content": message["content"]}}


def _answer(
    message: dict[str, Any], number: int, given: dict[str, tuple[str, dict[str, Any]]]
) -> Iterator[dict[str, Any]]:
    blocks: list[dict[str, Any]] = (
        [{"type": "text", "text": message["content"]}] if message["content"] else []
    )
    for call in message.get("tool_calls") or ():
        name, values = call["function"]["name"], json.loads(call["function"]["arguments"])
        given[call["id"]] = (name, values)
        blocks.append({"type": "tool_use", "id": call["id"], "name": name, "input": values})
    for block in blocks:
        yield {
            "type": "assistant",
            "requestId": f"req_{number:024d}",
            "message": _message(block, number),
        }


def _message(block: dict[str, Any], number: int) -> dict[str, Any]:
    return {
        "id": f"msg_{number:024d}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [block],
        "stop_reason": "tool_use" if block["type"] == "tool_use" else None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 4,
            "output_tokens": 40,
            "cache_read_input_tokens": 1000,
            "cache_creation_input_tokens": 100,
        },
    }


def _result(message: dict[str, Any], tool: str, values: dict[str, Any]) -> dict[str, Any]:
    text, wrong = message["content"], message.get("is_error", False)
    block = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": text}
    if wrong or tool == "Bash":
        block["is_error"] = bool(wrong)
    return {
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "toolUseResult": f"Error: {text}" if wrong else _rich(tool, values, text),
    }


def _rich(tool: str, values: dict[str, Any], text: str) -> Any:
    """What the client keeps beside a result for itself; the model does not read it."""
    if tool == "Read":
        lines = text.split("\n")
        content = "\n".join(line.partition("→")[2] for line in lines)
        start = int(values.get("offset", 1))
        file = {
            "filePath": values["file_path"],
            "content": content,
            "numLines": len(lines),
            "startLine": start,
            "totalLines": start + len(lines),
        }
        return {"type": "text", "file": file}
    if tool == "Bash":
        return {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    if tool == "Write":
        return {
            "type": "create",
            "filePath": values["file_path"],
            "content": values["content"],
            "structuredPatch": [],
        }
    if tool == "Edit":
        return {
            "filePath": values["file_path"],
            "oldString": values["old_string"],
            "newString": values["new_string"],
            "structuredPatch": [],
        }
    return {"mode": "content", "content": text, "numLines": text.count("\n") + 1}
