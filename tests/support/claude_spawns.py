"""Claude Code, run offline, and the agents that it spawns."""

from __future__ import annotations

import json
from typing import Any

from real_clients import Place

from director_ctx.clients.verify.scripted_model import AnswerRule
from director_ctx.clients.verify.scripted_wires import ScriptedCall

VERSIONS = ("claude 2.1.197", "claude 2.1.326")
NEWEST = VERSIONS[-1]


SPAWN = "SPAWN THEM"


BUILD = "Build task 2/2/1 now, and say so."


PLAN = "Plan what comes next, and say so."


SUMMARY = AnswerRule("A summary of what was said.", when="create a detailed summary")


def call(kind: str, prompt: str, **more: str | bool) -> ScriptedCall:
    return ScriptedCall(
        "Agent|Task", {"description": "Work", "prompt": prompt, "subagent_type": kind, **more}
    )


GO_ON = "AND NOW"
"""What is said after a compaction, where the hand-over tells what was asked for before it."""


def spawning(*calls: ScriptedCall) -> list[AnswerRule]:
    return [
        SUMMARY,
        AnswerRule("done", when=GO_ON),
        AnswerRule(calls=calls, when=SPAWN, unless="tool_result"),
        AnswerRule("done"),
    ]


def attachments(place: Place) -> list[dict[str, Any]]:
    """What the client wrote down about hooks."""
    files = sorted(place.home.glob(".claude/projects/*/*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    found = [line["attachment"] for line in lines if line.get("type") == "attachment"]
    return [one for one in found if one["type"].startswith("hook_")]
