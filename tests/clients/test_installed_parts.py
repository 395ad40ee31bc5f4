"""`dctx setup --what PART`: every part, in every client and both scopes, goes in as it was shown and out
without a trace; and nothing is written unasked, elsewhere, or over what somebody changed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, git, needs_permissions, write
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from setting_up import (
    VARIABLES,
    Dctx,
    changes,
    home,
    hooks_file,
    put,
    removals,
    show,
    take,
    tree,
    written,
)
from settings_cases import CASES, settings
from terminals import talk_on_terminal

from director_ctx.base.errors import DctxError
from director_ctx.clients.entries import hook_entries
from director_ctx.clients.file_change import (
    FileChange,
    carry_out,
    only_writer,
    read_settings,
)
from director_ctx.clients.parts.part import Wish
from director_ctx.clients.parts.table import PARTS
from director_ctx.clients.program import program
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.settings_text import own_entries
from director_ctx.clients.table import CLIENTS

GENTLY = hypothesis_settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
THEME = '{\n    "theme": "dark"\n}'


@pytest.fixture(autouse=True)
def _no_client_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "project", {"PROJECT.md": "# A project\n"})


EVERY = [
    (part.name, client, scope)
    for part in PARTS.values()
    for client in part.clients
    for scope in ("", "--user")[: 1 + part.for_user]
]


@pytest.mark.parametrize(("part", "client", "scope"), EVERY)
def test_a_part_goes_in_as_it_was_shown_and_leaves_no_trace(
    part: str, client: str, scope: str, folder: Path, dctx: Dctx
) -> None:
    (folder / "kept.txt").write_text("mine")
    before = tree(folder, home())
    words = (scope,) if scope else ()
    shown = put(dctx, folder, part, "--dry-run", "--diff", *words, client=client)
    assert shown.code == 0 and "  will     put " in shown.out and tree(folder, home()) == before

    assert put(dctx, folder, part, "--yes", *words, client=client).code == 0
    after = tree(folder, home())
    made = [path for path in after if path not in before and Path(path).is_file()]
    assert made and all(f"+{line}" in shown.out for line in after[made[0]].decode().splitlines())
    [found] = show(dctx, folder, part)
    assert client in found["clients"] and found["current"] and found["works"]
    assert found["scope"] == ("user" if scope else "project")

    again = put(dctx, folder, part, "--yes", *words, client=client)
    assert "  already  " in again.out and "  will " not in again.out
    assert tree(folder, home()) == after
    assert take(dctx, folder, part, "--yes", *words, client=client).code == 0
    assert tree(folder, home()) == before
    assert not list(home().rglob("receipt.json"))
    assert "Nothing of it is here" in take(dctx, folder, part, "--yes", *words, client=client).out


@pytest.mark.parametrize("client", ["claude", "gemini", "cursor", "opencode"])
def test_all_of_it_goes_in_and_out(client: str, folder: Path, dctx: Dctx) -> None:
    before = tree(folder, home())
    assert put(dctx, folder, "all", client=client).code == 0
    found = {row["part"] for row in show(dctx, folder)["installed"]}
    assert found == {name for name, part in PARTS.items() if client in part.clients}
    assert take(dctx, folder, "all", client=client).code == 0
    assert tree(folder, home()) == before


@GENTLY
@given(CASES)
def test_hooks_leave_a_file_of_settings_byte_for_byte(folder: Path, case: tuple[str, str]) -> None:
    client, text = CLIENTS[case[0]], case[1]
    path = folder / client.settings
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    carry_out(changes("hooks", client.name, folder))
    carry_out(changes("hooks", client.name, folder, Wish(prompts=True)))
    carry_out(removals("hooks", client.name, folder))
    assert path.read_bytes() == text.encode()
    assert not list(folder.glob(".claude/settings.local.json"))
    path.unlink()


@GENTLY
@given(st.sampled_from(sorted(set(PLACES) - {"codex", "claude"})), settings("gemini"))
def test_a_server_leaves_a_file_of_any_style_byte_for_byte(
    folder: Path, client: str, text: str
) -> None:
    path = Path(next(iter(PARTS["mcp"].files(client, str(folder)))))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    carry_out(changes("mcp", client, folder))
    carry_out(changes("mcp", client, folder, Wish(areas="plan")))
    added = json.loads(path.read_bytes().decode("utf-8-sig"))
    others = json.loads(text.removeprefix("\ufeff"))
    assert added.pop(PLACES[client].keys[0]) != others.pop(PLACES[client].keys[0], None)
    assert added == others
    carry_out(removals("mcp", client, folder))
    assert path.read_bytes() == text.encode()
    path.unlink()


@pytest.mark.parametrize("order", [("hooks", "mcp"), ("mcp", "hooks")])
def test_parts_in_one_file_go_in_any_order(
    order: tuple[str, str], folder: Path, dctx: Dctx
) -> None:
    path = written(folder / ".gemini/settings.json")
    for part in order:
        assert put(dctx, folder, part, client="gemini").code == 0
    for part in order:
        assert take(dctx, folder, part, client="gemini").code == 0
    assert path.read_text() == THEME


# Asked first


@pytest.mark.parametrize("part", PARTS)
def test_nothing_is_written_without_a_yes(part: str, folder: Path, dctx: Dctx) -> None:
    before = tree(folder, home())
    alone = dctx("setup", "--what", part, "--client", "claude", cwd=folder)
    assert alone.code == 1 and "  will     put " in alone.out and "say --yes" in alone.err
    assert tree(folder, home()) == before and not (home() / ".local").exists()


@pytest.mark.skipif(os.name == "nt", reason="needs a terminal")
@pytest.mark.parametrize(("answer", "is_written"), [("\n", True), ("n\n", False)])
def test_at_a_terminal_it_asks(answer: str, is_written: bool, folder: Path) -> None:
    words = ("setup", "--what", "hooks", "--client", "claude", "--no-verify")
    code, screen = talk_on_terminal(folder, *words, answers=answer)
    assert code == 0 and "Do this? [Y/n]" in screen
    assert hooks_file(folder, "claude").exists() is is_written


@pytest.mark.parametrize(
    "words",
    [
        "--what bogus",
        "--client bogus",
        "--what rules --user",
        "--what skills --write plan",
        "--what mcp --prompts",
        "--what mcp --write everything",
        "--what hooks --client opencode",
    ],
)
def test_what_makes_no_sense_is_a_mistake_of_the_command_line(
    words: str, folder: Path, dctx: Dctx
) -> None:
    done = dctx("setup", *words.split(), cwd=folder)
    assert done.code == 2 and "hint:" in done.err and not (folder / ".claude").exists()


def test_a_project_is_needed_for_what_is_of_a_project_only(tmp_path: Path, dctx: Dctx) -> None:
    assert put(dctx, tmp_path, "hooks").code == 1
    assert put(dctx, tmp_path, "hooks", "--user", "--yes").code == 0
    assert dctx("agents", "show", cwd=tmp_path).code == 0
    assert list(tmp_path.iterdir()) == []


def test_for_every_project_there_are_no_rules_and_no_folder(tmp_path: Path, dctx: Dctx) -> None:
    assert dctx("setup", "--user", "--what", "all", "--yes", cwd=tmp_path).code == 0
    parts = {row["part"] for row in show(dctx, tmp_path)["installed"]}
    assert parts == {"hooks", "mcp", "agents", "skills"}
    assert dctx("setup", "--user", "--undo", "--yes", cwd=tmp_path).code == 0
    assert show(dctx, tmp_path)["installed"] == [] and list(tmp_path.iterdir()) == []


def test_all_means_the_clients_that_are_used_here(
    folder: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = folder / "bin"
    programs.mkdir()
    (programs / "codex").write_text("#!/bin/sh\n")
    (programs / "codex").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    written(folder / ".gemini/settings.json", "{,}")
    (folder / ".vscode").mkdir()
    done = put(dctx, folder, "hooks,rules", client="all")
    assert done.code == 1 and ".gemini/settings.json is not JSON" in done.out
    assert (folder / ".codex/hooks.json").exists() and "/hooks" in done.err
    assert (folder / "GEMINI.md").exists() and (folder / "AGENTS.md").exists()
    assert (folder / ".github/hooks/dctx.json").exists() and not (folder / ".claude").exists()


# Somebody's own


def test_an_empty_folder_stays_if_it_was_there_and_goes_if_we_made_it(
    folder: Path, dctx: Dctx
) -> None:
    for made in (True, False):
        if not made:
            (folder / ".claude").mkdir()
        put(dctx, folder, "hooks,agents")
        put(dctx, folder, "hooks", "--prompts", "--yes")
        take(dctx, folder, "hooks,agents")
        assert (folder / ".claude").exists() is not made


def test_a_folder_with_other_things_in_it_stays(folder: Path, dctx: Dctx) -> None:
    put(dctx, folder, "hooks,agents,skills")
    (folder / ".claude/rules").mkdir()
    take(dctx, folder, "hooks,agents,skills")
    assert os.listdir(folder / ".claude") == ["rules"]


def test_a_file_that_changed_since_it_was_shown_is_not_written(folder: Path) -> None:
    path = written(folder / ".gemini/settings.json")
    planned = changes("hooks", "gemini", folder)
    path.write_text('{"by": "somebody"}')
    with pytest.raises(DctxError, match="changed meanwhile"):
        carry_out(planned)
    assert path.read_text() == '{"by": "somebody"}'


def test_the_file_as_it_was_is_kept_for_the_user_alone(folder: Path, dctx: Dctx) -> None:
    written(folder / ".gemini/settings.json", '{"env": {"KEY": "secret"}}')
    put(dctx, folder, "hooks", client="gemini")
    [copy] = home().rglob("settings.json")
    assert copy.read_text() == '{"env": {"KEY": "secret"}}'
    assert copy.parent.stat().st_mode & 0o077 == 0


@needs_permissions
def test_a_file_that_may_not_be_written_is_left_alone(folder: Path, dctx: Dctx) -> None:
    path = written(hooks_file(folder, "claude"))
    path.chmod(0o444)
    done = put(dctx, folder, "hooks")
    assert done.code == 1 and "could not be written" in done.err and path.read_text() == THEME
    path.chmod(0o600)
    put(dctx, folder, "hooks")
    assert path.stat().st_mode & 0o777 == 0o600


@needs_permissions
def test_nothing_is_written_where_no_copy_can_be_kept(
    folder: Path, dctx: Dctx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o500)
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    done = put(dctx, folder, "hooks")
    assert done.code == 1 and "XDG_STATE_HOME" in done.err and not (folder / ".claude").exists()


# Links


def test_a_link_of_the_user_is_followed_and_stays_a_link(
    folder: Path, dctx: Dctx, tmp_path: Path
) -> None:
    real = written(tmp_path / "dotfiles/claude.json")
    link = home() / ".claude/settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    assert str(real) in put(dctx, folder, "hooks", "--user", "--yes").out
    assert link.is_symlink() and own_entries(real.read_text(), CLIENTS["claude"])
    take(dctx, folder, "hooks", "--user", "--yes")
    assert link.is_symlink() and real.read_text() == THEME


OUT = [
    ("hooks", "gemini", ".gemini"),
    ("hooks", "gemini", ".gemini/settings.json"),
    ("mcp", "copilot", ".mcp.json"),
    ("agents", "gemini", ".gemini"),
    ("skills", "claude", ".claude"),
    ("rules", "codex", "AGENTS.md"),
]


@pytest.mark.parametrize(("part", "client", "link"), OUT)
def test_a_link_out_of_the_project_is_told_and_not_followed(
    part: str, client: str, link: str, folder: Path, tmp_path: Path, dctx: Dctx
) -> None:
    away = write(tmp_path / "away", {})
    (away / link).parent.mkdir(exist_ok=True)
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(away / link)
    if "/" not in link and not Path(link).suffix:
        (away / link).mkdir()
    for act in (put, take):
        before = tree(away)
        done = act(dctx, folder, part, client=client)
        assert done.code == 1 and "leads out of the project" in done.out, done
        assert tree(away) == before
        put(dctx, away, part, client=client)


def test_a_link_out_of_the_project_in_which_nothing_is_ours_keeps_nobody_from_the_other_file(
    folder: Path, dctx: Dctx
) -> None:
    written(home() / "shared.json")
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").symlink_to(home() / "shared.json")
    assert put(dctx, folder, "hooks").code == take(dctx, folder, "hooks").code == 0


@pytest.mark.parametrize("link", [".gemini", ".gemini/settings.json"])
def test_a_link_that_stays_in_the_project_is_followed_and_stays(
    link: str, folder: Path, dctx: Dctx
) -> None:
    real = written(folder / "tools" / link / ("settings.json" if link == ".gemini" else ""))
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(folder / "tools" / link)
    linked = folder.parent / "a link to it"
    linked.symlink_to(folder)
    assert put(dctx, linked, "hooks", client="gemini").code == 0
    assert own_entries(real.read_text(), CLIENTS["gemini"]) and (folder / link).is_symlink()
    assert take(dctx, folder, "hooks", client="gemini").code == 0
    assert real.read_text() == THEME and (folder / link).is_symlink()


# At once, and killed

WORDS = ("setup", "--what", "hooks", "--client", "claude", "--no-verify", "--yes")
INSTALL = [sys.executable, "-m", "director_ctx", *WORDS]


def test_two_at_once_install_once(folder: Path) -> None:
    path = written(hooks_file(folder, "claude"))
    running = [
        subprocess.Popen(INSTALL, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE)
        for _ in range(2)
    ]  # fmt: skip
    assert [one.communicate()[0] is not None and one.returncode for one in running] == [0] * 2
    client = CLIENTS["claude"]
    assert own_entries(path.read_text(), client) == hook_entries(client, program())
    carry_out(removals("hooks", "claude", folder))
    assert path.read_text() == THEME


def test_one_writer_waits_for_another(folder: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with only_writer():
        second = subprocess.Popen(INSTALL, cwd=folder, env=env, stdout=subprocess.PIPE)
        assert second.stdout and any(b"will" in line for line in second.stdout)
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(0.5)
        assert not (folder / ".claude").exists()
    second.communicate(timeout=60)
    assert second.returncode == 0 and (folder / ".claude").exists()


KILLED = """
import os, sys
real = {{"replace": os.replace, "link": os.link}}
def last(name):
    def act(source, target, **more):
        if target.endswith("settings.local.json") and ".local/state" not in target:
            os._exit(9)
        return real[name](source, target, **more)
    return act
os.replace, os.link = last("replace"), last("link")
from director_ctx.doors.cli.main import main
sys.exit(main({words}))
"""


@pytest.mark.skipif(os.name == "nt", reason="paths are POSIX")
@pytest.mark.parametrize(
    ("original", "more"),
    [(None, []), (None, ["--prompts"]), ("{ }", ["--prompts"]), ('{"theme":"dark"}', [])],
)
def test_a_kill_before_the_last_move_loses_nothing(
    original: str | None, more: list[str], folder: Path, dctx: Dctx
) -> None:
    path = hooks_file(folder, "claude")
    if original:
        written(path, original)
    if more:
        put(dctx, folder, "hooks")
    before = read_settings(str(path))
    code = KILLED.format(words=[*WORDS, *more])
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, check=False)
    assert done.returncode == 9 and read_settings(str(path)) == before
    assert put(dctx, folder, "hooks", "--prompts", "--yes").code == 0
    assert take(dctx, folder, "hooks").code == 0
    assert read_settings(str(path)) == original


def test_a_receipt_that_makes_no_sense_is_done_without(folder: Path, dctx: Dctx) -> None:
    path = written(hooks_file(folder, "claude"))
    put(dctx, folder, "hooks")
    [receipt] = home().rglob("receipt.json")
    for nonsense in (
        "",
        "[]",
        '{"existed": true}',
        '{"existed": true, "written": 7, "made_folder": 0}',
    ):
        receipt.write_text(nonsense)
        take(dctx, folder, "hooks")
        assert path.read_text() == THEME
        put(dctx, folder, "hooks")


def test_an_edit_between_two_installs_survives_the_undoing(folder: Path) -> None:
    path = written(folder / ".gemini/settings.json", '{"a": 1}')
    carry_out(changes("hooks", "gemini", folder))
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    carry_out(changes("hooks", "gemini", folder, Wish(prompts=True)))
    carry_out(removals("hooks", "gemini", folder))
    assert path.read_text() == '{"a": 2}'


def test_what_is_no_text_stays_to_the_byte(folder: Path) -> None:
    path = folder / "AGENTS.md"
    path.write_bytes(b"# M\xe4in\r\n\xff")
    carry_out(changes("rules", "codex", folder))
    assert b"dctx next" in path.read_bytes()
    carry_out(removals("rules", "codex", folder))
    assert path.read_bytes() == b"# M\xe4in\r\n\xff"


def test_the_plugin_brings_everything_but_rules(folder: Path, dctx: Dctx) -> None:
    plugin = json.dumps({"enabledPlugins": {"dctx@market": True, "other@market": True}})
    written(home() / ".claude/settings.json", plugin)
    for scope in ((), ("--user",)):
        done = put(dctx, folder, "hooks,mcp,agents,skills", "--yes", *scope)
        assert done.code == 0 and done.out.count("already  the plugin dctx brings") == 4
    assert not (folder / ".claude").exists() and not (home() / ".claude.json").exists()
    assert "brought by the plugin" in dctx("agents", "show", cwd=folder).out
    written(hooks_file(folder, "claude"), '{"enabledPlugins": {"dctx@market": false}}')
    assert "will     put hooks" in put(dctx, folder, "hooks").out


def test_git_sees_no_change_that_is_not_there(folder: Path, dctx: Dctx) -> None:
    git(folder, "init", "-q")
    path = written(folder / ".gemini/settings.json")
    carry_out([FileChange(str(path), "x", THEME, THEME, THEME, "hooks")])
    assert path.read_text() == THEME and not list(home().rglob("receipt.json"))
