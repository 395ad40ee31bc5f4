"""`dctx hooks verify`: it proves what arrives, fails where it does not, and touches nothing."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, commit, plan, task, write
from real_clients import PROGRAMS, found

from director_ctx import assemble, load_project
from director_ctx.clients.accepted import context_of, faults, kind_of
from director_ctx.clients.table import CLIENTS
from director_ctx.wiring.hooks.arrival import arrived

Dctx = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    notes = {"VISION.md": "# Vision\n\nA thing for everyone.\n", "codebase/STACK.md": "# Stack\n\nPython.\n"}
    return write(tmp_path / "project", {**notes, **plan({"01-one.md": task("One"), "02-two.md": task("Two")})})


def contents(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def alone(monkeypatch: pytest.MonkeyPatch, folder: Path, **programs: str) -> None:
    """Only these clients are on the PATH."""
    folder.mkdir()
    for name, script in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    node = os.path.dirname(shutil.which("node") or "/usr/bin/node")
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder), "/usr/bin", "/bin", node)))


def proofs(done: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(done.out)["proofs"]
    return found


# Recorded events.


@pytest.mark.parametrize("client", CLIENTS)
def test_recorded_events_are_answered_as_each_client_wants_it(client: str, root: Path, dctx: Dctx) -> None:
    done = dctx("hooks", "verify", "--replay", "--client", client, cwd=root)
    assert done.code == 0 and done.err == "", done
    assert done.out.startswith(f"proven   {CLIENTS[client].title} (") and "recorded events" in done.out


def test_nothing_of_the_project_or_of_the_home_is_touched(root: Path, dctx: Dctx) -> None:
    before, home = contents(root), Path(os.environ["HOME"])
    assert dctx("hooks", "verify", "--replay", cwd=root).code == 0
    assert contents(root) == before and contents(home) == {}


def test_links_and_what_is_the_tools_own_stay_out_of_the_copy(root: Path, tmp_path: Path, dctx: Dctx) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n")
    (root / ".director" / "goals" / "02-link").symlink_to(tmp_path)
    (root / ".director" / "NOTES.md").symlink_to(tmp_path / "secret.md")
    write(root, {".dctx/runs.jsonl": "{}\n"})
    from director_ctx.outside.scratch import copy_project

    copy_project(str(root), str(tmp_path / "copy"))
    copied = {path.name for path in (tmp_path / "copy").rglob("*")}
    assert "VISION.md" in copied and not copied & {"secret.md", "02-link", "NOTES.md", "runs.jsonl"}


def test_without_any_client_the_events_of_claude_code_are_replayed(
    root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin")
    first, past = proofs(dctx("hooks", "verify", "--json", cwd=root))
    assert (first["client"], first["name"], first["outcome"]) == ("claude", "recorded events", "proven")
    assert (past["name"], past["outcome"]) == ("past sessions", "nothing")


BREAKS = {
    "os._exit(3)": "exit code 3",
    "os.write(1, b'oops'); os._exit(0)": "the answer is not JSON",
    "os.write(2, b'oops'); os._exit(0)": "it says on stderr: oops",
    'print(\'{"hookSpecificOutput": {"hookEventName": "X"}}\'); sys.stdout.flush(); os._exit(0)': "hookEventName is",
    'print(\'{"decision": "block"}\'); sys.stdout.flush(); os._exit(0)': "decision is not a key that it accepts",
    "os._exit(0)": "the answer is nothing, and not ",
}


@pytest.mark.parametrize("client", ["gemini", "cursor"])
@pytest.mark.parametrize("way", BREAKS)
def test_a_hook_that_does_wrong_fails_the_proof(
    way: str, client: str, root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken in its own process, before it begins."""
    broken = f"import os, sys\nif 'hook' in sys.orig_argv:\n    {way}\n"
    (tmp_path / "sitecustomize.py").write_text(broken)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = dctx("hooks", "verify", "--replay", "--client", client, cwd=root)
    assert done.code == 1 and done.out.startswith("FAILED   "), done
    assert (BREAKS[way] if client == "gemini" or "Event" not in way else "hookSpecificOutput is not a key") in done.out


def test_what_the_project_does_not_want_is_not_asked_for(root: Path, dctx: Dctx) -> None:
    write(root, {"dctx.yaml": "hooks:\n  session: false\n  default: planner\n  agents:\n    director-builder: none\n"})
    done = dctx("hooks", "verify", "--replay", cwd=root)
    assert done.code == 0, done


def test_a_folder_that_is_not_there_is_a_sentence(root: Path, dctx: Dctx) -> None:
    done = dctx("hooks", "verify", "--replay", "--sessions", "nowhere", cwd=root)
    assert done.code == 1 and "There are no sessions: nowhere is not a folder." in done.err


def spawned(**changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    given = {"prompt": "Go.", "subagent_type": "x", "description": "d"}
    event = {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": given}
    inner = {"hookEventName": "PreToolUse", "updatedInput": {**given, "prompt": "More. Go."}, **changes}
    return event, {"hookSpecificOutput": inner}


def test_an_answer_that_is_as_it_should_be_has_no_faults() -> None:
    event, answer = spawned()
    assert faults(CLIENTS["claude"], event, answer) == ()
    assert (kind_of(answer), context_of(answer)) == ("prompt", "More. Go.")
    assert kind_of({}) == "nothing" and context_of({}) == ""


def test_a_permission_that_is_decided_and_a_field_that_is_lost_are_faults() -> None:
    event, answer = spawned(permissionDecision="allow", updatedInput={"prompt": "Go."})
    found = faults(CLIENTS["claude"], event, answer)
    assert found == ("permissionDecision is not a key that it accepts", "updatedInput changes more than the prompt")


@pytest.mark.parametrize(
    ("client", "text", "fits"),
    [
        ("claude", "x" * 10_000, True),
        ("claude", "x" * 10_001, False),
        ("claude", "\N{GRINNING FACE}" * 5_001, False),
        ("codex", "ü" * 4_750, True),
        ("codex", "ü" * 5_001, False),
    ],
)
def test_a_context_is_measured_as_the_client_measures_it(client: str, text: str, fits: bool) -> None:
    event = {"hook_event_name": "SessionStart"}
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    assert (faults(CLIENTS[client], event, answer) == ()) is fits


@pytest.mark.parametrize("answer", [[], "text", 7, {"hookSpecificOutput": []}])
def test_what_is_no_answer_at_all_is_a_fault(answer: object) -> None:
    assert faults(CLIENTS["codex"], {"hook_event_name": "SessionStart"}, answer)


def test_an_arrival_is_judged_by_whole_sections_their_order_and_what_follows(root: Path) -> None:
    sections = assemble(load_project(root=str(root)), "builder").sections
    text = "\n".join(section.text for section in sections)
    assert arrived(sections, f"{text}\nprompt", "prompt").complete
    cut = arrived(sections, text.replace(sections[1].text, sections[1].text[:-9]) + "\nprompt", "prompt")
    assert cut.missing == (sections[1].tag,) and not cut.complete
    turned = "\n".join(section.text for section in reversed(sections))
    assert arrived(sections, f"{turned}\nprompt", "prompt").faults == ("the sections are not in order",)
    assert arrived(sections, f"prompt\n{text}", "prompt").faults == ("the prompt does not stand behind them",)
    assert not arrived((), "prompt", "prompt").complete


# The real client.


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_client_that_is_here_is_run_and_what_arrives_is_proven(
    name: str, root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = name.split(maxsplit=1)[0]
    alone(monkeypatch, tmp_path / "bin", **{client: f'exec {found(name)} "$@"'})
    before, home = contents(root), Path(os.environ["HOME"])
    done = dctx("hooks", "verify", "--json", cwd=root)
    assert done.code == 0, done
    proof = proofs(done)[0]
    assert (proof["client"], proof["name"], proof["outcome"]) == (client, "run offline", "proven")
    assert "an agent of type director-builder was sent the context of `dctx assemble builder`" in proof["verdict"]
    assert "The session was told where the project stands." in proof["verdict"]
    assert contents(root) == before and contents(home) == {}


def test_hooks_that_are_installed_at_the_start_of_agents_are_proven_there(
    root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin", claude=f'exec {found("claude 2.1.326")} "$@"')
    assert dctx("hooks", "install", "--at", "start", "--yes", cwd=root).code == 0
    done = dctx("hooks", "verify", cwd=root)
    assert done.code == 0 and "sections whole, in numbered parts. The session was told" in done.out, done


def test_a_client_whose_hooks_are_off_fails_the_proof(
    root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    off = """--settings '{"disableAllHooks": true}'"""
    alone(monkeypatch, tmp_path / "bin", claude=f'exec {found("claude 2.1.197")} {off} "$@"')
    done = dctx("hooks", "verify", cwd=root)
    assert done.code == 1, done
    assert "FAILED   Claude Code, run offline: the session was not told where the project stands." in done.out
    assert "<vision> did not arrive whole" in done.out and "claude ended with exit code 0" in done.out


def test_a_client_that_does_nothing_fails_the_proof_with_what_it_said(
    root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin", claude="echo something is wrong >&2; exit 7")
    done = dctx("hooks", "verify", cwd=root)
    assert done.code == 1, done
    assert "FAILED   Claude Code, run offline: it asked its model nothing." in done.out
    assert "claude ended with exit code 7" in done.out and "something is wrong" in done.out


def test_a_client_that_is_here_can_be_left_out(
    root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin", claude="exit 7")
    done = dctx("hooks", "verify", "--replay", cwd=root)
    assert done.code == 0 and "recorded events" in done.out


def test_a_project_with_history_is_proven_too(root: Path, dctx: Dctx) -> None:
    commit(root, "Begin", {"app.py": "one"})
    assert dctx("hooks", "verify", "--replay", cwd=root).code == 0
