"""Sessions of people: what Claude Code and Codex wrote down, in windows between real compactions.

The judge reads the lines itself and trusts no format of dctx for that; what a compression is given
are the very lines.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.survival.runs import SESSIONS, Run, folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.survival.reading import Chat

    Line = dict[str, Any]

LINES = "lines"
"""Where a message keeps what it was read from: each line with its number."""
LEAST = 8
"""Answers in a window below which nothing is to be learned from it."""
_CHAINED = ("user", "assistant", "attachment", "system")
_ADDED = ("session_meta", "turn_context")


def real(data: Path) -> Iterator[Run]:
    """Every window of every session in `OWNER+REPOSITORY/*.jsonl`."""
    for path in sorted(folder(data, SESSIONS).glob("*/*.jsonl")):
        is_codex, chats = windows(path)
        for number, window in enumerate(chats):
            later = [one for other in chats[number + 1 :] for one in other if not _is_summary(one)]
            if sum(one["role"] == "assistant" for one in window) < LEAST:
                continue
            yield Run(
                SESSIONS,
                f"{path.parent.name}/{path.stem[:12]}-{number}",
                path.parent.name.replace("+", "/"),
                window + later,
                "codex" if is_codex else "claude-code",
                codex_lines if is_codex else claude_lines,
                len(window),
            )


def windows(path: Path) -> tuple[bool, list[Chat]]:
    """Whether a session is one of Codex, and its windows."""
    lines = list(parsed(path))
    is_codex = any(line.get("type") == "session_meta" for line in lines)
    return is_codex, list(_codex(lines) if is_codex else _claude(lines))


def parsed(path: Path) -> Iterator[Line]:
    """A line that is no JSON is one that its author cut."""
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict):
            yield line


def _is_summary(message: dict[str, Any]) -> bool:
    return bool(message.get("summary"))


# Claude Code


def _claude(lines: Sequence[Line]) -> Iterator[Chat]:
    chat: Chat = []
    answers: dict[str, dict[str, Any]] = {}
    known: set[str] = set()
    for number, line in enumerate(lines):
        if line.get("subtype") == "compact_boundary":
            yield chat
            chat, answers = [], {}
            continue
        uuid = str(line.get("uuid", ""))
        if line.get("type") not in _CHAINED or line.get("isSidechain") or not uuid or uuid in known:
            continue
        known.add(uuid)
        message = line.get("message")
        if line["type"] == "assistant" and isinstance(message, dict):
            _take_answer(message, (number, line), chat, answers)
        elif line["type"] == "user" and isinstance(message, dict):
            chat.extend(_of_user(message.get("content"), (number, line)))
        elif chat:
            chat[-1][LINES].append((number, line))
    yield chat


def _take_answer(
    message: dict[str, Any],
    line: tuple[int, Line],
    chat: Chat,
    answers: dict[str, dict[str, Any]],
) -> None:
    """The lines of one answer are one message, whatever stands between them."""
    identity = str(message.get("id", ""))
    answer = answers.get(identity)
    if answer is None:
        answer = {"role": "assistant", "content": "", "tool_calls": [], LINES: []}
        answers[identity] = answer
        chat.append(answer)
    answer[LINES].append(line)
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        if block.get("type") == "text":
            answer["content"] += block["text"] + "\n"
        elif block.get("type") == "tool_use":
            arguments = json.dumps(block.get("input"), ensure_ascii=False)
            answer["tool_calls"].append(_call(block["id"], block["name"], arguments))


def _of_user(content: Any, line: tuple[int, Line]) -> Iterator[dict[str, Any]]:
    summary = bool(line[1].get("isCompactSummary"))
    if isinstance(content, str):
        yield {"role": "user", "content": content, "summary": summary, LINES: [line]}
        return
    lines = [line]
    for block in content or ():
        if block.get("type") == "tool_result":
            said = _text(block.get("content"))
            yield {
                "role": "tool",
                "tool_call_id": block.get("tool_use_id"),
                "content": said,
                LINES: lines,
            }
            lines = []
        elif block.get("type") == "text":
            yield {"role": "user", "content": block["text"], "summary": summary, LINES: lines}
            lines = []
    if lines:
        yield {"role": "user", "content": "", LINES: lines}


def claude_lines(chat: Chat) -> list[Any]:
    """In their order, each the child of the one before."""
    parent: str | None = None
    written = []
    for line in _in_order(chat):
        written.append({**line, "parentUuid": parent})
        parent = line["uuid"]
    return written


# Codex


def _codex(lines: Sequence[Line]) -> Iterator[Chat]:
    chat: Chat = []
    before: list[tuple[int, Line]] = []
    for number, line in enumerate(lines):
        payload = line.get("payload")
        if not isinstance(payload, dict):
            continue
        if line["type"] in _ADDED:
            before.append((number, line))
        elif line["type"] == "compacted":
            yield chat
            chat = []
            history = payload.get("replacement_history") or [_said(payload.get("message"))]
            for item in history:
                _take_item(item, [], chat, summary=True)
            before.append((number, line))
        elif line["type"] == "response_item":
            _take_item(payload, [*before, (number, line)], chat)
            before = []
    yield chat


def _said(text: Any) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"text": str(text or "")}]}


def _take_item(
    item: dict[str, Any], lines: list[tuple[int, Line]], chat: Chat, summary: bool = False
) -> None:
    kind = str(item.get("type"))
    if kind.endswith("_output"):
        said = item.get("output")
        text = said if isinstance(said, str) else _text(said)
        chat.append(
            {
                "role": "tool",
                "tool_call_id": item.get("call_id"),
                "content": text,
                LINES: lines,
            }
        )
        return
    if kind == "message" and item.get("role") != "assistant":
        role = "user" if item.get("role") == "user" else "system"
        text = _text(item.get("content"))
        chat.append({"role": role, "content": text, "summary": summary, LINES: lines})
        return
    if not chat or chat[-1]["role"] != "assistant":
        chat.append({"role": "assistant", "content": "", "tool_calls": [], LINES: []})
    answer = chat[-1]
    answer[LINES] += lines
    if kind == "message":
        answer["content"] += _text(item.get("content")) + "\n"
    elif kind.endswith("_call") and item.get("call_id"):
        arguments = item.get("arguments") or item.get("input") or item.get("action")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        answer["tool_calls"].append(_call(item["call_id"], item.get("name", kind), text))


def codex_lines(chat: Chat) -> list[Any]:
    return list(_in_order(chat))


def _in_order(chat: Chat) -> Iterator[Line]:
    numbered = [line for message in chat for line in message[LINES]]
    return (line for _, line in sorted(numbered, key=lambda one: one[0]))


def _call(identity: str, name: str, arguments: str) -> dict[str, Any]:
    return {
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return "" if content is None else str(content)
