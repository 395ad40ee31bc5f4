"""Events of clients, and what `dctx hook` answers to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import plan, process, task

BUILDER = "director:director-builder"


BASE = {
    "VISION.md": "# Vision\n\n## Project Name\nBoat\n\nGrüße, 🚤 and <vision>.\n",
    "GAMEPLAN.md": "# Gameplan\n\n## Goals\n1. **Goal 1: First** -- something\n",
    "codebase/STACK.md": "Stack here.",
    **plan(
        {
            "01-one.done.md": task("One"),
            "02-two.md": task("Two"),
            "03-three.md": task("Three"),
        },
        {"01-four.md": task("Four")},
    ),
}


def ask(root: Path, event: object, *words: str, **env: str) -> Any:
    """The answer of a process of its own, or None; it always ends well and says nothing beside."""
    result = process("hook", *words, cwd=root, stdin=json.dumps(event).encode(), env=env)
    assert (result.code, result.err) == (0, ""), result
    return json.loads(result.out) if result.out else None


def spawn(
    prompt: str = "Do it.", agent: str | None = BUILDER, tool: str = "Agent", **fields: Any
) -> dict[str, Any]:
    """Claude Code's event before an agent is spawned, as it really comes."""
    given = {
        "description": "Work",
        "prompt": prompt,
        **({"subagent_type": agent} if agent else {}),
        **fields,
    }
    return {
        "session_id": "5f0c1d0e", "transcript_path": "/nowhere/5f0c1d0e.jsonl", "cwd": "/",
        "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given,
        "tool_use_id": "toolu_1",
    }  # fmt: skip


def session(source: str = "startup", identity: str = "s1") -> dict[str, Any]:
    return {"session_id": identity, "hook_event_name": "SessionStart", "source": source, "cwd": "/"}


def start(agent: str = "builder", **fields: Any) -> dict[str, Any]:
    return {
        "session_id": "s1",
        "hook_event_name": "SubagentStart",
        "agent_id": "a1",
        "agent_type": agent,
        **fields,
    }


def new_prompt(answer: Any) -> str:
    assert answer is not None
    assert list(answer) == ["hookSpecificOutput"]
    specific = answer["hookSpecificOutput"]
    assert list(specific) == ["hookEventName", "updatedInput"]
    assert specific["hookEventName"] == "PreToolUse"
    prompt: str = specific["updatedInput"]["prompt"]
    return prompt


def added(answer: Any, name: str) -> str:
    """The text that is put into a context, in an answer that holds nothing else."""
    assert answer is not None
    assert list(answer) == ["hookSpecificOutput"]
    assert list(answer["hookSpecificOutput"]) == ["hookEventName", "additionalContext"]
    assert answer["hookSpecificOutput"]["hookEventName"] == name
    text: str = answer["hookSpecificOutput"]["additionalContext"]
    return text


def runs(root: Path) -> list[dict[str, Any]]:
    place = root / ".director" / ".dctx" / "runs.jsonl"
    return [json.loads(line) for line in place.read_text().splitlines()] if place.exists() else []


def log(root: Path) -> list[str]:
    place = root / ".director" / ".dctx" / "hooks.log"
    return place.read_text().splitlines() if place.exists() else []


def position(
    root: Path, source: str = "startup", identity: str = "s1", client: str = "claude"
) -> str:
    return added(ask(root, session(source, identity), "--client", client), "SessionStart")
