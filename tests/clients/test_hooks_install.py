"""`dctx agents install`, `remove`, `status`: with real files, in both scopes, for every client."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Result, commit, git, needs_permissions, process, write
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from settings_cases import CASES

from director_ctx.clients.entries import handler_words, hook_entries
from director_ctx.clients.hooks.agents import MAP
from director_ctx.clients.hooks.install import plan_install, plan_uninstall
from director_ctx.clients.program import program
from director_ctx.clients.settings_change import carry_out
from director_ctx.clients.settings_file import only_writer, read_settings, write_settings
from director_ctx.clients.settings_text import own_entries
from director_ctx.clients.table import CLIENTS

Dctx = Callable[..., Result]
SCOPES = ("--project", "--user")
FOREIGN = {"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/guard.sh"}]}


@pytest.fixture(autouse=True)
def _no_client_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "DCTX_HOOKS", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with nothing for a client in it."""
    return write(tmp_path / "project", {"PROJECT.md": "# A project\n"})


def home() -> Path:
    return Path(os.environ["HOME"])


def place(folder: Path, client: str, scope: str) -> Path:
    """Where hooks go as long as dctx is called by its place in full."""
    row = CLIENTS[client]
    if scope == "--user":
        return home() / row.user_settings
    return folder / (".claude/settings.local.json" if client == "claude" else row.settings)


def tree(*folders: Path) -> dict[str, bytes]:
    """Every file and folder, except what dctx keeps for itself."""
    paths = [
        path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if ".local" not in path.parts
    ]
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in paths}


def own_settings(text: str = '{\n    "theme": "dark"\n}') -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return make


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_install_writes_the_clients_hooks_and_uninstall_leaves_no_trace(
    client: str, scope: str, folder: Path, dctx: Dctx
) -> None:
    before = tree(folder, home())
    shown = dctx("agents", "install", "--client", client, scope, "--dry-run", cwd=folder).out
    done = dctx("agents", "install", "--client", client, scope, "--yes", cwd=folder)
    agents = 2 * bool(CLIENTS[client].agent_file)
    assert done.code == 0 and len(done.out.splitlines()) == 1 + agents
    text = place(folder, client, scope).read_text()
    assert own_entries(text, CLIENTS[client]) == hook_entries(CLIENTS[client], program())
    assert json.loads(text).get("version") == CLIENTS[client].frame.get("version")
    assert all(f"+{line}" in shown.splitlines() for line in text.splitlines())
    assert all(event in done.out for event in hook_entries(CLIENTS[client], program()))
    again = dctx("agents", "install", "--client", client, scope, "--yes", cwd=folder)
    assert (again.code, again.err) == (0, "")
    assert again.out == f"The hooks of {CLIENTS[client].title} are installed already.\n"
    assert place(folder, client, scope).read_text() == text
    assert dctx("agents", "remove", "--client", client, scope, "--yes", cwd=folder).code == 0
    assert tree(folder, home()) == before
    assert not list(home().rglob("receipt.json"))


@hypothesis_settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(CASES)
def test_install_and_uninstall_leave_a_settings_file_byte_for_byte(
    folder: Path, case: tuple[str, str]
) -> None:
    client, text = CLIENTS[case[0]], case[1]
    path = folder / client.settings
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    carry_out(plan_install(client, str(folder), False))
    carry_out(plan_install(client, str(folder), True))
    carry_out(plan_uninstall(client, str(folder)))
    assert path.read_bytes() == text.encode()
    assert not list(folder.glob(".claude/settings.local.json"))
    path.unlink()


def test_nothing_is_written_without_a_yes(folder: Path, dctx: Dctx) -> None:
    before = tree(folder, home())
    only = dctx("agents", "install", "--dry-run", cwd=folder)
    assert (only.code, only.out.splitlines()[0]) == (0, f"--- {os.devnull}")
    alone = process("agents", "install", cwd=folder)
    assert alone.code == 1
    assert "+++ .claude/settings.local.json" in alone.out
    assert "--yes" in alone.err
    assert tree(folder, home()) == before
    assert not (home() / ".local").exists()


@pytest.mark.skipif(os.name == "nt", reason="needs a terminal")
@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("\n", False), ("n\n", False)])
def test_on_a_terminal_it_asks(answer: str, written: bool, folder: Path) -> None:
    ours, theirs = os.openpty()
    os.write(ours, answer.encode())
    done = subprocess.run(
        [sys.executable, "-m", "director_ctx", "agents", "install"], cwd=folder, stdin=theirs, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60, check=False,
    )  # fmt: skip
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0
    assert "Write this? [y/N]" in done.stderr
    assert place(folder, "claude", "--project").exists() is written


def test_hooks_of_others_and_later_edits_stay(folder: Path, dctx: Dctx) -> None:
    path = own_settings(json.dumps({"hooks": {"PreToolUse": [FOREIGN]}, "model": "x"}, indent=4))(
        folder / ".claude/settings.local.json"
    )
    dctx("agents", "install", "--yes", cwd=folder)
    data = json.loads(path.read_text())
    assert data["hooks"]["PreToolUse"][0] == FOREIGN
    data["hooks"]["SessionStart"].append(FOREIGN)
    data["model"] = "y"
    path.write_text(json.dumps(data, indent=4))
    assert "already" in dctx("agents", "install", "--yes", cwd=folder).out
    dctx("agents", "remove", "--yes", cwd=folder)
    wanted = {"hooks": {"PreToolUse": [FOREIGN], "SessionStart": [FOREIGN]}, "model": "y"}
    assert path.read_text() == json.dumps(wanted, indent=4)


def test_what_was_empty_before_stays_and_what_we_made_goes(folder: Path, dctx: Dctx) -> None:
    path = own_settings('{"hooks": {"SessionStart": []}}')(folder / ".gemini/settings.json")
    dctx("agents", "install", "--client", "gemini", "--yes", cwd=folder)
    path.write_text(path.read_text().replace("{", '{"edited": true, ', 1))
    dctx("agents", "remove", "--client", "gemini", "--yes", cwd=folder)
    assert json.loads(path.read_text()) == {"edited": True, "hooks": {"SessionStart": []}}


def test_our_own_file_that_somebody_used_stays_with_what_they_wrote(
    folder: Path, dctx: Dctx
) -> None:
    path = place(folder, "claude", "--project")
    dctx("agents", "install", "--yes", cwd=folder)
    path.write_text(json.dumps({**json.loads(path.read_text()), "model": "x"}))
    dctx("agents", "remove", "--yes", cwd=folder)
    assert path.read_text() == '{"model": "x"}'
    dctx("agents", "install", "--yes", cwd=folder)
    dctx("agents", "remove", "--yes", cwd=folder)
    assert path.read_text() == '{"model": "x"}'


def test_our_own_file_goes_even_if_it_was_written_anew(folder: Path, dctx: Dctx) -> None:
    path = place(folder, "cursor", "--project")
    dctx("agents", "install", "--client", "cursor", "--yes", cwd=folder)
    path.write_text(json.dumps(json.loads(path.read_text())))
    dctx("agents", "remove", "--client", "cursor", "--yes", cwd=folder)
    assert not path.parent.exists()


def test_an_empty_folder_stays_if_it_was_there_and_goes_if_we_made_it(
    folder: Path, dctx: Dctx
) -> None:
    for made in (True, False):
        if not made:
            (folder / ".claude").mkdir()
        dctx("agents", "install", "--yes", cwd=folder)
        dctx("agents", "install", "--prompts", "--yes", cwd=folder)
        dctx("agents", "remove", "--yes", cwd=folder)
        assert (folder / ".claude").exists() is not made


def test_a_folder_with_other_things_in_it_stays(folder: Path, dctx: Dctx) -> None:
    dctx("agents", "install", "--yes", cwd=folder)
    (folder / ".claude/rules").mkdir()
    dctx("agents", "remove", "--yes", cwd=folder)
    assert os.listdir(folder / ".claude") == ["rules"]


def test_installing_otherwise_replaces_exactly_our_entries(folder: Path, dctx: Dctx) -> None:
    text = json.dumps({"hooks": {"PreToolUse": [FOREIGN]}})
    path = own_settings(text)(folder / ".claude/settings.local.json")
    dctx("agents", "install", "--yes", cwd=folder)
    assert "UserPromptSubmit" not in json.loads(path.read_text())["hooks"]
    done = dctx("agents", "install", "--prompts", "--yes", cwd=folder)
    hooks = json.loads(path.read_text())["hooks"]
    assert done.code == 0
    assert hooks["PreToolUse"][0] == FOREIGN and len(hooks["PreToolUse"]) == 2
    assert "UserPromptSubmit" in hooks
    dctx("agents", "remove", "--yes", cwd=folder)
    assert path.read_text() == text


def test_entries_of_another_dctx_are_replaced(folder: Path, dctx: Dctx) -> None:
    client = CLIENTS["codex"]
    old = {"hooks": hook_entries(client, ("/gone/venv/bin/dctx",), prompts=True)}
    path = own_settings(json.dumps(old))(folder / client.settings)
    dctx("agents", "install", "--client", "codex", "--yes", cwd=folder)
    assert json.loads(path.read_text()) == {"hooks": hook_entries(client, program())}
    dctx("agents", "remove", "--client", "codex", "--yes", cwd=folder)
    assert json.loads(path.read_text()) == {}


def test_the_file_as_it_was_is_kept_outside_the_repository(folder: Path, dctx: Dctx) -> None:
    commit(folder, "All of it", {".gemini/settings.json": '{"a": 1}'})
    done = dctx("agents", "install", "--client", "gemini", "--yes", cwd=folder)
    assert git(folder, "status", "--short", "--", ".gemini/settings.json").startswith("M ")
    [copy] = home().rglob("settings.json")
    assert copy.read_text() == '{"a": 1}'
    assert str(copy.relative_to(home())) in done.err


BROKEN = {
    "broken": (b'{"a": }', "line 1"),
    "cut off": (b'{"hooks": {', "line 1"),
    "a list": (b"[]", "not an object"),
    "hooks is a list": (b'{"hooks": []}', "not an object"),
    "an event is an object": (b'{"hooks": {"SessionStart": {}}}', "not a list"),
    "not text": (b'\xff\xfe{\x00}\x00', "UTF-8"),
    "comments": (b'{\n  "a": 1 // one\n}', "comments"),
    "a comma at the end": (b'{"a": 1,}', "comma"),
    "too deep": (b'{"a": ' + b"[" * 5000, "deeply"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_edited_is_one_sentence_and_stays(
    name: str, folder: Path, dctx: Dctx
) -> None:
    data, said = BROKEN[name]
    path = own_settings()(folder / ".claude/settings.local.json")
    path.write_bytes(data)
    for command in ("install", "install --dry-run"):
        done = dctx("agents", *command.split(), "--yes", cwd=folder)
        assert done.code == 1
        assert said in done.err and "hint:" in done.err
        assert done.err.count("\n") == 2
    assert path.read_bytes() == data


def test_gemini_settings_keep_their_comments(folder: Path, dctx: Dctx) -> None:
    text = '{\n  // the model\n  "model": {"name": "x"} // fast\n}\n'
    path = own_settings(text)(folder / ".gemini/settings.json")
    dctx("agents", "install", "--client", "gemini", "--yes", cwd=folder)
    assert "// the model" in path.read_text()
    assert '"model": {"name": "x"}, // fast\n  "hooks": {' in path.read_text()
    dctx("agents", "remove", "--client", "gemini", "--yes", cwd=folder)
    assert path.read_text() == text


def test_something_else_in_the_files_place_is_told(folder: Path, dctx: Dctx) -> None:
    (folder / ".claude/settings.local.json").mkdir(parents=True)
    done = dctx("agents", "install", "--yes", cwd=folder)
    assert done.code == 1
    assert "cannot be read" in done.err
    (folder / ".gemini").write_text("a file")
    done = dctx("agents", "install", "--client", "gemini", "--yes", cwd=folder)
    assert done.code == 1
    assert "hint" in done.err
    assert (folder / ".gemini").read_text() == "a file"


@needs_permissions
def test_a_file_that_may_not_be_written_is_left_alone(folder: Path, dctx: Dctx) -> None:
    path = own_settings()(folder / ".claude/settings.local.json")
    path.chmod(0o444)
    done = dctx("agents", "install", "--yes", cwd=folder)
    assert done.code == 1
    assert "could not be written" in done.err
    assert path.read_text() == '{\n    "theme": "dark"\n}'
    path.chmod(0o600)
    dctx("agents", "install", "--yes", cwd=folder)
    assert path.stat().st_mode & 0o777 == 0o600


@needs_permissions
def test_nothing_is_written_where_no_copy_can_be_kept(
    folder: Path, dctx: Dctx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o500)
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    done = dctx("agents", "install", "--yes", cwd=folder)
    assert done.code == 1
    assert "XDG_STATE_HOME" in done.err
    assert not (folder / ".claude").exists()


def test_a_link_is_followed_and_stays_a_link(folder: Path, dctx: Dctx, tmp_path: Path) -> None:
    real = own_settings()(tmp_path / "dotfiles/claude.json")
    link = home() / ".claude/settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    done = dctx("agents", "install", "--user", "--yes", cwd=folder)
    assert str(real) in done.out
    assert link.is_symlink()
    assert own_entries(real.read_text(), CLIENTS["claude"])
    dctx("agents", "remove", "--user", "--yes", cwd=folder)
    assert link.is_symlink()
    assert real.read_text() == '{\n    "theme": "dark"\n}'


LEADS_OUT = "leads out of the project.\n  hint: Remove the link, or use --user."


@pytest.mark.parametrize("command", ["install", "remove"])
@pytest.mark.parametrize("link", [".gemini", ".gemini/settings.json"])
def test_a_link_out_of_the_project_is_told_and_not_followed(
    link: str, command: str, folder: Path, dctx: Dctx
) -> None:
    if command == "remove":
        dctx("agents", "install", "--client", "gemini", "--user", "--yes", cwd=folder)
    (home() / ".gemini").mkdir(exist_ok=True)
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(home() / link)
    before = tree(home())
    done = dctx("agents", command, "--client", "gemini", "--yes", cwd=folder)
    assert done.code == 1 and LEADS_OUT in done.err, done
    assert f"(a link to {os.path.realpath(home())}/.gemini/settings.json)" in done.err
    assert tree(home()) == before


def test_a_link_out_of_the_project_in_which_nothing_is_ours_keeps_nobody_from_the_other_file(
    folder: Path, dctx: Dctx
) -> None:
    own_settings()(home() / "shared.json")
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").symlink_to(home() / "shared.json")
    assert dctx("agents", "install", "--yes", cwd=folder).code == 0
    assert dctx("agents", "remove", "--yes", cwd=folder).code == 0


@pytest.mark.parametrize("link", [".gemini", ".gemini/settings.json"])
def test_a_link_that_stays_in_the_project_is_followed_and_stays(
    link: str, folder: Path, dctx: Dctx
) -> None:
    real = own_settings()(folder / "tools" / link / ("settings.json" if link == ".gemini" else ""))
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(folder / "tools" / link)
    linked = folder.parent / "a link to it"
    linked.symlink_to(folder)
    assert dctx("agents", "install", "--client", "gemini", "--yes", "--root", str(linked)).code == 0
    assert own_entries(real.read_text(), CLIENTS["gemini"]) and (folder / link).is_symlink()
    assert dctx("agents", "remove", "--client", "gemini", "--yes", cwd=folder).code == 0
    assert real.read_text() == '{\n    "theme": "dark"\n}' and (folder / link).is_symlink()


@pytest.mark.parametrize(
    "line", ["dctx hook --client gemini; notify-send done && ./my-backup.sh", "a; dctx hook"]
)
def test_what_somebody_added_to_a_line_of_ours_is_theirs_and_stays(
    line: str, folder: Path, dctx: Dctx
) -> None:
    groups = [{"hooks": [{"type": "command", "command": line}]}, None]
    text = json.dumps({"hooks": {"SessionStart": groups}})
    path = own_settings(text)(folder / ".gemini/settings.json")
    dctx("agents", "remove", "--client", "gemini", "--yes", cwd=folder)
    assert path.read_text() == text
    dctx("agents", "install", "--client", "gemini", "--yes", cwd=folder)
    shutil.rmtree(home() / ".local")
    dctx("agents", "remove", "--client", "gemini", "--yes", cwd=folder)
    assert json.loads(path.read_text()) == json.loads(text)


def test_status_knows_a_file_that_the_client_passes_over(folder: Path, dctx: Dctx) -> None:
    dctx("agents", "install", "--yes", cwd=folder)
    path = place(folder, "claude", "--project")
    path.write_text("// mine\n" + path.read_text())
    done = dctx("agents", "status", cwd=folder)
    assert done.code == 1
    assert "passes over the whole file" in done.out
    assert dctx("agents", "remove", "--yes", cwd=folder).code == 0
    assert path.read_text() == "// mine\n{}\n"


@pytest.mark.parametrize(
    ("client", "variable"), [("claude", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")]
)
def test_a_clients_folder_may_be_elsewhere(
    client: str, variable: str, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "else where"))
    assert dctx("agents", "install", "--client", client, "--user", "--yes", cwd=tmp_path).code == 0
    made = {path.name for path in (tmp_path / "else where").iterdir()}
    assert made == {Path(CLIENTS[client].settings).name, "agents"}


def test_two_at_once_install_once(folder: Path) -> None:
    own_settings()(place(folder, "claude", "--project"))
    command = [sys.executable, "-m", "director_ctx", "agents", "install", "--yes"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE) for _ in range(4)
    ]
    assert [one.communicate()[0] is not None and one.returncode for one in running] == [0] * 4
    client = CLIENTS["claude"]
    assert own_entries(place(folder, "claude", "--project").read_text(), client) == hook_entries(
        client, program()
    )
    carry_out(plan_uninstall(client, str(folder)))
    assert place(folder, "claude", "--project").read_text() == '{\n    "theme": "dark"\n}'


def test_one_writer_waits_for_another(folder: Path) -> None:
    command = [sys.executable, "-m", "director_ctx", "agents", "install", "--yes"]
    with only_writer():
        second = subprocess.Popen(
            command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE
        )
        assert second.stdout and second.stdout.readline().startswith(
            b"Claude Code, .claude/settings.local.json: "
        )
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(0.5)
        assert not (folder / ".claude").exists()
    second.communicate(timeout=60)
    assert second.returncode == 0
    assert (folder / ".claude").exists()


def test_a_file_that_changed_since_it_was_shown_is_not_written(folder: Path, dctx: Dctx) -> None:
    path = own_settings()(folder / ".gemini/settings.json")
    changes = plan_install(CLIENTS["gemini"], str(folder), False)
    path.write_text('{"by": "somebody"}')
    with pytest.raises(Exception, match="changed meanwhile"):
        carry_out(changes)
    assert path.read_text() == '{"by": "somebody"}'


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
sys.exit(main(["agents", "{command}", "--yes", *{more}]))
"""


@pytest.mark.skipif(os.name == "nt", reason="paths are POSIX")
@pytest.mark.parametrize("original", [None, "{ }", '{"theme":"dark"}'])
@pytest.mark.parametrize("more", [[], ["--prompts"]])
def test_a_kill_before_the_last_move_loses_nothing(
    original: str | None, more: list[str], folder: Path, dctx: Dctx
) -> None:
    path = place(folder, "claude", "--project")
    if original:
        own_settings(original)(path)
    if more:
        dctx("agents", "install", "--yes", cwd=folder)
    before = read_settings(str(path))
    code = KILLED.format(command="install", more=more)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, check=False).returncode
        == 9
    )
    assert read_settings(str(path)) == before
    assert dctx("agents", "install", "--prompts", "--yes", cwd=folder).code == 0
    assert dctx("agents", "remove", "--yes", cwd=folder).code == 0
    assert read_settings(str(path)) == original


def test_a_receipt_that_makes_no_sense_is_done_without(folder: Path, dctx: Dctx) -> None:
    path = own_settings()(place(folder, "claude", "--project"))
    dctx("agents", "install", "--yes", cwd=folder)
    [receipt] = [found for found in home().rglob("receipt.json") if "-agent" not in str(found)]
    for nonsense in (
        "",
        "[]",
        '{"existed": true}',
        '{"existed": true, "written": 7, "made_folder": 0}',
    ):
        receipt.write_text(nonsense)
        dctx("agents", "remove", "--yes", cwd=folder)
        assert path.read_text() == '{\n    "theme": "dark"\n}'
        dctx("agents", "install", "--yes", cwd=folder)


@pytest.fixture
def installed_program(tmp_path: Path) -> Iterator[Path]:
    """A dctx in a folder with blanks and letters of its own, as pipx would put it."""
    script = tmp_path / "my progräms" / "dctx"
    script.parent.mkdir()
    script.write_text(
        f"#!/bin/sh\n''':'\nPYTHONPATH='{ROOT}' exec '{sys.executable}' \"$0\" \"$@\"\n'''\n"
        "import sys\nfrom director_ctx.doors.cli.main import main\nsys.exit(main())\n"
    )
    script.chmod(0o755)
    yield script


def run(program: Path, folder: Path, path: str, *arguments: str) -> None:
    env = {**os.environ, "PATH": path}
    subprocess.run(
        [program, *arguments], cwd=folder, env=env, check=True, capture_output=True, timeout=60
    )


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_a_program_that_is_on_the_path_is_called_by_name_in_settings_that_can_be_shared(
    installed_program: Path, folder: Path
) -> None:
    path = f"{installed_program.parent}{os.pathsep}{os.environ['PATH']}"
    run(installed_program, folder, path, "agents", "install", "--yes")
    [group] = json.loads((folder / ".claude/settings.json").read_text())["hooks"]["PreToolUse"]
    assert handler_words(group["hooks"][0])[:2] == ["dctx", "hook"]
    run(installed_program, folder, os.environ["PATH"], "agents", "install", "--yes")
    assert not (folder / ".claude/settings.json").exists()
    [group] = json.loads((folder / ".claude/settings.local.json").read_text())["hooks"][
        "PreToolUse"
    ]
    assert handler_words(group["hooks"][0])[:2] == [str(installed_program), "hook"]
    run(installed_program, folder, os.environ["PATH"], "agents", "remove", "--yes")
    assert not (folder / ".claude").exists()


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("conda", [True, False])
def test_a_program_in_an_environment_of_conda_is_called_by_its_place(
    conda: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no virtual environment, and as seldom on everybody's PATH."""
    own = tmp_path / "conda" / "bin" / "dctx"
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    (tmp_path / "conda" / ("conda-meta" if conda else "other")).mkdir()
    monkeypatch.setenv("PATH", str(own.parent))
    monkeypatch.setattr(sys, "argv", [str(own)])
    for name in ("prefix", "base_prefix"):
        monkeypatch.setattr(sys, name, str(tmp_path / "conda"))
    assert program() == ((str(own),) if conda else ("dctx",))


OWN = Path(sys.prefix) / "bin" / "dctx"


@pytest.mark.skipif(
    sys.prefix == sys.base_prefix or not OWN.exists(), reason="not in a virtual environment"
)
def test_a_program_in_a_virtual_environment_is_called_by_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(OWN.parent))
    assert program() == (str(OWN),)


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("client", ["codex", "gemini", "cursor"])
def test_a_command_with_blanks_runs_in_a_shell(
    client: str, installed_program: Path, folder: Path
) -> None:
    run(
        installed_program,
        folder,
        os.environ["PATH"],
        "agents",
        "install",
        "--client",
        client,
        "--yes",
    )
    entries = own_entries((folder / CLIENTS[client].settings).read_text(), CLIENTS[client])
    group = next(iter(entries.values()))[0]
    command = group.get("hooks", [group])[0]["command"]
    done = subprocess.run(
        ["sh", "-c", command], input=b"{}", capture_output=True, timeout=60, check=False, cwd="/"
    )
    assert (done.returncode, done.stderr) == (0, b"")


PLUGIN = json.dumps({"enabledPlugins": {"dctx@market": True, "other@market": True}})


def test_hooks_that_the_plugin_brings_are_not_installed_twice(folder: Path, dctx: Dctx) -> None:
    own_settings(PLUGIN)(home() / ".claude/settings.json")
    for scope in SCOPES:
        done = dctx("agents", "install", scope, "--yes", cwd=folder)
        assert done.code == 1
        assert "plugin" in done.err
    assert dctx("agents", "install", "--client", "gemini", "--yes", cwd=folder).code == 0
    assert "plugin" in dctx("agents", "status", cwd=folder).out
    own_settings('{"enabledPlugins": {"dctx@market": false}}')(
        folder / ".claude/settings.local.json"
    )
    assert dctx("agents", "install", "--yes", cwd=folder).code == 0


def test_all_means_the_clients_that_are_used_here(
    folder: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = folder / "bin"
    programs.mkdir()
    (programs / "codex").write_text("#!/bin/sh\n")
    (programs / "codex").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    own_settings("{,}")(folder / ".gemini/settings.json")
    done = dctx("agents", "install", "--client", "all", "--yes", cwd=folder)
    assert done.code == 1
    assert "Claude Code does not seem to be used here; skipped." in done.err
    assert "Cursor does not seem to be used here; skipped." in done.err
    assert ".gemini/settings.json is not JSON" in done.err
    assert (folder / ".codex/hooks.json").exists()
    assert "/hooks" in done.err
    assert not (folder / ".claude").exists()


def test_the_same_hooks_for_every_project_too_are_told(folder: Path, dctx: Dctx) -> None:
    dctx("agents", "install", "--user", "--yes", cwd=folder)
    assert "also in ~/.claude/settings.json" in dctx("agents", "install", "--yes", cwd=folder).err
    assert "they run twice" in dctx("agents", "status", cwd=folder).out
    assert status(dctx, folder)["twice"] == ["claude"]


def test_the_same_hooks_for_this_project_too_are_told(folder: Path, dctx: Dctx) -> None:
    dctx("agents", "install", "--yes", cwd=folder)
    done = dctx("agents", "install", "--user", "--yes", cwd=folder)
    assert "also in .claude/settings.local.json, so they run twice" in done.err
    assert "dctx agents remove --client claude --project" in done.err
    dctx("agents", "remove", "--yes", cwd=folder)
    assert "twice" not in dctx("agents", "status", cwd=folder).out


@pytest.mark.parametrize("words", ["--what bogus", "--client bogus"])
@pytest.mark.parametrize("command", ["install", "remove", "verify"])
def test_a_value_that_there_is_not_is_a_mistake_of_the_command_line(
    words: str, command: str, folder: Path, dctx: Dctx
) -> None:
    done = dctx("agents", command, *words.split(), cwd=folder)
    assert done.code == 2 and not (folder / ".claude").exists()


def test_what_comes_next_is_said_after_an_install_only(folder: Path, dctx: Dctx) -> None:
    (folder.parent / "new").mkdir()
    dctx("init", cwd=folder.parent / "new")
    vision = (folder.parent / "new/.director/VISION.md").read_text()
    write(folder, {"VISION.md": vision, "dctx.yaml": "hooks:\n  agents:\n    worker: builder\n"})
    done = dctx("agents", "install", "--yes", cwd=folder)
    assert (
        "dctx-*, dctx:* and director:director-* (by their names), worker (builder); a general-purpose "
        "agent, where its prompt names a task or asks for the next one; any other type: nothing"
    ) in done.err
    assert MAP in done.err
    assert "VISION.md is still a template" in done.err and "Start Claude Code anew" in done.err
    assert "Start" not in dctx("agents", "install", "--yes", cwd=folder).err
    assert "Start" not in dctx("agents", "remove", "--dry-run", cwd=folder).err
    removed = dctx("agents", "remove", "--yes", cwd=folder).out
    assert "Claude Code, .claude/settings.local.json: no hooks of dctx any more.\n" in removed
    write(
        folder,
        {
            "VISION.md": "# Vision\n\nA thing.\n",
            "dctx.yaml": "hooks:\n  agents:\n    default: builder\n",
        },
    )
    done = dctx("agents", "install", "--client", "codex", "--yes", cwd=folder)
    assert "template" not in done.err and "default (builder)" in done.err


def test_the_command_that_is_shown_maps_a_type(folder: Path, dctx: Dctx) -> None:
    words = MAP.replace("TYPE", "reviewer").split()[1:]
    assert dctx(*words, cwd=folder).code == 0
    assert status(dctx, folder)["agents"] == {"reviewer": "builder"}


def test_settings_that_cannot_be_read_are_told(folder: Path, dctx: Dctx) -> None:
    write(folder, {"dctx.yaml": "hooks: [\n"})
    done = dctx("agents", "install", "--yes", cwd=folder)
    assert (
        done.code == 0
        and "Hooks give nothing as long as this is so: .director/dctx.yaml is not valid YAML"
        in done.err
    )
    shown = dctx("agents", "status", cwd=folder)
    assert (
        shown.code == 1
        and "Hooks give nothing as long as this is so: .director/dctx.yaml" in shown.out
    )
    assert "not valid YAML" in status(dctx, folder)["problem"]


def test_status_says_which_agents_are_given_what(folder: Path, dctx: Dctx) -> None:
    assert (
        "Given a context: dctx-*, dctx:* and director:director-* (by their names); a general-purpose "
        "agent, where its prompt names a task or asks for the next one; any other type: nothing."
    ) in dctx("agents", "status", cwd=folder).out
    write(folder, {"dctx.yaml": "hooks: {agents: {lazy: never, worker: always}}\n"})
    done = dctx("agents", "status", cwd=folder)
    assert "lazy (nothing), worker (builder); a general-purpose" in done.out
    assert status(dctx, folder)["agents"] == {"lazy": "", "worker": "builder"}


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
    said = [one["said"] for one in status(dctx, folder)["log"]]
    assert said == [*lines][1:5]
    session = [{"session": "s", "head": "", "time": f"{ago(hours=2)[:16].replace('T', ' ')} UTC"}]
    write(
        folder, {"VISION.md": "# Vision\n\nA thing.\n", ".dctx/session.json": json.dumps(session)}
    )
    assert dctx("assemble", "mapper", cwd=folder).code == 0
    record = folder / ".director/.dctx/runs.jsonl"
    [line] = record.read_text().splitlines()
    record.write_text(json.dumps({**json.loads(line), "time": ago(days=9)}) + "\n")
    assert [one["said"] for one in status(dctx, folder)["log"]] == [[*lines][1], *[*lines][3:5]]
    record.write_text(json.dumps({**json.loads(line), "time": ago(hours=2)}) + "\n")
    assert [one["said"] for one in status(dctx, folder)["log"]] == [*lines][3:5]


def test_tabs_in_a_patch_stay_tabs(folder: Path, dctx: Dctx) -> None:
    own_settings('{\n\t"theme": "dark"\n}\n')(folder / ".claude/settings.local.json")
    out = dctx("agents", "install", "--dry-run", cwd=folder).out
    assert (
        ' \t"theme": "dark"' in out.replace("-\t", " \t") and "\N{REPLACEMENT CHARACTER}" not in out
    )


@pytest.mark.parametrize("ignored", [True, False])
def test_a_place_in_full_that_git_would_take_is_told(
    ignored: bool, folder: Path, dctx: Dctx
) -> None:
    assert "Keep it out of git" not in dctx("agents", "install", "--dry-run", cwd=folder).err
    commit(folder, "All of it", {".gitignore": "settings.local.json\n" if ignored else "other\n"})
    assert (
        "Keep it out of git" in dctx("agents", "install", "--yes", cwd=folder).err
    ) is not ignored


def test_a_project_is_needed_for_project_hooks_only(tmp_path: Path, dctx: Dctx) -> None:
    assert dctx("agents", "install", "--yes", cwd=tmp_path).code == 1
    assert dctx("agents", "install", "--user", "--yes", cwd=tmp_path).code == 0
    assert dctx("agents", "status", cwd=tmp_path).code == 0
    assert dctx("agents", "install", "--user", "--project", cwd=tmp_path).code == 2
    assert list(tmp_path.iterdir()) == []


def ago(**time: float) -> str:
    """A moment as hooks write it down."""
    return (datetime.now(UTC) - timedelta(**time)).strftime("%Y-%m-%dT%H:%M:%SZ")


def status(dctx: Dctx, folder: Path) -> Any:
    return json.loads(dctx("agents", "status", "--json", cwd=folder).out)


def test_status_says_what_is_installed_where(folder: Path, dctx: Dctx) -> None:
    nothing: dict[str, Any] = {
        "installed": [],
        "off": [],
        "twice": [],
        "idle": [],
        "agents": {},
        "agent_files": [],
    }
    assert status(dctx, folder) == {
        **nothing,
        "unknown": [],
        "not_agreed": [],
        "problem": "",
        "log": [],
        "skills": [],
        "rules": [],
        "servers": [],
        "without_tools": [],
    }
    dctx("agents", "install", "--user", "--prompts", "--yes", cwd=folder)
    dctx("agents", "install", "--client", "cursor", "--yes", cwd=folder)
    one, two = status(dctx, folder)["installed"]
    assert (one["client"], one["scope"], one["path"]) == (
        "claude",
        "user",
        "~/.claude/settings.json",
    )
    assert (two["client"], two["scope"], two["path"]) == ("cursor", "project", ".cursor/hooks.json")
    assert one["events"] == [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "SubagentStop",
        "StopFailure",
        "SessionStart",
        "UserPromptSubmit",
        "PreCompact",
        "SessionEnd",
    ]
    assert one["command"] == list(program())
    assert one["works"] and one["current"] and two["works"] and two["current"]
    shown = dctx("agents", "status", cwd=folder)
    assert shown.code == 0
    assert "claude, every project: ~/.claude/settings.json" in shown.out


def test_status_finds_what_cannot_work(
    folder: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = CLIENTS["claude"]
    entries = hook_entries(client, ("/gone/dctx",))
    del entries["SessionEnd"]
    own_settings(json.dumps({"hooks": entries}))(folder / ".claude/settings.json")
    own_settings("{,}")(home() / ".gemini/settings.json")
    corner = folder / ".director/.dctx"
    corner.mkdir()
    (corner / "hooks.log").write_text("".join(f"{ago(hours=2)} line {n}\n" for n in range(9)))
    monkeypatch.setenv("DCTX_HOOKS", "off")
    done = dctx("agents", "status", cwd=folder)
    assert done.code == 1
    assert "calls /gone/dctx, which is not there" in done.out
    assert "brings it up to date" in done.out
    assert "column 2" in done.out
    assert "DCTX_HOOKS=off" in done.out
    assert "  2 hours ago: line 8" in done.out and "line 0" not in done.out
    data = status(dctx, folder)
    assert [one["current"] for one in data["installed"] if one["events"]] == [False]
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
    own_settings(texts[way])(folder / ".claude/settings.json")
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
    assert dctx("agents", "status", cwd=folder).code == 0
    for printed in (
        "Claude Code, .claude/settings.local.json: PreToolUse",
        "are installed already",
    ):
        done = dctx("agents", "install", "--yes", cwd=folder)
        assert done.code == 0 and said in done.err and printed in done.out, done
    done = dctx("agents", "status", cwd=folder)
    assert done.code == 1 and said in done.out


def test_hooks_of_which_none_waits_for_agents_are_told(folder: Path, dctx: Dctx) -> None:
    entries = hook_entries(CLIENTS["claude"], program())
    del entries["PreToolUse"]
    own_settings(json.dumps({"hooks": entries}))(folder / ".claude/settings.json")
    done = dctx("agents", "status", cwd=folder)
    assert (
        done.code == 1
        and "none of its hooks waits for a spawned agent, so no agent is given anything" in done.out
    )
    assert status(dctx, folder)["idle"] == ["claude"]
    dctx("agents", "install", "--user", "--yes", cwd=folder)
    assert status(dctx, folder)["idle"] == []


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
        assert status(dctx, folder)["unknown"] == [kind]
        path = home() / name[2:] if name.startswith("~/") else folder / name
        own_settings(text)(path)
    assert status(dctx, folder)["unknown"] == []


def test_a_type_that_no_client_has_is_told(folder: Path, dctx: Dctx) -> None:
    write(
        folder, {"dctx.yaml": "hooks:\n  agents:\n    generalpurpose: builder\n    lazzy: never\n"}
    )
    (folder / ".claude/agents").mkdir(parents=True)
    if os.name != "nt":
        os.mkfifo(folder / ".claude/agents/pipe.md")
    own_settings("name: generalpurpose\n")(folder / ".claude/agents/no-frontmatter.md")
    dctx("agents", "install", "--yes", cwd=folder)
    done = dctx("agents", "status", cwd=folder)
    assert (
        done.code == 0
        and (
            "generalpurpose is mapped, but there is no agent of that name: "
            "not built in, not in .claude/agents or ~/.claude/agents."
        )
        in done.out
    )
    assert "lazzy is mapped" not in done.out
    dctx("agents", "install", "--client", "cursor", "--yes", cwd=folder)
    assert status(dctx, folder)["unknown"] == []  # what agents Cursor has is not known


def test_status_runs_nothing_of_what_a_project_names(
    folder: Path, dctx: Dctx, tmp_path: Path
) -> None:
    trap = tmp_path / "dctx"
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    trap.chmod(0o755)
    entries = hook_entries(CLIENTS["claude"], (str(trap),))
    own_settings(json.dumps({"hooks": entries}))(folder / ".claude/settings.json")
    assert status(dctx, folder)["installed"][0]["works"]
    assert not (tmp_path / "ran").exists()


def test_names_from_files_cannot_speak_to_the_terminal(folder: Path, dctx: Dctx) -> None:
    text = json.dumps(
        {"hooks": {"\x1b[31mred": [{"hooks": [{"command": "dctx hook"}]}]}}, ensure_ascii=False
    )
    own_settings(text.replace("\\u001b", "\x1b"))(folder / ".codex/hooks.json")
    for command in (
        "status",
        "install --client codex --dry-run",
        "remove --client codex --dry-run",
    ):
        done = dctx("agents", *command.split(), cwd=folder)
        assert "\x1b" not in done.out + done.err


def test_an_edit_between_two_installs_survives_the_uninstall(folder: Path) -> None:
    client, path = CLIENTS["gemini"], folder / ".gemini/settings.json"
    own_settings('{"a": 1}')(path)
    carry_out(plan_install(client, str(folder), False))
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    carry_out(plan_install(client, str(folder), True))
    carry_out(plan_uninstall(client, str(folder)))
    assert path.read_text() == '{"a": 2}'


def test_what_is_kept_is_for_the_user_alone(folder: Path) -> None:
    path = own_settings('{"env": {"KEY": "secret"}}')(folder / "settings.json")
    write_settings(str(path), "{}", '{"env": {"KEY": "secret"}}')
    [receipt] = home().rglob("receipt.json")
    assert receipt.parent.stat().st_mode & 0o077 == 0
