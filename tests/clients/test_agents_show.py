"""`dctx agents show`: what is installed where, who is given what, what failed lately; nothing is run."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import write
from setting_up import VARIABLES, Dctx, home, hooks_file, put, show, take, written

from director_ctx.clients.entries import hook_entries
from director_ctx.clients.hooks.agents import MAP
from director_ctx.clients.program import program
from director_ctx.clients.table import CLIENTS


@pytest.fixture(autouse=True)
def _no_client_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "project", {"PROJECT.md": "# A project\n"})


def test_status_knows_a_file_that_the_client_passes_over(folder: Path, dctx: Dctx) -> None:
    put(dctx, folder, "hooks")
    path = hooks_file(folder, "claude")
    path.write_text("// mine\n" + path.read_text())
    done = dctx("agents", cwd=folder)
    assert done.code == 1
    assert "passes over the whole file" in done.out
    assert take(dctx, folder, "hooks").code == 0
    assert path.read_text() == "// mine\n{}\n"


def test_the_command_that_is_shown_maps_a_type(folder: Path, dctx: Dctx) -> None:
    words = MAP.replace("TYPE", "reviewer").split()[1:]
    assert dctx(*words, cwd=folder).code == 0
    assert show(dctx, folder)["agents"] == {"reviewer": "builder"}


def test_settings_that_cannot_be_read_are_told(folder: Path, dctx: Dctx) -> None:
    write(folder, {"dctx.yaml": "hooks: [\n"})
    shown = dctx("agents", cwd=folder)
    said = "Hooks give nothing as long as this is so: .director/dctx.yaml is not valid YAML"
    assert shown.code == 1 and said in shown.out
    assert "not valid YAML" in show(dctx, folder)["problem"]


def test_status_says_which_agents_are_given_what(folder: Path, dctx: Dctx) -> None:
    assert (
        "Given a context: dctx-*, dctx:* and director:director-* (by their names); a general-purpose "
        "agent, where its prompt names a task or asks for the next one; any other type: nothing."
    ) in dctx("agents", cwd=folder).out
    write(folder, {"dctx.yaml": "hooks: {agents: {lazy: never, worker: always}}\n"})
    done = dctx("agents", cwd=folder)
    assert "lazy (nothing), worker (builder); a general-purpose" in done.out
    assert show(dctx, folder)["agents"] == {"lazy": "", "worker": "builder"}


def test_only_failures_since_a_hook_of_the_kind_worked_are_shown(folder: Path, dctx: Dctx) -> None:
    lines = {
        "claude PreToolUse: too old": ago(days=8),
        "claude PreToolUse: mended": ago(hours=5),
        "claude SessionStart: told": ago(hours=4),
        "claude UserPromptSubmit: slow": ago(hours=3),
        "gemini BeforeTool: again": ago(minutes=1),
    }
    write(
        folder,
        {
            ".dctx/hooks.log": "nonsense\n"
            + "".join(f"{when} {said}\n" for said, when in lines.items())
        },
    )
    said = [one["said"] for one in show(dctx, folder)["log"]]
    assert said == [*lines][1:5]
    session = [{"session": "s", "head": "", "time": f"{ago(hours=2)[:16].replace('T', ' ')} UTC"}]
    write(
        folder, {"VISION.md": "# Vision\n\nA thing.\n", ".dctx/session.json": json.dumps(session)}
    )
    assert dctx("assemble", "mapper", cwd=folder).code == 0
    record = folder / ".director/.dctx/runs.jsonl"
    [line] = record.read_text().splitlines()
    record.write_text(json.dumps({**json.loads(line), "time": ago(days=9)}) + "\n")
    assert [one["said"] for one in show(dctx, folder)["log"]] == [[*lines][1], *[*lines][3:5]]
    record.write_text(json.dumps({**json.loads(line), "time": ago(hours=2)}) + "\n")
    assert [one["said"] for one in show(dctx, folder)["log"]] == [*lines][3:5]


def ago(**time: float) -> str:
    """A moment as hooks write it down."""
    return (datetime.now(UTC) - timedelta(**time)).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_status_says_what_is_installed_where(folder: Path, dctx: Dctx) -> None:
    shown = dctx("agents", cwd=folder)
    assert shown.code == 0 and shown.out.startswith("No hooks are installed; `dctx setup`")
    nothing = show(dctx, folder)
    assert not any(nothing.values()) and "installed" in nothing
    put(dctx, folder, "hooks", "--user", "--prompts", "--yes")
    put(dctx, folder, "hooks", client="cursor")
    one, two = show(dctx, folder, "hooks")
    assert (one["clients"], one["scope"], one["path"]) == (
        ["claude"], "user", "~/.claude/settings.json",
    )  # fmt: skip
    assert (two["clients"], two["path"]) == (["cursor"], ".cursor/hooks.json")
    assert one["names"] == list(CLIENTS["claude"].events) and one["command"] == list(program())
    shown = dctx("agents", cwd=folder)
    assert shown.code == 0
    assert "Hooks, every project: ~/.claude/settings.json (Claude Code)\n" in shown.out


def test_status_finds_what_cannot_work(
    folder: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = CLIENTS["claude"]
    entries = hook_entries(client, ("/gone/dctx",))
    del entries["SessionEnd"]
    written(folder / ".claude/settings.json", json.dumps({"hooks": entries}))
    written(home() / ".gemini/settings.json", "{,}")
    corner = folder / ".director/.dctx"
    corner.mkdir()
    (corner / "hooks.log").write_text("".join(f"{ago(hours=2)} line {n}\n" for n in range(9)))
    monkeypatch.setenv("DCTX_HOOKS", "off")
    done = dctx("agents", cwd=folder)
    assert done.code == 1
    assert "calls /gone/dctx, which is not there" in done.out
    assert "brings it up to date" in done.out
    assert "column 2" in done.out
    assert "DCTX_HOOKS=off" in done.out
    assert "  2 hours ago: line 8" in done.out and "line 0" not in done.out
    data = show(dctx, folder)
    assert [one["current"] for one in data["installed"] if one["names"]] == [False]
    assert data["off"] == ["DCTX_HOOKS=off: hooks answer with nothing."] and len(data["log"]) == 5


def switch_off(folder: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> str:
    """What says so."""
    if way == "DCTX_HOOKS":
        monkeypatch.setenv(way, "off")
        return "DCTX_HOOKS=off: hooks answer with nothing."
    texts = {
        "disableAllHooks": '{"disableAllHooks": true}',
        "env": '{"env": {"DCTX_HOOKS": "off"}}',
    }
    written(folder / ".claude/settings.json", texts[way])
    return (
        "DCTX_HOOKS is off in .claude/settings.json"
        if way == "env"
        else "disableAllHooks is true in .claude/"
    )


@pytest.mark.parametrize("way", ["DCTX_HOOKS", "disableAllHooks", "env"])
def test_what_is_installed_and_switched_off_is_told_by_status_and_by_a_second_install(
    way: str, folder: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = switch_off(folder, monkeypatch, way)
    assert dctx("agents", cwd=folder).code == 0
    for mark in ("  will     put hooks", "  already  hooks"):
        done = put(dctx, folder, "hooks")
        assert done.code == 0 and said in done.err and mark in done.out, done
    done = dctx("agents", cwd=folder)
    assert done.code == 1 and said in done.out


def test_hooks_of_which_none_waits_for_agents_are_told(folder: Path, dctx: Dctx) -> None:
    entries = hook_entries(CLIENTS["claude"], program())
    del entries["PreToolUse"]
    written(folder / ".claude/settings.json", json.dumps({"hooks": entries}))
    done = dctx("agents", cwd=folder)
    assert (
        done.code == 1
        and "none of its hooks waits for a spawned agent, so no agent is given anything" in done.out
    )
    assert show(dctx, folder)["idle"] == ["claude"]
    put(dctx, folder, "hooks", "--user", "--yes")
    assert show(dctx, folder)["idle"] == []


AGENT = "---\ndescription: Reviews.\nname: {name}\n---\n\nYou review.\n"
KNOWN = {
    "Explore": {}, "EXPLORE": {}, "my-plugin:reviewer": {},
    "generalist": {}, "default": {},
    "reviewer": {".claude/agents/team/any.md": AGENT.format(name='"reviewer"  # ours')},
    "above": {"../.claude/agents/any.md": AGENT.format(name="above")},
    "at-home": {"~/.claude/agents/any.md": AGENT.format(name="At-Home")},
    "role": {"~/.codex/agents/any.toml": 'name = "role"\n'},
    "listed": {"~/.codex/config.toml": '[agents.listed]\ndescription = "x"\n'},
    "extended": {"~/.gemini/extensions/more/agents/any.md": AGENT.format(name="extended")},
}  # fmt: skip


@pytest.mark.parametrize("kind", KNOWN)
def test_a_type_that_a_client_has_is_not_called_unknown(
    kind: str, folder: Path, dctx: Dctx
) -> None:
    write(folder, {"dctx.yaml": f"hooks:\n  agents:\n    '{kind}': builder\n"})
    for name, text in KNOWN[kind].items():
        assert show(dctx, folder)["unknown"] == [kind]
        path = home() / name[2:] if name.startswith("~/") else folder / name
        written(path, text)
    assert show(dctx, folder)["unknown"] == []


def test_a_type_that_no_client_has_is_told(folder: Path, dctx: Dctx) -> None:
    write(
        folder, {"dctx.yaml": "hooks:\n  agents:\n    generalpurpose: builder\n    lazzy: never\n"}
    )
    (folder / ".claude/agents").mkdir(parents=True)
    if os.name != "nt":
        os.mkfifo(folder / ".claude/agents/pipe.md")
    written(folder / ".claude/agents/no-frontmatter.md", "name: generalpurpose\n")
    put(dctx, folder, "hooks")
    done = dctx("agents", cwd=folder)
    assert (
        done.code == 0
        and (
            "generalpurpose is mapped, but there is no agent of that name: "
            "not built in, not in .claude/agents or ~/.claude/agents."
        )
        in done.out
    )
    assert "lazzy is mapped" not in done.out
    put(dctx, folder, "hooks", client="cursor")
    assert show(dctx, folder)["unknown"] == []  # what agents Cursor has is not known


def test_status_runs_nothing_of_what_a_project_names(
    folder: Path, dctx: Dctx, tmp_path: Path
) -> None:
    trap = tmp_path / "dctx"
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    trap.chmod(0o755)
    entries = hook_entries(CLIENTS["claude"], (str(trap),))
    written(folder / ".claude/settings.json", json.dumps({"hooks": entries}))
    assert show(dctx, folder)["installed"][0]["works"]
    assert not (tmp_path / "ran").exists()


def test_names_from_files_cannot_speak_to_the_terminal(folder: Path, dctx: Dctx) -> None:
    text = json.dumps(
        {"hooks": {"\x1b[31mred": [{"hooks": [{"command": "dctx hook"}]}]}}, ensure_ascii=False
    )
    written(folder / ".codex/hooks.json", text.replace("\\u001b", "\x1b"))
    for done in (
        dctx("agents", cwd=folder),
        put(dctx, folder, "hooks", "--dry-run", "--diff", client="codex"),
        take(dctx, folder, "hooks", "--dry-run", "--diff", client="codex"),
    ):
        assert "\x1b" not in done.out + done.err
