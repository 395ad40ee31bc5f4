"""`dctx agents verify`: it proves what arrives, fails where it does not, and touches nothing."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, commit, plan, task, write
from real_clients import PROGRAMS, found
from setting_up import Dctx, put, take

from director_ctx import assemble, load_project
from director_ctx.clients.accepted import context_of, faults_of_answer, kind_of
from director_ctx.clients.entries import hook_entries
from director_ctx.clients.hooks import switches
from director_ctx.clients.program import program
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.proof import arrival_of
from director_ctx.doors.cli.clients import hook as door


@pytest.fixture
def root(tmp_path: Path) -> Path:
    notes = {
        "VISION.md": "# Vision\n\nA thing for everyone.\n",
        "codebase/STACK.md": "# Stack\n\nPython.\n",
    }
    return write(
        tmp_path / "project",
        {**notes, **plan({"01-one.md": task("One"), "02-two.md": task("Two")})},
    )


@pytest.fixture
def installed(root: Path, dctx: Dctx) -> Path:
    """The project with hooks for Claude Code in it."""
    assert put(dctx, root, "hooks,agents").code == 0
    return root


def contents(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


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
def test_recorded_events_are_answered_as_each_client_wants_it(
    client: str, root: Path, dctx: Dctx
) -> None:
    for more in ((), ("--prompts",)):
        assert put(dctx, root, "hooks", "--yes", *more, client=client).code == 0
        done = dctx("agents", "verify", "--replay", "--client", client, cwd=root)
        assert done.code == 0 and done.err == "", done
        first, second, *_ = done.out.splitlines()
        assert (
            first.startswith(f"proven   {CLIENTS[client].title}, installation: ")
            and str(program()[0]) in first
        )
        assert (
            second.startswith(f"proven   {CLIENTS[client].title} (") and "recorded events" in second
        )


@pytest.mark.parametrize("client", CLIENTS)
def test_where_pull_is_the_default_the_prompt_is_what_has_to_arrive(
    client: str, root: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEAN_CONTEXT_ENABLED", "true")
    assert put(dctx, root, "hooks,agents", client=client).code == 0
    done = dctx("agents", "verify", "--replay", "--client", client, cwd=root)
    assert done.code == 0 and "failed" not in done.out, done


def test_where_pull_is_the_default_an_agent_without_a_server_is_told_of(
    installed: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    install = ("setup", "--what", "mcp")
    told = f"`{' '.join(('dctx', *install))}` installs it."
    verify = ("agents", "verify", "--replay", "--client", "claude")
    assert told not in dctx(*verify, cwd=installed).out
    monkeypatch.setenv("CLEAN_CONTEXT_ENABLED", "true")
    for looked in (("agents",), verify):
        done = dctx(*looked, cwd=installed)
        assert done.code == 0 and told in done.out and "nothing to ask by" in done.out
    assert dctx(*install, "--yes", cwd=installed).code == 0
    assert told not in dctx("agents", cwd=installed).out


def test_a_profile_that_pulls_needs_a_server_too(installed: Path, dctx: Dctx) -> None:
    write(installed, {"dctx.yaml": "profiles: {builder: {layout: pull}}\n"})
    assert "nothing to ask by" in dctx("agents", cwd=installed).out


def test_nothing_of_the_project_or_of_the_home_is_touched(installed: Path, dctx: Dctx) -> None:
    home = Path(os.environ["HOME"])
    before = contents(installed), contents(home)
    assert dctx("agents", "verify", "--replay", cwd=installed).code == 0
    assert (contents(installed), contents(home)) == before


def test_links_and_what_is_the_tools_own_stay_out_of_the_copy(
    root: Path, tmp_path: Path, dctx: Dctx
) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n")
    (root / ".director" / "goals" / "02-link").symlink_to(tmp_path)
    (root / ".director" / "NOTES.md").symlink_to(tmp_path / "secret.md")
    write(root, {".dctx/runs.jsonl": "{}\n"})
    from director_ctx.clients.verify.proof import copy_project

    copy_project(str(root), str(tmp_path / "copy"))
    copied = {path.name for path in (tmp_path / "copy").rglob("*")}
    assert "VISION.md" in copied and not copied & {"secret.md", "02-link", "NOTES.md", "runs.jsonl"}


def test_without_any_client_the_events_of_claude_code_are_replayed(
    installed: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin")
    _, first = proofs(dctx("agents", "verify", "--json", cwd=installed))
    assert (first["client"], first["name"], first["outcome"]) == (
        "claude",
        "recorded events",
        "proven",
    )


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
    assert put(dctx, root, "hooks,agents", client=client).code == 0
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = dctx("agents", "verify", "--replay", "--client", client, cwd=root)
    assert done.code == 1 and done.out.splitlines()[1].startswith(
        f"FAILED   {CLIENTS[client].title} ("
    ), done
    assert (
        BREAKS[way]
        if client == "gemini" or "Event" not in way
        else "hookSpecificOutput is not a key"
    ) in done.out


def test_what_the_project_does_not_want_is_not_asked_for(installed: Path, dctx: Dctx) -> None:
    text = "hooks:\n  session: false\n  agents:\n    dctx-builder: never\n"
    write(installed, {"dctx.yaml": text})
    done = dctx("agents", "verify", "--replay", cwd=installed)
    assert done.code == 0, done


def test_what_hooks_wrote_down_counts_until_one_has_worked(installed: Path, dctx: Dctx) -> None:
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 90))
    write(installed, {".dctx/hooks.log": f"{when} claude PreToolUse: gave no answer: too slow\n"})
    done = dctx("agents", "verify", "--replay", cwd=installed)
    assert done.code == 1
    assert "FAILED   hooks.log: hooks failed 1 time lately, and have not worked since." in done.out
    assert "1 minute ago: claude PreToolUse: gave no answer: too slow" in done.out
    assert dctx("assemble", "builder", cwd=installed).code == 0
    assert dctx("agents", "verify", "--replay", cwd=installed).code == 0


def spawned(**changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    given = {"prompt": "Go.", "subagent_type": "x", "description": "d"}
    event = {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": given}
    inner = {
        "hookEventName": "PreToolUse",
        "updatedInput": {**given, "prompt": "More. Go."},
        **changes,
    }
    return event, {"hookSpecificOutput": inner}


def test_an_answer_that_is_as_it_should_be_has_no_faults() -> None:
    event, answer = spawned()
    assert faults_of_answer(CLIENTS["claude"], event, answer) == ()
    assert (kind_of(answer), context_of(answer)) == ("prompt", "More. Go.")
    assert kind_of({}) == "nothing" and context_of({}) == ""


def test_a_permission_that_is_decided_and_a_field_that_is_lost_are_faults() -> None:
    event, answer = spawned(permissionDecision="allow", updatedInput={"prompt": "Go."})
    found = faults_of_answer(CLIENTS["claude"], event, answer)
    assert found == (
        "permissionDecision is not a key that it accepts",
        "updatedInput changes more than the prompt",
    )


@pytest.mark.parametrize(
    ("client", "text", "fits"),
    [
        ("claude", "x" * 10_000, True),
        ("claude", "x" * 10_001, False),
        ("claude", "\N{GRINNING FACE}" * 5_001, False),
        ("codex", "ü" * 30_000, True),
        ("codex", "ü" * 30_001, False),
    ],
)
def test_a_context_is_measured_as_the_client_measures_it(
    client: str, text: str, fits: bool
) -> None:
    event = {"hook_event_name": "SessionStart"}
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    assert (faults_of_answer(CLIENTS[client], event, answer) == ()) is fits


@pytest.mark.parametrize("answer", [[], "text", 7, {"hookSpecificOutput": []}])
def test_what_is_no_answer_at_all_is_a_fault(answer: object) -> None:
    assert faults_of_answer(CLIENTS["codex"], {"hook_event_name": "SessionStart"}, answer)


def test_an_arrival_is_judged_by_whole_sections_their_order_and_what_follows(root: Path) -> None:
    sections = assemble(load_project(root=str(root)), "builder").sections
    text = "\n".join(section.text for section in sections)
    assert arrival_of(sections, f"{text}\nprompt", "prompt").complete
    cut = arrival_of(
        sections, text.replace(sections[1].text, sections[1].text[:-9]) + "\nprompt", "prompt"
    )
    assert cut.missing == (sections[1].tag,) and not cut.complete
    turned = "\n".join(section.text for section in reversed(sections))
    assert arrival_of(sections, f"{turned}\nprompt", "prompt").faults == (
        "the sections are not in order",
    )
    assert arrival_of(sections, f"prompt\n{text}", "prompt").faults == (
        "the prompt does not stand behind them",
    )
    assert not arrival_of((), "prompt", "prompt").complete


# The real client.


@pytest.mark.proof
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_client_that_is_here_is_run_and_what_arrives_is_proven(
    name: str, root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = name.split(maxsplit=1)[0]
    alone(monkeypatch, tmp_path / "bin", **{client: f'exec {found(name)} "$@"'})
    assert put(dctx, root, "hooks,agents", client=client).code == 0
    home = Path(os.environ["HOME"])
    before = contents(root), contents(home)
    done = dctx("agents", "verify", "--json", cwd=root)
    assert done.code == 0, done
    proof = proofs(done)[1]
    assert (proof["client"], proof["name"], proof["outcome"]) == (client, "run offline", "proven")
    assert ("only after /hooks was looked at once" in proof["verdict"]) is (client == "codex")
    said = "an agent of type dctx-builder was sent the context of `dctx assemble builder`"
    assert said in proof["verdict"]
    assert "The session was told where the project stands." in proof["verdict"]
    assert (contents(root), contents(home)) == before


@pytest.mark.proof
def test_a_client_whose_hooks_are_off_fails_the_proof(
    installed: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    off = """--settings '{"disableAllHooks": true}'"""
    alone(monkeypatch, tmp_path / "bin", claude=f'exec {found("claude 2.1.197")} {off} "$@"')
    done = dctx("agents", "verify", cwd=installed)
    assert done.code == 1, done
    assert (
        "FAILED   Claude Code, run offline: the session was not told where the project stands."
        in done.out
    )
    assert (
        "<vision> did not arrive whole" in done.out and "claude ended with exit code 0" in done.out
    )


def test_a_client_that_does_nothing_fails_the_proof_with_what_it_said(
    installed: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin", claude="echo something is wrong >&2; exit 7")
    done = dctx("agents", "verify", cwd=installed)
    assert done.code == 1, done
    assert "FAILED   Claude Code, run offline: it asked its model nothing." in done.out
    assert "claude ended with exit code 7" in done.out and "something is wrong" in done.out


def test_a_client_that_is_here_can_be_left_out(
    installed: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin", claude="exit 7")
    done = dctx("agents", "verify", "--replay", cwd=installed)
    assert done.code == 0 and "recorded events" in done.out


def test_a_project_with_history_is_proven_too(installed: Path, dctx: Dctx) -> None:
    commit(installed, "Begin", {"app.py": "one"})
    assert dctx("agents", "verify", "--replay", cwd=installed).code == 0


# What is installed here, and for whom.


def verified(dctx: Dctx, root: Path, *words: str) -> Result:
    done = dctx("agents", "verify", "--replay", *words, cwd=root)
    assert done.err == "", done
    return done


def change(root: Path, old: str, new: str) -> None:
    """In the settings that hooks were installed in."""
    path = root / ".claude" / "settings.local.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_where_nothing_is_installed_that_is_said_first(root: Path, dctx: Dctx) -> None:
    done = verified(dctx, root)
    first, second, *_ = done.out.splitlines()
    assert done.code == 1
    assert first.endswith(
        "No hooks of dctx are installed for Claude Code here; `dctx setup --what hooks` does that."
    )
    assert second.startswith("proven   In a copy, as `dctx setup` writes them, they would work. ")


def test_a_command_that_is_not_there_fails(installed: Path, dctx: Dctx) -> None:
    change(installed, program()[0], "/nonexistent/dctx")
    done = verified(dctx, installed)
    assert done.code == 1
    assert done.out.startswith(
        "FAILED   Claude Code, installation: .claude/settings.local.json calls /nonexistent/dctx, "
    )


def test_the_command_that_is_installed_is_the_one_that_is_run(
    installed: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "other", dctx="exit 0")
    change(installed, program()[0], "dctx")
    done = verified(dctx, installed)
    assert done.code == 1 and "recorded events: " in done.out
    assert "the answer is nothing, and not prompt" in done.out


NOT_RUN = "They do not call this dctx as it writes it: looked at, not run; "


@pytest.mark.parametrize(
    "way",
    [
        "in the project",
        "another place",
        "another word",
        "a relative place",
        "an environment",
        "a Python",
    ],
)
def test_what_a_project_brings_is_never_run(
    way: str, root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = (root if way == "in the project" else tmp_path) / "tools" / "dctx"
    trap.parent.mkdir()
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    trap.chmod(0o755)
    client = CLIENTS["gemini"]
    command = os.path.relpath(trap, root) if way == "a relative place" else str(trap)
    if way in ("another word", "an environment"):
        monkeypatch.setenv("PATH", f"{trap.parent}{os.pathsep}{os.environ['PATH']}")
        command = "dctx"
    words = (command,)
    if way == "a Python":
        (root / "python3").symlink_to(sys.executable)
        words = (str(root / "python3"), "-m", "director_ctx")
    entries = hook_entries(client, words)
    for handler in (one["hooks"][0] for groups in entries.values() for one in groups):
        handler["command"] += " --part 9" if way == "another word" else ""
        handler.update({"env": {"LD_PRELOAD": "x"}} if way == "an environment" else {})
    write(root, {"/.gemini/settings.json": json.dumps({"hooks": entries})})
    done = verified(dctx, root, "--client", "gemini")
    assert done.code == 1 and NOT_RUN in done.out, done
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("way", ["its place", "its name", "a link", "a Python"])
def test_what_the_repository_around_a_project_brings_is_never_run(
    way: str, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    mono, root = tmp_path / "mono", tmp_path / "mono" / "sub"
    alone(monkeypatch, tmp_path / "elsewhere")
    (mono / "bin").mkdir(parents=True)
    (mono / "bin" / "dctx").write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    (mono / "bin" / "dctx").chmod(0o755)
    (mono / "bin" / "python3").symlink_to(sys.executable)
    if way == "a link":
        (tmp_path / "elsewhere" / "dctx").symlink_to(mono / "bin" / "dctx")
    elif way == "its name":
        monkeypatch.setenv("PATH", f"{mono / 'bin'}{os.pathsep}{os.environ['PATH']}")
    words = {
        "its place": (str(mono / "bin" / "dctx"),),
        "a Python": (str(mono / "bin" / "python3"), "-P", "-m", "director_ctx"),
    }.get(way, ("dctx",))
    write(root, {"VISION.md": "# Vision\n\nA thing.\n", **plan({"01-one.md": task("One")})})
    write(
        root,
        {"/.claude/settings.json": json.dumps({"hooks": hook_entries(CLIENTS["claude"], words)})},
    )
    commit(mono, "Begin")
    done = verified(dctx, root)
    assert done.code == 1 and NOT_RUN in done.out and not (tmp_path / "ran").exists(), done


def test_hooks_that_wait_for_no_agent_fail(installed: Path, dctx: Dctx) -> None:
    change(installed, "PreToolUse", "PostToolUse")
    assert "None of them waits for a spawned agent" in verified(dctx, installed).out


OFF = {
    "claude": (
        ".claude/settings.json",
        '{"disableAllHooks": true}',
        "disableAllHooks is true in .claude/settings.json",
    ),
    "gemini": (
        "",
        '{"hooksConfig": {"enabled": false}}',
        "hooksConfig.enabled is false in ~/.gemini/settings.json",
    ),
    "codex": ("", "[features]\nhooks = false\n", "features.hooks is false in ~/.codex/config.toml"),
}


@pytest.mark.parametrize("client", OFF)
def test_hooks_that_are_switched_off_fail_and_status_says_so(
    client: str, root: Path, dctx: Dctx
) -> None:
    place, text, said = OFF[client]
    assert put(dctx, root, "hooks,agents", client=client).code == 0
    path = root / place if place else Path(os.environ["HOME"]) / said.partition("~/")[2]
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    done = verified(dctx, root, "--client", client)
    assert done.code == 1 and f"FAILED   {CLIENTS[client].title}, installation: {said}" in done.out
    assert said in dctx("agents", cwd=root).out


def test_a_switch_of_the_project_counts_more_than_that_of_the_user(
    installed: Path, dctx: Dctx
) -> None:
    write(Path(os.environ["HOME"]), {"/.claude/settings.json": '{"disableAllHooks": true}'})
    assert verified(dctx, installed).code == 1
    write(installed, {"/.claude/settings.json": '{"disableAllHooks": false}'})
    assert verified(dctx, installed).code == 0


SETTINGS = ("~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json")


def set_variable(root: Path, place: str, name: str, value: str) -> None:
    """In the `env` of a settings file of Claude Code, beside what is there."""
    path = Path(os.environ["HOME"]) / place[2:] if place.startswith("~/") else root / place
    path.parent.mkdir(exist_ok=True)
    whole = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**whole, "env": {name: value}}))


@pytest.mark.parametrize("place", SETTINGS)
def test_hooks_that_the_environment_in_settings_switches_off_fail(
    place: str, installed: Path, dctx: Dctx
) -> None:
    set_variable(installed, place, "DCTX_HOOKS", "OFF")
    said = f"DCTX_HOOKS is OFF in {place} (env): hooks answer with nothing."
    assert f"FAILED   Claude Code, installation: {said}" in verified(dctx, installed).out
    for nearer in SETTINGS[SETTINGS.index(place) + 1 :]:
        set_variable(installed, nearer, "DCTX_HOOKS", "on")
        assert verified(dctx, installed).code == 0


@pytest.mark.parametrize(
    ("value", "elsewhere"), [("..", True), ("~", True), (".", False), (".director", False)]
)
def test_hooks_that_settings_send_to_another_project_fail(
    value: str, elsewhere: bool, installed: Path, dctx: Dctx
) -> None:
    set_variable(installed, ".claude/settings.json", "DCTX_ROOT", value)
    done = verified(dctx, installed)
    said = f"DCTX_ROOT is {value} in .claude/settings.json (env): hooks look there, and not at this project."
    assert (done.code, said in done.out) == (int(elsewhere), elsewhere)


def test_what_means_off_is_the_same_for_the_hook_and_for_who_looks_at_settings() -> None:
    assert (switches.SWITCH, switches.OFF) == (door.SWITCH, door.OFF)


def test_hooks_that_the_environment_switches_off_fail(
    installed: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_HOOKS", "off")
    done = verified(dctx, installed)
    assert done.code == 1 and done.out.startswith(
        "FAILED   Claude Code, installation: DCTX_HOOKS=off"
    )


def test_the_plugin_is_an_installation(root: Path, dctx: Dctx) -> None:
    write(root, {"/.claude/settings.json": '{"enabledPlugins": {"dctx@market": true}}'})
    done = verified(dctx, root)
    assert (
        done.code == 0
        and "proven   Claude Code, installation: the plugin dctx brings the hooks." in done.out
    )


def test_clients_without_hooks_are_skipped_unless_no_client_has_any(
    installed: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin", codex="exit 7")
    done = verified(dctx, installed)
    assert done.code == 0
    assert "nothing  Codex CLI has no hooks of dctx here; skipped." in done.out
    assert verified(dctx, installed, "--client", "all").code == 1
    assert take(dctx, installed, "hooks").code == 0
    done = verified(dctx, installed)
    assert done.code == 1 and "No hooks of dctx are installed for Codex CLI here" in done.out
    assert "Claude Code" not in done.out


@pytest.mark.proof
def test_the_type_that_the_project_maps_is_the_one_that_is_proven(
    installed: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin", claude=f'exec {found("claude 2.1.197")} "$@"')
    unmapped = dctx("agents", "verify", cwd=installed)
    assert "Also given a context: a general-purpose agent, where its prompt" in unmapped.out
    write(
        installed,
        {"dctx.yaml": "hooks:\n  agents:\n    lazy: never\n    general-purpose: planner\n"},
    )
    done = dctx("agents", "verify", cwd=installed)
    assert done.code == 0, done
    assert (
        "an agent of type general-purpose was sent the context of `dctx assemble planner`"
        in done.out
    )
    named = dctx("agents", "verify", "--agent", "dctx:verifier", cwd=installed)
    assert (
        "an agent of type dctx:verifier was sent the context of `dctx assemble verifier`"
        in named.out
    )


UNKNOWN = (
    "FAILED   Claude Code, agent {}: no agent of that name: not built in, not in "
    ".claude/agents or ~/.claude/agents."
)


def test_a_type_that_is_mistyped_fails_and_is_not_made(installed: Path, dctx: Dctx) -> None:
    write(installed, {"dctx.yaml": "hooks:\n  agents:\n    generalpurpose: builder\n"})
    done = verified(dctx, installed)
    assert done.code == 1 and UNKNOWN.format("generalpurpose") in done.out
    assert "recorded events: `dctx hook` answered all" in done.out
    agent = "---\nname: generalpurpose\ndescription: x\n---\n"
    write(installed, {"/.claude/agents/mine.md": agent})
    assert verified(dctx, installed).code == 0
    done = verified(dctx, installed, "--agent", "director-bilder")
    assert done.code == 1 and "agent of type director-bilder is given nothing now" in done.out
    done = verified(dctx, installed, "--agent", "director-builder")
    assert done.code == 1 and UNKNOWN.format("director-builder") in done.out


@pytest.mark.proof
def test_a_type_of_another_client_is_said_and_is_no_failure(
    installed: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin", claude=f'exec {found("claude 2.1.197")} "$@"')
    write(
        installed,
        {"dctx.yaml": "hooks:\n  agents:\n    generalist: planner\n    Explore: builder\n"},
    )
    done = dctx("agents", "verify", cwd=installed)
    assert (
        done.code == 0 and UNKNOWN.format("generalist").replace("FAILED ", "nothing") in done.out
    ), done
    assert "an agent of type Explore was sent the context of `dctx assemble builder`" in done.out


def test_settings_with_a_mistake_fail_and_the_other_lines_follow(
    installed: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin", codex="exit 7")
    write(installed, {"dctx.yaml": "hooks: [\n", ".dctx/hooks.log": ""})
    lines = [
        (one["client"], one["name"], one["outcome"])
        for one in proofs(dctx("agents", "verify", "--json", cwd=installed))
    ]
    assert lines == [
        ("claude", "installation", "proven"), ("claude", "agent", "failed"), ("codex", "installation", "nothing"),
    ]  # fmt: skip
    done = verified(dctx, installed)
    assert done.code == 1
    assert (
        "agent: hooks give nothing as long as this is so: .director/dctx.yaml is not valid YAML"
        in done.out
    )


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("general-purpose", "its prompt has to name a task or ask for the next one."),
        ("lazy", "dctx.yaml does not name it under hooks.agents, or says never."),
        ("Plan", "dctx.yaml does not name it under hooks.agents, or says never."),
    ],
)
def test_a_type_that_is_given_nothing_fails(
    kind: str, why: str, installed: Path, dctx: Dctx
) -> None:
    write(installed, {"dctx.yaml": "hooks:\n  agents:\n    lazy: never\n"})
    done = verified(dctx, installed, "--agent", kind)
    assert done.code == 1
    said = f"FAILED   Claude Code, agent: an agent of type {kind} is given nothing now: "
    assert said + why in done.out
    assert "recorded events: `dctx hook` answered all" in done.out


def test_where_there_is_nothing_to_do_that_is_said_and_is_no_failure(
    installed: Path, dctx: Dctx
) -> None:
    for path in (installed / ".director").rglob("0?-*.md"):
        path.rename(path.with_suffix(".done.md"))
    done = verified(dctx, installed)
    said = "an agent of type dctx-builder is given nothing now: Every task in the gameplan is done."
    assert done.code == 0 and f"nothing  Claude Code, agent: {said}" in done.out, done


def test_a_vision_that_is_still_a_template_fails(
    installed: Path, dctx: Dctx, tmp_path: Path
) -> None:
    (tmp_path / "new").mkdir()
    assert dctx("init", cwd=tmp_path / "new").code == 0
    write(installed, {"VISION.md": (tmp_path / "new" / ".director" / "VISION.md").read_text()})
    done = verified(dctx, installed)
    assert (
        done.code == 1
        and "dctx-builder is given nothing now: .director/VISION.md is still a template" in done.out
    )


@pytest.mark.proof
def test_hooks_for_every_project_are_proven_from_there(
    root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch, tmp_path / "bin", gemini=f'exec {found("gemini 0.61.0")} "$@"')
    assert put(dctx, root, "hooks,agents", "--user", "--yes", client="gemini").code == 0
    done = dctx("agents", "verify", cwd=root)
    assert (
        done.code == 0
        and "proven   Gemini CLI, installation: ~/.gemini/settings.json calls" in done.out
    ), done
    assert "proven   Gemini CLI, run offline: " in done.out
