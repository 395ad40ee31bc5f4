"""Answers of hooks, judged."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conftest import process

from director_ctx.doors.cli.clients.hook import hook


def inside(data: bytes, *words: str) -> tuple[int, bytes]:
    """The same without a process of its own: files stand in for both ends."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as taken:
        given.write(data)
        given.seek(0)
        before = [os.dup(0), os.dup(1)]
        try:
            os.dup2(given.fileno(), 0)
            os.dup2(taken.fileno(), 1)
            code = hook(words, alone=False)
        finally:
            for place, descriptor in enumerate(before):
                os.dup2(descriptor, place)
                os.close(descriptor)
        taken.seek(0)
        return code, taken.read()


def heard(root: Path, event: Mapping[str, Any], *words: str) -> str:
    """What the hook says in a folder; it always ends well, and keeps what is about to be compacted
    in a process apart.
    """
    data = json.dumps(event).encode()
    if "PreCompact" in event.values():
        done = process("hook", *words, cwd=root, stdin=data)
        assert (done.code, done.err) == (0, "")
        return done.out
    with contextlib.chdir(root):
        code, answer = inside(data, *words)
    assert code == 0
    return answer.decode()


def is_an_answer(event: Mapping[str, Any], answer: Any) -> bool:
    """In one of the forms that clients accept, with nothing beside."""
    if len(answer) != 1:
        return False
    ((key, value),) = answer.items()
    if key == "hookSpecificOutput":
        name, *rest = value
        known = name == "hookEventName" and value[name] == event["hook_event_name"]
        forms = (["updatedInput"], ["tool_input"], ["additionalContext"])
        # Codex takes a changed prompt only with a decision.
        if not known or rest not in (*forms, ["permissionDecision", "updatedInput"]):
            return False
        value = value[rest[-1]]
    elif key not in ("updated_input", "additional_context", "additionalContext"):
        return False
    if isinstance(value, str):
        return True
    wanted = dict(event["tool_input"])
    key = "message" if "message" in value else "prompt"
    given = wanted.pop(key)
    return bool(value.pop(key).endswith(f"\n{given}")) and repr(value) == repr(wanted)
