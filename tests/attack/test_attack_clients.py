"""Hooks that were written for one client, in the hands of another: nothing that it does is
forbidden or fails.
"""

from __future__ import annotations

import json
import subprocess
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from conftest import process, write
from hook_answers import heard
from making_plugin import make_plugin
from real_clients import Place

from director_ctx.clients.entries import handler_words, hook_entries
from director_ctx.clients.protocol import read_event
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.run import ASK, WORK, rules

PERMISSION = ("permissionDecision", "decision", "continue", "permission")
"""Keys of an answer by which a client would forbid, or allow, what it asks about."""


COMMON: dict[str, dict[str, Any]] = {
    "vscode": {"timestamp": "2026-02-09T10:30:00.000Z", "sessionId": "s1", "transcript_path": "/t.json"},
    "copilot": {"timestamp": "2026-11-19T07:04:11.378Z", "session_id": "s1"},
    "camel": {"sessionId": "s1"},
}  # fmt: skip
"""What an event has in the form that VS Code documents, in that which Copilot CLI sends to hooks of
Claude Code, and in its own.
"""
SENT = """
vscode {"hookEventName": "SessionStart", "source": "new"}
vscode {"hookEventName": "UserPromptSubmit", "prompt": "Do it."}
vscode {"hookEventName": "PreToolUse", "tool_name": "editFiles", "tool_input": {"files": ["src/main.ts"]}, \
"tool_use_id": "tool-123"}
vscode {"hookEventName": "PreToolUse", "tool_name": "runSubagent", "tool_input": {"prompt": "Do it.", \
"agentName": "director-builder", "agent_type": "director-builder"}}
vscode {"hookEventName": "PostToolUse", "tool_name": "editFiles", "tool_input": {"files": ["src/main.ts"]}, \
"tool_use_id": "tool-123", "tool_response": "Done."}
vscode {"hookEventName": "PreCompact", "trigger": "auto"}
vscode {"hookEventName": "SubagentStart", "agent_id": "a1", "agent_type": "director-builder"}
vscode {"hookEventName": "SubagentStop", "agent_id": "a1", "agent_type": "Plan", "stop_hook_active": false}
vscode {"hookEventName": "Stop", "stop_hook_active": false}
copilot {"hook_event_name": "SessionStart", "source": "new", "initial_prompt": "Do it."}
copilot {"hook_event_name": "UserPromptSubmit", "prompt": "Do it."}
copilot {"hook_event_name": "PreToolUse", "tool_name": "bash", "tool_input": {"command": "ls"}}
copilot {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"prompt": "Do it.", \
"agentName": "director-builder", "agent_type": "director-builder"}}
copilot {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": "not an object"}
copilot {"hook_event_name": "PostToolUse", "tool_name": "bash", "tool_input": {"command": "ls"}, \
"tool_response": "src"}
copilot {"hook_event_name": "PreCompact", "trigger": "auto"}
copilot {"hook_event_name": "SessionEnd", "reason": "complete"}
camel {"timestamp": 1795071851687, "toolName": "task", "toolArgs": {"prompt": "Do it.", \
"agentName": "director-builder", "agent_type": "director-builder"}}
camel {"timestamp": 1795071851749, "prompt": "Do it.", "agentName": "director-builder", \
"agent_type": "director-builder"}
"""


def sent(row: str) -> dict[str, Any]:
    form, _, said = row.partition(" ")
    return {**COMMON[form], "cwd": "/", **json.loads(said)}


EVENTS = [sent(row) for row in SENT.strip().splitlines()]


def calls_for_claude() -> set[tuple[str, ...]]:
    """Every different call that a settings file for Claude Code has, whatever matcher stands before
    it.
    """
    entries = hook_entries(CLIENTS["claude"], ("dctx",), prompts=True).values()
    handlers = [one for groups in entries for group in groups for one in group["hooks"]]
    return {tuple(handler_words(handler)[1:]) for handler in handlers}


def forbids(answer: dict[str, Any]) -> bool:
    inner = answer.get("hookSpecificOutput", {})
    return any(key in answer or key in inner for key in PERMISSION)


def test_no_event_of_another_client_is_forbidden_by_the_hooks_for_claude_code(
    tmp_path: Path,
) -> None:
    """With every hook asked about every event, as a client does that passes over matchers."""
    root = write(tmp_path, {"PROJECT.md": "# A project\n"})
    tried = [(words, event) for words in calls_for_claude() for event in EVENTS]
    harmed = [
        (words, event)
        for words, event in tried
        if forbids(json.loads(heard(root, event, *words[1:]) or "{}"))
    ]
    assert harmed == []


def test_a_person_who_types_no_command_is_still_told_how(tmp_path: Path) -> None:
    for stdin in (b"", b"hello\n"):
        done = process(cwd=tmp_path, stdin=stdin)
        assert done.code == 0 and "dctx setup" in done.out and "dctx --help" in done.out


def test_a_hook_is_one_line_for_a_shell_and_nothing_beside_it() -> None:
    for client in CLIENTS.values():
        for program in ("dctx", "/opt/my tools/dctx", "C:\\Program Files\\x\\dctx.exe"):
            entries = hook_entries(client, (program,), prompts=True).values()
            for group in chain(*entries):
                for handler in group.get("hooks", [group]):
                    assert "args" not in handler
                    assert " hook --client " in handler["command"]


PROGRAMS = (
    "dctx", "/opt/my tools/dctx", "/a/it's/dctx", "/a/$HOME/`x`/dctx", "C:\\x\\dctx.exe",
    "C:\\Program Files\\Python\\dctx.exe",
)  # fmt: skip


def test_a_shell_and_windows_both_find_the_program_in_the_line() -> None:
    for program in PROGRAMS:
        handler = hook_entries(CLIENTS["claude"], (program,))["SessionEnd"][0]["hooks"][0]
        printing = ["sh", "-c", f"printf '%s\\n' {handler['command']}"]
        shown = subprocess.run(printing, capture_output=True, text=True, check=True)
        assert shown.stdout.splitlines() == [program, "hook", "--client", "claude"]
        if program.startswith("C:"):
            # What Windows makes of a line: a quoted word loses its quotes, and a backslash before
            # no quote is one.
            assert handler["command"] == f'"{program}" hook --client claude'


def test_powershell_is_told_to_run_a_path_and_not_to_print_it() -> None:
    handler = hook_entries(CLIENTS["copilot"], ("C:\\It's here\\dctx.exe",))["SessionEnd"][0]
    assert handler["powershell"] == "& 'C:\\It''s here\\dctx.exe' hook --client copilot"
    assert "powershell" not in hook_entries(CLIENTS["copilot"], ("dctx",))["SessionEnd"][0]


@pytest.mark.parametrize("named", [None, "claude", "copilot"])
def test_who_speaks_is_known_by_the_event_whoever_s_hook_was_called(named: str | None) -> None:
    for event, client in (
        (sent('vscode {"hookEventName": "SessionStart"}'), "vscode"),
        (sent('copilot {"hook_event_name": "SessionStart"}'), "copilot"),
    ):
        read = read_event(event, named)
        assert read is not None
        assert (read.client.name, read.session, read.borrowed) == (client, "s1", named == "claude")


def test_an_event_of_claude_code_or_gemini_is_never_taken_for_that_of_another() -> None:
    start = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": "/"}
    claude = {**start, "transcript_path": "/t.jsonl"}
    gemini = {**claude, "timestamp": "2026-11-19T07:04:11.378Z"}
    for event, named in ((claude, "claude"), (gemini, "gemini")):
        read = read_event(event, named)
        assert read is not None and (read.client.name, read.borrowed) == (named, False)
    for key in ("subagent_type", "agent_type"):
        tool = {"tool_name": "Agent", "tool_input": {key: "director-builder", "prompt": "Do it."}}
        read = read_event({**claude, "hook_event_name": "PreToolUse", **tool}, "claude")
        assert read is not None
        assert (read.client.name, read.agent_type) == ("claude", "director-builder")


# The clients themselves.


@pytest.mark.proof
def test_copilot_spawns_its_agents_in_a_project_with_hooks_for_claude_code(
    example: Path, tmp_path: Path
) -> None:
    place = Place("copilot 1.0.102", tmp_path, example)
    place.install(client="claude")
    place.run([ASK], rules("copilot", "general-purpose"))
    spawned = sum(WORK in asked.said and ASK not in asked.said for asked in place.asked)
    denied = sum("Denied by preToolUse hook" in asked.said for asked in place.asked)
    assert (spawned, denied) == (1, 0)


@pytest.mark.proof
def test_codex_runs_a_plugin_for_claude_code_without_a_failure(
    example: Path, tmp_path: Path
) -> None:
    place = Place("codex 0.169.0", tmp_path, example)
    plugin = tmp_path / "plugin"
    make_plugin(plugin, place.own_program())
    place.run(
        [ASK],
        [],
        before=[["plugin", "marketplace", "add", str(plugin)], ["plugin", "add", "dctx@dctx"]],
    )

    session = place.first(ASK)
    assert place.ran[0].code == 0
    assert session.count("Next task: ") == 1


@pytest.mark.proof
def test_codex_is_not_concerned_by_hooks_for_claude_code_in_its_project(
    example: Path, tmp_path: Path
) -> None:
    place = Place("codex 0.169.0", tmp_path, example)
    place.install(client="claude")
    place.run([ASK], rules("codex", "director-builder"), ["director-builder"])
    assert place.ran[0].code == 0
    assert WORK in place.first(WORK, without=[ASK])
    assert "Next task: " not in place.first(ASK)
