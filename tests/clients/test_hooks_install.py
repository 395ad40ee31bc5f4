"""Hooks in settings: beside those of others, to the byte, and with the program that everybody finds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT, commit, write
from setting_up import VARIABLES, Dctx, home, hooks_file, put, show, take, written

from director_ctx.clients.entries import handler_words, hook_entries
from director_ctx.clients.program import program
from director_ctx.clients.settings_text import own_entries
from director_ctx.clients.table import CLIENTS

FOREIGN = {"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/guard.sh"}]}


@pytest.fixture(autouse=True)
def _no_client_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with nothing for a client in it."""
    return write(tmp_path / "project", {"PROJECT.md": "# A project\n"})


def test_hooks_of_others_and_later_edits_stay(folder: Path, dctx: Dctx) -> None:
    path = written(
        folder / ".claude/settings.local.json",
        json.dumps({"hooks": {"PreToolUse": [FOREIGN]}, "model": "x"}, indent=4),
    )
    put(dctx, folder, "hooks")
    data = json.loads(path.read_text())
    assert data["hooks"]["PreToolUse"][0] == FOREIGN
    data["hooks"]["SessionStart"].append(FOREIGN)
    data["model"] = "y"
    path.write_text(json.dumps(data, indent=4))
    assert "already" in put(dctx, folder, "hooks").out
    take(dctx, folder, "hooks")
    wanted = {"hooks": {"PreToolUse": [FOREIGN], "SessionStart": [FOREIGN]}, "model": "y"}
    assert path.read_text() == json.dumps(wanted, indent=4)


def test_what_was_empty_before_stays_and_what_we_made_goes(folder: Path, dctx: Dctx) -> None:
    path = written(folder / ".gemini/settings.json", '{"hooks": {"SessionStart": []}}')
    put(dctx, folder, "hooks", client="gemini")
    path.write_text(path.read_text().replace("{", '{"edited": true, ', 1))
    take(dctx, folder, "hooks", client="gemini")
    assert json.loads(path.read_text()) == {"edited": True, "hooks": {"SessionStart": []}}


def test_our_own_file_that_somebody_used_stays_with_what_they_wrote(
    folder: Path, dctx: Dctx
) -> None:
    path = hooks_file(folder, "claude")
    put(dctx, folder, "hooks")
    path.write_text(json.dumps({**json.loads(path.read_text()), "model": "x"}))
    take(dctx, folder, "hooks")
    assert path.read_text() == '{"model": "x"}'
    put(dctx, folder, "hooks")
    take(dctx, folder, "hooks")
    assert path.read_text() == '{"model": "x"}'


def test_our_own_file_goes_even_if_it_was_written_anew(folder: Path, dctx: Dctx) -> None:
    path = hooks_file(folder, "cursor")
    put(dctx, folder, "hooks", client="cursor")
    path.write_text(json.dumps(json.loads(path.read_text())))
    take(dctx, folder, "hooks", client="cursor")
    assert not path.parent.exists()


def test_installing_otherwise_replaces_exactly_our_entries(folder: Path, dctx: Dctx) -> None:
    text = json.dumps({"hooks": {"PreToolUse": [FOREIGN]}})
    path = written(folder / ".claude/settings.local.json", text)
    put(dctx, folder, "hooks")
    assert "UserPromptSubmit" not in json.loads(path.read_text())["hooks"]
    done = put(dctx, folder, "hooks", "--prompts", "--yes")
    hooks = json.loads(path.read_text())["hooks"]
    assert done.code == 0
    assert hooks["PreToolUse"][0] == FOREIGN and len(hooks["PreToolUse"]) == 2
    assert "UserPromptSubmit" in hooks
    take(dctx, folder, "hooks")
    assert path.read_text() == text


def test_entries_of_another_dctx_are_replaced(folder: Path, dctx: Dctx) -> None:
    client = CLIENTS["codex"]
    old = {"hooks": hook_entries(client, ("/gone/venv/bin/dctx",), prompts=True)}
    path = written(folder / client.settings, json.dumps(old))
    done = put(dctx, folder, "hooks", client="codex")
    assert "bring hooks for Codex CLI up to date in .codex/hooks.json" in done.out
    assert json.loads(path.read_text()) == {"hooks": hook_entries(client, program(), prompts=True)}
    take(dctx, folder, "hooks", client="codex")
    assert json.loads(path.read_text()) == {}


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
    path = written(folder / ".claude/settings.local.json")
    path.write_bytes(data)
    for how in ("--yes", "--dry-run"):
        done = put(dctx, folder, "hooks", how)
        assert done.code == 1
        assert "  cannot   put hooks for Claude Code in: " in done.out and said in done.out
    assert path.read_bytes() == data


def test_gemini_settings_keep_their_comments(folder: Path, dctx: Dctx) -> None:
    text = '{\n  // the model\n  "model": {"name": "x"} // fast\n}\n'
    path = written(folder / ".gemini/settings.json", text)
    put(dctx, folder, "hooks", client="gemini")
    assert "// the model" in path.read_text()
    assert '"model": {"name": "x"}, // fast\n  "hooks": {' in path.read_text()
    take(dctx, folder, "hooks", client="gemini")
    assert path.read_text() == text


def test_something_else_in_the_files_place_is_told(folder: Path, dctx: Dctx) -> None:
    (folder / ".claude/settings.local.json").mkdir(parents=True)
    done = put(dctx, folder, "hooks")
    assert done.code == 1 and "cannot be read" in done.out
    (folder / ".gemini").write_text("a file")
    done = put(dctx, folder, "hooks", client="gemini")
    assert done.code == 1 and "Mend that" in done.out + done.err
    assert (folder / ".gemini").read_text() == "a file"


@pytest.mark.parametrize(
    "line", ["dctx hook --client gemini; notify-send done && ./my-backup.sh", "a; dctx hook"]
)
def test_what_somebody_added_to_a_line_of_ours_is_theirs_and_stays(
    line: str, folder: Path, dctx: Dctx
) -> None:
    groups = [{"hooks": [{"type": "command", "command": line}]}, None]
    text = json.dumps({"hooks": {"SessionStart": groups}})
    path = written(folder / ".gemini/settings.json", text)
    take(dctx, folder, "hooks", client="gemini")
    assert path.read_text() == text
    put(dctx, folder, "hooks", client="gemini")
    shutil.rmtree(home() / ".local")
    take(dctx, folder, "hooks", client="gemini")
    assert json.loads(path.read_text()) == json.loads(text)


@pytest.mark.parametrize(
    ("client", "variable"), [("claude", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")]
)
def test_a_clients_folder_may_be_elsewhere(
    client: str, variable: str, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "else where"))
    assert put(dctx, tmp_path, "hooks,agents", "--user", "--yes", client=client).code == 0
    made = {path.name for path in (tmp_path / "else where").iterdir()}
    assert made == {Path(CLIENTS[client].settings).name, "agents"}


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


INSTALL = ("setup", "--what", "hooks", "--no-verify", "--yes")


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
    run(installed_program, folder, path, *INSTALL)
    [group] = json.loads((folder / ".claude/settings.json").read_text())["hooks"]["PreToolUse"]
    assert handler_words(group["hooks"][0])[:2] == ["dctx", "hook"]
    run(installed_program, folder, os.environ["PATH"], *INSTALL)
    assert not (folder / ".claude/settings.json").exists()
    [group] = json.loads((folder / ".claude/settings.local.json").read_text())["hooks"][
        "PreToolUse"
    ]
    assert handler_words(group["hooks"][0])[:2] == [str(installed_program), "hook"]
    run(
        installed_program, folder, os.environ["PATH"], "setup", "--undo", "--what", "hooks", "--yes"
    )
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
    words = (*INSTALL, "--client", client)
    run(installed_program, folder, os.environ["PATH"], *words)
    entries = own_entries((folder / CLIENTS[client].settings).read_text(), CLIENTS[client])
    group = next(iter(entries.values()))[0]
    command = group.get("hooks", [group])[0]["command"]
    done = subprocess.run(
        ["sh", "-c", command], input=b"{}", capture_output=True, timeout=60, check=False, cwd="/"
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("scopes", [((), ("--user",)), (("--user",), ())])
def test_hooks_in_both_scopes_are_told_and_a_second_time_not_made(
    scopes: tuple[tuple[str, ...], ...], folder: Path, dctx: Dctx
) -> None:
    done = [put(dctx, folder, "hooks", "--yes", *scope) for scope in scopes]
    both = scopes[0] == ()
    assert ("they run twice" in done[1].err) is both
    assert ("already  hooks for Claude Code are in ~/.claude" in done[1].out) is not both
    assert show(dctx, folder)["twice"] == ["claude"] * both
    if both:
        assert "dctx setup --undo --what hooks --client claude" in done[1].err
        take(dctx, folder, "hooks")
        assert "twice" not in dctx("agents", cwd=folder).out


@pytest.mark.parametrize("ignored", [True, False])
def test_a_place_in_full_that_git_would_take_is_told(
    ignored: bool, folder: Path, dctx: Dctx
) -> None:
    assert "Keep it out of git" not in put(dctx, folder, "hooks", "--dry-run").err
    commit(folder, "All of it", {".gitignore": "settings.local.json\n" if ignored else "other\n"})
    assert ("Keep it out of git" in put(dctx, folder, "hooks").err) is not ignored
