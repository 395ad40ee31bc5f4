"""Other projects' own code, in an environment of its own. Chats on stdin, a line each; shortened
ones on stdout.
"""

from __future__ import annotations

import json
import os
import sys
import time
from importlib import import_module
from typing import Any

_KNOWN = frozenset({"role", "content", "tool_calls", "tool_call_id", "name"})
Chat = list[dict[str, Any]]


def langchain_clear(chat: Chat, target: int) -> tuple[Chat, float]:
    messages = _read(chat)
    edit = import_module("langchain.agents.middleware").ClearToolUsesEdit(trigger=0, keep=3)
    begin = time.perf_counter()
    edit.apply(messages, count_tokens=_approximately())
    took = time.perf_counter() - begin
    return _written(messages), took


def langchain_trim(chat: Chat, target: int) -> tuple[Chat, float]:
    messages, trim = _read(chat), import_module("langchain_core.messages").trim_messages
    begin = time.perf_counter()
    made = trim(
        messages,
        max_tokens=target,
        token_counter=_approximately(),
        strategy="last",
        include_system=True,
    )
    took = time.perf_counter() - begin
    return _written(made), took


def headroom(chat: Chat, target: int) -> tuple[Chat, float]:
    compress = import_module("headroom").compress
    begin = time.perf_counter()
    made = compress(chat, model="gpt-4o", model_limit=max(target, 1000) if target else 200_000)
    took = time.perf_counter() - begin
    return made.messages, took


def _read(chat: Chat) -> Any:
    whole = [{key: value for key, value in one.items() if key in _KNOWN} for one in chat]
    whole = [{**one, "content": one.get("content") or ""} for one in whole]
    return import_module("langchain_core.messages").convert_to_messages(whole)


def _written(messages: Any) -> Chat:
    found: Chat = import_module("langchain_core.messages").convert_to_openai_messages(messages)
    return found


def _approximately() -> Any:
    return import_module("langchain_core.messages.utils").count_tokens_approximately


METHODS = {
    "langchain clear": langchain_clear,
    "langchain trim": langchain_trim,
    "headroom": headroom,
}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints is no answer
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            chat, took = METHODS[asked["method"]](asked["chat"], asked["target"])
            found: dict[str, Any] = {"chat": chat, "milliseconds": took * 1000}
        except Exception as error:
            found = {"why_not": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main()
