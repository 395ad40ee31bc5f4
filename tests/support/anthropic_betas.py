"""What Anthropic tries out, as far as its documents and its client say: threads, edits of the context, compaction, and
what its cache knew. Each wants its name in a header.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
NAMES = {
    "thread": ("message-threads-2026-08-12",),
    "context_management": ("context-management-2025-06-27", "compact-2026-01-12"),
    "diagnostics": ("cache-diagnosis-2026-04-07",),
}
"""By the field of a request, one of these has to be in the header."""
BEGINNINGS = ("model", "system", "tools")


class NoThread(Exception):
    """The status and the code with which a thread is refused."""

    def __init__(self, status: str, code: str) -> None:
        self.status, self.code = status, code
        super().__init__(code)


def unnamed(asked: Json, header: str) -> list[str]:
    """Fields that are used without their names."""
    wrong: list[str] = []
    for field, names in NAMES.items():
        if field in asked and not any(name in header for name in names):
            wrong.append(f"{field}: Extra inputs are not permitted")
    return wrong


class HeldThreads:
    """What is held between requests: the last answer of a thread can be gone on with, once."""

    def __init__(self) -> None:
        self.held: dict[str, Json] = {}
        self.continued: set[str] = set()

    def whole(self, asked: Json) -> Json:
        """The request with everything that it stands on."""
        thread = asked.get("thread") or {}
        if thread.get("type") != "continue":
            return asked
        for field in ("system", "tools"):
            if field in asked:
                raise NoThread("400", f"{field} may not be said again")
        previous = thread["previous_message_id"]
        if previous in self.continued:
            raise NoThread("409", "thread_already_continued")
        if previous not in self.held:
            raise NoThread("404", "thread_not_found")
        before = self.held[previous]
        self.continued.add(previous)
        return {**before, **asked, "messages": [*before["messages"], *asked["messages"]]}

    def take(self, whole: Json, answer: Json) -> None:
        if "thread" in whole:
            said = {"role": "assistant", "content": answer["content"]}
            self.held[answer["id"]] = {**whole, "messages": [*whole["messages"], said]}


def edited(asked: Json, tokens: Any) -> tuple[Json, Json | None]:
    """What the model reads, and a block that from now on stands for all of it, where one is made."""
    messages = _from_compaction(asked["messages"])
    block = None
    for edit in (asked.get("context_management") or {}).get("edits", ()):
        if tokens(messages) < edit["trigger"]["value"]:
            continue
        if edit["type"] == "compact_20260112":
            block = {"type": "compaction", "content": "Summary: files were looked at."}
        else:
            messages = _cleared(messages, edit["keep"]["value"])
    return {**asked, "messages": messages}, block


def _from_compaction(messages: list[Json]) -> list[Json]:
    for number in range(len(messages) - 1, -1, -1):
        content = messages[number]["content"]
        if isinstance(content, list) and any(one["type"] == "compaction" for one in content):
            return messages[number:]
    return messages


def _cleared(messages: list[Json], keep: int) -> list[Json]:
    shorter: list[Json] = []
    for message in reversed(messages):
        content = []
        for one in message["content"]:
            if one["type"] == "tool_result":
                keep -= 1
            is_cleared = one["type"] == "tool_result" and keep < 0
            content.append({**one, "content": "[cleared]"} if is_cleared else one)
        shorter.append({**message, "content": content})
    return shorter[::-1]


def cache_told(asked: Json, before: dict[str, Json]) -> Json | None:
    """What differs from the request of an earlier answer; nothing where it only goes on."""
    previous = asked["diagnostics"]["previous_message_id"]
    if previous is None:
        return None
    if previous not in before:
        return _missed("previous_message_not_found")
    earlier = before[previous]
    for field in BEGINNINGS:
        if asked.get(field) != earlier.get(field):
            return _missed(f"{field}_changed")
    known = [_bare(message) for message in earlier["messages"]]
    now = [_bare(message) for message in asked["messages"]]
    return None if now[: len(known)] == known else _missed("messages_changed")


def _bare(message: Json) -> Json:
    content = message["content"]
    if isinstance(content, list):
        content = [{**one, "cache_control": None} for one in content]
    return {**message, "content": content}


def _missed(kind: str) -> Json:
    return {"cache_miss_reason": {"type": kind, "cache_missed_input_tokens": 100}}
