"""Transcripts with known numbers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from conftest import ROOT

from director_ctx.context.tokens.tokenizers import load

MODEL = "claude-sonnet-4-5-20250929"


PASSAGES = [
    passage
    for path in sorted((ROOT / "examples/reading-list").rglob("*.md"))
    for passage in path.read_text().split("\n## ")
    if len(passage) > 150
]


class Session:
    """A transcript as Claude Code writes it, with true input numbers: scale * o200k + overhead for
    each block.
    """

    def __init__(
        self,
        name: str,
        model: str = MODEL,
        scale: float = 1.25,
        overhead: float = 6,
        start: int = 14_000,
    ) -> None:
        self.name, self.model, self.scale, self.overhead = name, model, scale, overhead
        self.input, self.lines, self.parent = float(start), [], None  # type: ignore[var-annotated]
        self.extra: dict[str, Any] = {}

    def line(self, kind: str, **more: Any) -> dict[str, Any]:
        uuid = f"{self.name}-{len(self.lines)}"
        line = {
            "parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": "/home/me/project",
            "sessionId": self.name, "version": "2.1.326", "gitBranch": "main", "type": kind, "uuid": uuid,
            "timestamp": "2026-11-02T09:14:07.114Z", **self.extra, **more,
        }  # fmt: skip
        self.parent = uuid
        self.lines.append(line)
        return line

    def grow(self, text: str) -> None:
        self.input += self.scale * load("o200k_base")(text) + self.overhead

    def user(self, text: str) -> None:
        self.line("user", message={"role": "user", "content": text})
        self.grow(text)

    def answer(self, *blocks: dict[str, Any], **more: Any) -> str:
        """One message, a line for each of its blocks; usage grows from line to line."""
        name = f"msg_{self.name}_{len(self.lines)}"
        total = round(self.input)
        for number, block in enumerate(blocks, 1):
            usage = {
                "input_tokens": 4, "cache_creation_input_tokens": 900, "cache_read_input_tokens": total - 904,
                "output_tokens": number, "service_tier": "standard",
            }  # fmt: skip
            if number < len(blocks):
                usage["cache_read_input_tokens"] -= 300
            message = {"id": name, "type": "message", "role": "assistant", "model": self.model, "content": [block],
                       "stop_reason": None, "usage": usage}  # fmt: skip
            self.line("assistant", message=message, requestId=f"req_{name}", **more)
        for block in blocks:
            if block["type"] == "text":
                self.grow(block["text"])
            elif block["type"] == "tool_use":
                self.grow(f"{block['name']} {json.dumps(block['input'], ensure_ascii=False)}")
        return name

    def result(self, call: str, text: str) -> None:
        block = {
            "type": "tool_result",
            "tool_use_id": call,
            "content": [{"type": "text", "text": text}],
        }
        self.line(
            "user", message={"role": "user", "content": [block]}, toolUseResult={"stdout": text}
        )
        self.grow(text)

    def save(self, folder: Path, name: str = "") -> Path:
        path = folder / "-home-me-project" / f"{name or self.name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines))
        return path


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, path: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Read", "input": {"file_path": path}}


def converse(session: Session, turns: int, chance: random.Random) -> Session:
    for turn in range(turns):
        session.user(chance.choice(PASSAGES))
        name = f"toolu_{session.name}_{turn}"
        session.answer(
            text(chance.choice(PASSAGES)), call(name, f"/home/me/project/src/module_{turn}.py")
        )
        session.result(name, "\n\n".join(chance.sample(PASSAGES, 3)))
        session.answer(text(chance.choice(PASSAGES)[:300]))
        session.line("file-history-snapshot", snapshot={"files": {}})
    return session
