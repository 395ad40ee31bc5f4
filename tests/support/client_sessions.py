"""Sessions as clients keep them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import Result

Dctx = Callable[..., Result]


ONE, TWO = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"


TIME = "2026-01-02T03:04:{:02}.000Z"


def home() -> Path:
    return Path(os.environ["HOME"])


class Claude:
    """A transcript as Claude Code writes it."""

    def __init__(self, root: Path, session: str = ONE) -> None:
        slug = "".join(char if char.isalnum() else "-" for char in str(root))
        self.folder, self.root, self.session = home() / ".claude" / "projects" / slug, root, session
        self.lines: list[dict[str, Any]] = []
        self.parent: str | None = None

    def line(self, kind: str, **more: Any) -> Claude:
        number = len(self.lines)
        about = {
            "sessionId": self.session,
            "cwd": str(self.root),
            "timestamp": TIME.format(number % 60),
        }
        name = f"{self.session[:8]}-{number}"
        self.lines.append(
            {
                "parentUuid": self.parent,
                "type": kind,
                "uuid": name,
                "isSidechain": False,
                **about,
                **more,
            }
        )
        self.parent = name
        return self

    def user(self, content: Any, **more: Any) -> Claude:
        return self.line("user", message={"role": "user", "content": content}, **more)

    def answer(self, *blocks: dict[str, Any], tokens: int = 100) -> Claude:
        usage = {"input_tokens": tokens, "output_tokens": 5}
        message = {
            "id": f"msg_{len(self.lines)}",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "usage": usage,
        }
        return self.line("assistant", message={**message, "content": list(blocks)})

    def said(self, text: str, tokens: int = 100) -> Claude:
        return self.answer({"type": "text", "text": text}, tokens=tokens)

    def called(self, call: str, name: str, result: str, **given: Any) -> Claude:
        self.answer({"type": "tool_use", "id": call, "name": name, "input": given})
        return self.user([{"type": "tool_result", "tool_use_id": call, "content": result}])

    def compacted(self, summary: str) -> Claude:
        self.parent = None
        self.line("system", subtype="compact_boundary", content="Conversation compacted")
        return self.user(summary, isCompactSummary=True)

    def write(self, name: str = "") -> Path:
        path = self.folder / (name or f"{self.session}.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{json.dumps(line)}\n" for line in self.lines))
        return path


def listed(dctx: Dctx, root: Path, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        dctx("history", "list", "--json", *words, cwd=root).out
    )
    return found


def codex(root: Path, text: str) -> Path:
    meta = {"id": TWO, "timestamp": TIME.format(1), "cwd": str(root)}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    answer = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Yes."}],
    }
    count = {"type": "token_count", "info": {"last_token_usage": {"total_tokens": 777}}}
    lines = [
        ("session_meta", meta),
        ("response_item", said),
        ("response_item", answer),
        ("event_msg", count),
    ]
    path = (
        home()
        / ".codex"
        / "sessions"
        / "2026"
        / "01"
        / "02"
        / f"rollout-2026-01-02T03-04-05-{TWO}.jsonl"
    )
    path.parent.mkdir(parents=True)
    rows = [
        {"timestamp": TIME.format(place), "type": kind, "payload": one}
        for place, (kind, one) in enumerate(lines)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path
