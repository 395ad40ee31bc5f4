"""How the judge of a hand-over reads a conversation: what happened in it, in order. It trusts no format
of dctx for that.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

USER, ASSISTANT, CALL, RESULT = "user", "assistant", "call", "result"


class Event(NamedTuple):
    """Something that happened in a conversation."""

    kind: str
    text: str
    name: str = ""
    """Of a call, its tool."""
    id: str = ""
    failed: bool = False


def events_of(transcript: Sequence[dict[str, Any]]) -> Iterator[Event]:
    for entry in _not_taken_back(transcript):
        if entry.get("type") == "response_item":
            yield from _of_codex(entry["payload"])
        elif isinstance(entry.get("message"), dict):
            hidden = ("isMeta", "isCompactSummary", "isSidechain")
            if not any(entry.get(mark) for mark in hidden):
                yield from _of_message(entry["message"])
        elif "role" in entry:
            yield from _of_message(entry)


def _not_taken_back(transcript: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Without what hangs on a request that the user went back behind: the model does not read it."""
    by_name = {entry["uuid"]: entry for entry in transcript if entry.get("uuid")}
    turns = [entry for entry in transcript if _is_turn(entry)]
    last = turns[-1] if turns else {}
    on_the_way = set(_ancestors(last, by_name))
    for entry in transcript:
        requests = (name for name in _ancestors(entry, by_name) if _is_typed(by_name[name]))
        request = next(requests, None)
        if request is None or request in on_the_way:
            yield entry


def _ancestors(entry: dict[str, Any], by_name: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Itself, what it hangs on, and so on."""
    seen: set[str] = set()
    while entry and entry.get("uuid") in by_name and entry["uuid"] not in seen:
        seen.add(entry["uuid"])
        yield entry["uuid"]
        entry = by_name.get(entry.get("parentUuid") or "", {})


def _is_turn(entry: dict[str, Any]) -> bool:
    return entry.get("type") in (USER, ASSISTANT) and not entry.get("isSidechain")


def _is_typed(entry: dict[str, Any]) -> bool:
    if entry.get("type") != USER:
        return False
    content = entry.get("message", {}).get("content")
    if isinstance(content, str):
        return True
    return not any(part.get("type") == "tool_result" for part in content or ())


def _of_codex(item: dict[str, Any]) -> Iterator[Event]:
    kind = str(item.get("type", ""))
    name, call = str(item.get("name", "")), str(item.get("call_id", ""))
    if kind == "message" and item.get("role") in (USER, ASSISTANT):
        yield Event(str(item["role"]), _plain(item.get("content")))
    elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
        given = item.get("arguments") or item.get("input") or item.get("action") or ""
        yield Event(CALL, given if isinstance(given, str) else json.dumps(given), name, call)
    elif kind.endswith("_output"):
        text = _plain(item.get("output"))
        yield Event(RESULT, text, "", call, _says_failure(text))


def _of_message(message: dict[str, Any]) -> Iterator[Event]:
    role = str(message.get("role"))
    content = message.get("content")
    if role == "tool":
        text = _plain(content)
        yield Event(RESULT, text, "", str(message.get("tool_call_id", "")), _says_failure(text))
        return
    if isinstance(content, str):
        yield Event(role, content)
    for part in content if isinstance(content, list) else ():
        yield from _of_part(role, part)
    for call in message.get("tool_calls") or ():
        function = call.get("function", {})
        arguments = str(function.get("arguments", ""))
        yield Event(CALL, arguments, str(function.get("name", "")), str(call.get("id", "")))


def _of_part(role: str, part: dict[str, Any]) -> Iterator[Event]:
    if part.get("type") == "text":
        yield Event(role, str(part.get("text", "")))
    elif part.get("type") == "tool_use":
        yield Event(CALL, json.dumps(part["input"], ensure_ascii=False), part["name"], part["id"])
    elif part.get("type") == "tool_result":
        text = _plain(part.get("content"))
        failed = bool(part.get("is_error")) or _says_failure(text)
        yield Event(RESULT, text, "", str(part.get("tool_use_id", "")), failed)


def _plain(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


_FAILURE = re.compile(r"^Exit code [1-9]|exited with code [1-9]|<returncode>[1-9]", re.MULTILINE)


def _says_failure(text: str) -> bool:
    return _FAILURE.search(text[:400]) is not None


def finished(events: Sequence[Event]) -> Iterator[tuple[Event, Event]]:
    """Each call with its result."""
    calls: dict[str, Event] = {}
    for event in events:
        if event.kind == CALL:
            calls[event.id] = event
        elif event.kind == RESULT and event.id in calls:
            yield calls.pop(event.id), event


def arguments_of(call: Event) -> dict[str, Any]:
    try:
        values = json.loads(call.text)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def shell_of(call: Event) -> str:
    values = arguments_of(call)
    command = values.get("command") or values.get("cmd") or values.get("script") or ""
    return str(command[-1] if isinstance(command, list) and command else command)
