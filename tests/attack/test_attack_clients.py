"""Hooks that were written for one client, in the hands of another: nothing that it does is
forbidden or fails.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import process, write
from making_plugin import make_plugin
from real_clients import Place

from director_ctx.clients.entries import handler_words, hook_entries
from director_ctx.clients.protocol import read_event
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.run import ASK, WORK, rules

Figure = Callable[[str, str], None]

PERMISSION = ("permissionDecision", "decision", "continue", "permission")
"""Keys of an answer by which a client would forbid, or allow, what it asks about."""


def vscode(name: str, **more: Any) -> dict[str, Any]:
    """An event in the form that VS Code documents."""
    common = {
        "timestamp": "2026-02-09T10:30:00.000Z",
        "cwd": "/",
        "sessionId": "s1",
        "transcript_path": "/t.json",
    }
    return {**common, "hookEventName": name, **more}


def copilot(name: str, **more: Any) -> dict[str, Any]:
    """An event in the form that Copilot CLI sends to hooks of Claude Code."""
    return {
        "hook_event_name": name,
        "session_id": "s1",
        "timestamp": "2026-11-19T07:04:11.378Z",
        "cwd": "/",
        **more,
    }


TOOL = {
    "tool_name": "editFiles",
    "tool_input": {"files": ["src/main.ts"]},
    "tool_use_id": "tool-123",
}
EVENTS: list[dict[str, Any]] = [
    vscode("SessionStart", source="new"),
    vscode("UserPromptSubmit", prompt="Do it."),
    vscode("PreToolUse", **TOOL),
    vscode(
        "PreToolUse",
        tool_name="runSubagent",
        tool_input={"prompt": "Do it.", "agentName": "director-builder"},
    ),
    vscode("PostToolUse", **TOOL, tool_response="Done."),
    vscode("PreCompact", trigger="auto"),
    vscode("SubagentStart", agent_id="a1", agent_type="director-builder"),
    vscode("SubagentStop", agent_id="a1", agent_type="Plan", stop_hook_active=False),
    vscode("Stop", stop_hook_active=False),
    copilot("SessionStart", source="new", initial_prompt="Do it."),
    copilot("UserPromptSubmit", prompt="Do it."),
    copilot("PreToolUse", tool_name="bash", tool_input={"command": "ls"}),
    copilot(
        "PreToolUse",
        tool_name="Agent",
        tool_input={"agent_type": "director-builder", "prompt": "Do it."},
    ),
    copilot("PreToolUse", tool_name="Agent", tool_input="not an object"),
    copilot("PostToolUse", tool_name="bash", tool_input={"command": "ls"}, tool_response="src"),
    copilot("PreCompact", trigger="auto"),
    copilot("SessionEnd", reason="complete"),
    {
        "sessionId": "s1",
        "timestamp": 1795071851687,
        "cwd": "/",
        "toolName": "task",
        "toolArgs": {"prompt": "Do it."},
    },
    {
        "sessionId": "s1",
        "timestamp": 1795071851749,
        "cwd": "/",
        "agentName": "builder",
        "agent_type": "builder",
    },
]


def calls_for_claude() -> Iterator[list[str]]:
    """Every different call that a settings file for Claude Code has, whatever matcher stands before
    it.
    """
    seen = set()
    for groups in hook_entries(CLIENTS["claude"], ("dctx",), prompts=True).values():
        for group in groups:
            for handler in group["hooks"]:
                words = tuple(handler_words(handler)[1:])
                if words not in seen:
                    seen.add(words)
                    yield list(words)


def forbids(answer: dict[str, Any]) -> bool:
    inner = answer.get("hookSpecificOutput", {})
    return any(key in answer or key in inner for key in PERMISSION)


def test_no_event_of_another_client_is_forbidden_by_the_hooks_for_claude_code(
    tmp_path: Path, figure: Figure
) -> None:
    """With every hook asked about every event, as a client does that passes over matchers."""
    root = write(tmp_path, {"PROJECT.md": "# A project\n"})
    asked = harmed = 0
    for words in calls_for_claude():
        for event in EVENTS:
            done = process(*words, cwd=root, stdin=json.dumps(event).encode())
            answer = json.loads(done.out) if done.out else {}
            asked += 1
            harmed += done.code != 0 or done.err != "" or forbids(answer)
    figure(
        "Events of VS Code and Copilot CLI",
        f"{harmed} of {asked} harmed by the hooks for Claude Code",
    )
    assert harmed == 0


def test_a_person_who_types_no_command_is_still_told_how(tmp_path: Path) -> None:
    for stdin in (b"", b"hello\n"):
        done = process(cwd=tmp_path, stdin=stdin)
        assert done.code == 0 and "dctx setup" in done.out and "dctx --help" in done.out


def test_a_hook_is_one_line_for_a_shell_and_nothing_beside_it() -> None:
    for client in CLIENTS.values():
        for program in (("dctx",), ("/opt/my tools/dctx",), ("C:\\Program Files\\x\\dctx.exe",)):
            for groups in hook_entries(client, program, prompts=True).values():
                for handler in [
                    handler for group in groups for handler in group.get("hooks", [group])
                ]:
                    assert "args" not in handler
                    assert " hook --client " in handler["command"]


@pytest.mark.parametrize(
    "program",
    [
        "dctx",
        "/opt/my tools/dctx",
        "/a/it's/dctx",
        "/a/$HOME/`x`/dctx",
        "C:\\Program Files\\Python\\dctx.exe",
        "C:\\x\\dctx.exe",
    ],
)
def test_a_shell_and_windows_both_find_the_program_in_the_line(program: str) -> None:
    handler = hook_entries(CLIENTS["claude"], (program,))["SessionEnd"][0]["hooks"][0]
    shown = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {handler['command']}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.splitlines() == [program, "hook", "--client", "claude"]
    if program.startswith("C:"):
        # What Windows makes of a line: a quoted word loses its quotes, and a backslash before no
        # quote is one.
        assert handler["command"] == f'"{program}" hook --client claude'


def test_powershell_is_told_to_run_a_path_and_not_to_print_it() -> None:
    handler = hook_entries(CLIENTS["copilot"], ("C:\\It's here\\dctx.exe",))["SessionEnd"][0]
    assert handler["powershell"] == "& 'C:\\It''s here\\dctx.exe' hook --client copilot"
    assert "powershell" not in hook_entries(CLIENTS["copilot"], ("dctx",))["SessionEnd"][0]


@pytest.mark.parametrize("named", [None, "claude", "copilot"])
def test_who_speaks_is_known_by_the_event_whoever_s_hook_was_called(named: str | None) -> None:
    for event, client in ((vscode("SessionStart"), "vscode"), (copilot("SessionStart"), "copilot")):
        read = read_event(event, named)
        assert read is not None
        assert (read.client.name, read.session, read.borrowed) == (client, "s1", named == "claude")


def test_an_event_of_claude_code_or_gemini_is_never_taken_for_that_of_another() -> None:
    claude = {
        "hook_event_name": "SessionStart",
        "session_id": "s1",
        "transcript_path": "/t.jsonl",
        "cwd": "/",
    }
    gemini = {**claude, "timestamp": "2026-11-19T07:04:11.378Z"}
    for event, named in ((claude, "claude"), (gemini, "gemini")):
        read = read_event(event, named)
        assert read is not None and (read.client.name, read.borrowed) == (named, False)


# The clients themselves.


@pytest.mark.proof
def test_copilot_spawns_its_agents_in_a_project_with_hooks_for_claude_code(
    example: Path, tmp_path: Path, figure: Figure
) -> None:
    place = Place("copilot 1.0.102", tmp_path, example)
    place.install(client="claude")
    place.run([ASK], rules("copilot", "general-purpose"))
    spawned = sum(WORK in asked.said and ASK not in asked.said for asked in place.asked)
    denied = sum("Denied by preToolUse hook" in asked.said for asked in place.asked)
    figure("Copilot CLI, hooks for Claude Code", f"{spawned} of 1 agents spawned, {denied} denied")
    assert (spawned, denied) == (1, 0)


@pytest.mark.proof
def test_codex_runs_a_plugin_for_claude_code_without_a_failure(
    example: Path, tmp_path: Path, figure: Figure
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
    figure(
        "Codex CLI, plugin for Claude Code", f"{session.count('Next task: ')} of 1 sessions told"
    )
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


def test_a_spawn_may_name_its_type_as_either_client_does() -> None:
    about = {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "transcript_path": "/t.jsonl",
        "tool_name": "Agent",
    }
    for key in ("subagent_type", "agent_type"):
        event = read_event(
            {**about, "tool_input": {key: "director-builder", "prompt": "Do it."}}, "claude"
        )
        assert event is not None
        assert (event.client.name, event.agent_type) == ("claude", "director-builder")
