"""What providers refuse, written from their rules alone: nothing here is of the product.

A history is what a provider sent and was sent. It knows which of its items belong together; a
request made of that history by somebody else is judged by what the history says.
"""

from __future__ import annotations

from typing import Any

Item = dict[str, Any]
CALLS = ("function_call", "custom_tool_call", "computer_call", "shell_call", "apply_patch_call")


def of_model(item: Item) -> bool:
    kind = str(item.get("type", "message"))
    return kind == "reasoning" or kind.endswith("_call") or item.get("role") == "assistant"


class Kept:
    """What OpenAI keeps of the items that its model sent: by id, what each asks for."""

    def __init__(self, history: list[Item]) -> None:
        self.reason: dict[str, str] = {}
        """Of an item, the reason that led to it."""
        self.next: dict[str, str] = {}
        """Of a reason, the item that came behind it."""
        before = ""
        for place, item in enumerate(history):
            if not of_model(item):
                before = ""
                continue
            if before:
                self.reason[item["id"]] = before
            if item.get("type") == "reasoning":
                before = item["id"]
                self.next[before] = history[place + 1]["id"]

    def refusals(self, items: list[Item]) -> list[str]:
        """The sentences with which the provider answers such a request."""
        return [*self._asked(items), *refused_pairs(items)]

    def _asked(self, items: list[Item]) -> list[str]:
        said: list[str] = []
        for place, item in enumerate(items):
            name, kind = item.get("id"), item.get("type", "message")
            if not name:
                continue
            if kind == "reasoning":
                after = items[place + 1] if place + 1 < len(items) else {}
                if after.get("id") != self.next[name]:
                    said.append(
                        f"Item '{name}' of type 'reasoning' was provided without its required following item."
                    )
            elif self.reason.get(name) not in (None, *_answer_before(items, place)):
                said.append(
                    f"Item '{name}' of type '{kind}' was provided without its required 'reasoning' item."
                )
        return said


def _answer_before(items: list[Item], place: int) -> list[str]:
    """The ids of what the model sent directly before an item."""
    names: list[str] = []
    for item in reversed(items[:place]):
        if not of_model(item):
            break
        names.append(item.get("id", ""))
    return names


def refused_pairs(items: list[Item]) -> list[str]:
    """Calls and their outputs: each call once, each answered once, and behind it."""
    said: list[str] = []
    waiting: list[str] = []
    for item in items:
        kind = str(item.get("type", ""))
        if kind.endswith("_call_output"):
            if item["call_id"] in waiting:
                waiting.remove(item["call_id"])
            else:
                said.append(
                    f"No tool call found for function call output with call_id {item['call_id']}."
                )
        elif kind in CALLS:
            waiting.append(item["call_id"])
    return [*said, *(f"No tool output found for function call {name}." for name in waiting)]


def of_langchain(messages: list[Any]) -> list[Item]:
    """The items that LangChain's client for OpenAI makes of its messages."""
    items: list[Item] = []
    for message in messages:
        if message.type == "tool":
            items.append(
                {
                    "type": "function_call_output",
                    "call_id": message.tool_call_id,
                    "output": message.content,
                }
            )
        elif message.type != "ai":
            items.append({"type": "message", "role": "user", "content": message.content})
        else:
            items += _answer(message)
    return items


def _answer(message: Any) -> list[Item]:
    parts = (
        message.content
        if isinstance(message.content, list)
        else [{"type": "text", "text": message.content}]
    )
    items: list[Item] = []
    for part in parts:
        if part["type"] == "text":
            name = {"id": part["id"]} if "id" in part else {}
            items.append({"type": "message", "role": "assistant", "content": part["text"], **name})
        else:
            items.append(part)
    there = {item.get("call_id") for item in items}
    return [*items, *(_call(call) for call in message.tool_calls if call["id"] not in there)]


def _call(call: Any) -> Item:
    return {"type": "function_call", "call_id": call["id"], "name": call["name"], "arguments": "{}"}


def refused_by_anthropic(messages: list[Item], history: list[Item]) -> list[str]:
    """Of a request with thinking: results behind their calls, and thoughts whole where the model is
    still at work.
    """
    said: list[str] = []
    if messages[0]["role"] != "user":
        said.append("messages: first message must use the user role")
    asked: list[str] = []
    for message in messages:
        parts = message["content"] if isinstance(message["content"], list) else [{"type": "text"}]
        results = [part["tool_use_id"] for part in parts if part["type"] == "tool_result"]
        if sorted(results) != sorted(asked):
            said.append(
                "tool_use ids were found without tool_result blocks immediately after, or the other way round"
            )
        asked = [part["id"] for part in parts if part["type"] == "tool_use"]
    return [*said, *_thoughts_lost(messages, history)]


def _thoughts_lost(messages: list[Item], history: list[Item]) -> list[str]:
    """Since the user spoke last, an answer with calls begins with the thought that it began with,
    untouched.
    """
    first = {
        part["id"]: message["content"][0] for message in history for part in _calls_of(message)
    }
    said: list[str] = []
    for message in reversed(messages):
        parts = message["content"]
        if message["role"] == "user" and not (
            isinstance(parts, list) and parts[0]["type"] == "tool_result"
        ):
            break
        said += [
            f"Expected `thinking`, but found `{parts[0]['type']}`"
            for part in _calls_of(message)
            if part["id"] in first and parts[0] != first[part["id"]]
        ]
    return said


def _calls_of(message: Item) -> list[Item]:
    parts = message["content"] if isinstance(message["content"], list) else []
    return [part for part in parts if part["type"] == "tool_use"]
