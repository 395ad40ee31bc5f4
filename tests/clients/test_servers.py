"""The server `dctx mcp` in every client's settings: in which file, how it is called, and what stays."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import commit, git, process, write
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from setting_up import VARIABLES, Dctx, changes, home, put, removals, show, take, tree

from director_ctx.clients.file_change import carry_out
from director_ctx.clients.parts.part import Wish
from director_ctx.clients.program import program
from director_ctx.clients.servers.description import described
from director_ctx.clients.servers.places import PLACES, server_files
from director_ctx.clients.table import CLIENTS


@pytest.fixture(autouse=True)
def _no_client_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "project", {"PROJECT.md": "# A project\n"})


def words_in(value: Any) -> list[str]:
    """The words by which a client starts the server dctx, wherever in its settings that is."""
    if not isinstance(value, dict):
        return []
    server = value.get("dctx")
    if isinstance(server, dict) and isinstance(server.get("command"), list):
        return list(server["command"])
    if isinstance(server, dict) and "command" in server:
        return [server["command"], *server["args"]]
    for inner in value.values():
        if words := words_in(inner):
            return words
    return []


def started_by(path: Path) -> list[str]:
    if path.suffix == ".toml":
        return words_in(tomllib.loads(path.read_text()))
    return words_in(json.loads(path.read_text()))


def shared_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As with a dctx that everybody finds: installed by pipx, or by uv."""
    programs = tmp_path / "programs"
    programs.mkdir()
    own = Path(program()[0])
    target = programs / "dctx"
    if len(program()) == 1:
        target.symlink_to(own)
    else:
        target.write_text("#!/bin/sh\n")
        target.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(programs), os.environ["PATH"])))
    monkeypatch.setattr("sys.argv", [str(target)])


# In and out


TABLES = st.lists(
    st.sampled_from(
        [
            "# Said of nothing.\n",
            "\n[mcp_servers]\n",
            'model = "o"  # why\n',
            '\n[projects."/a b"]\ntrust_level = "trusted"\n',
            '\n[mcp_servers.other]\ncommand = "x"\n\n[mcp_servers.other.env]\nKEY = "v"\n',
            '[tui]\nnote = """\n[mcp_servers.dctx]\ncommand = "no"\n"""\n',
            "\n# About the last one.\n[last]\nlist = [\n  1, # one\n]\n",
        ]
    ),
    unique=True,
).map(lambda parts: "".join(sorted(parts, key=lambda part: part.startswith(("\n", "[")))))


@hypothesis_settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(TABLES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_toml_file_keeps_every_byte_also_where_it_was_changed_meanwhile(
    folder: Path, text: str, line_end: str, changed: bool
) -> None:
    path = folder / ".codex/config.toml"
    path.parent.mkdir(exist_ok=True)
    text = text.replace("\n", line_end)
    path.write_bytes(text.encode())
    carry_out(changes("mcp", "codex", folder, Wish(areas="plan,tasks")))
    written = tomllib.loads(path.read_bytes().decode())
    assert written["mcp_servers"]["dctx"]["args"][-2:] == ["--write", "plan,tasks"]
    more = b""
    if changed:
        more = f"{line_end}# Mine.{line_end}[mine]{line_end}key = 1{line_end}".encode()
        path.write_bytes(path.read_bytes() + more)
    carry_out(removals("mcp", "codex", folder))
    assert path.read_bytes() == text.encode() + more
    path.unlink()


def test_comments_stay_where_a_client_allows_them(folder: Path, dctx: Dctx) -> None:
    path = folder / "opencode.jsonc"
    text = '{\n  // Ours.\n  "mcp": {\n    "other": {"type": "local", "command": ["x"]} // theirs\n  },\n}\n'
    path.write_text(text)
    assert put(dctx, folder, "mcp", client="opencode").code == 0
    assert "// Ours." in path.read_text() and "// theirs" in path.read_text()
    assert '"dctx"' in path.read_text() and not (folder / "opencode.json").exists()
    path.write_text(path.read_text() + "// more\n")
    assert take(dctx, folder, "mcp", client="opencode").code == 0
    assert path.read_text() == text + "// more\n"


# Which file, and which program


def test_a_dctx_that_everybody_finds_goes_into_the_file_that_a_project_shares(
    folder: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(dctx, folder, "mcp")
    assert started_by(home() / ".claude.json")[0] == program()[0]
    shared_program(monkeypatch, tmp_path)
    if program() != ("dctx",):
        pytest.skip("an environment of its own is never everybody's")
    put(dctx, folder, "mcp")
    assert started_by(folder / ".mcp.json") == ["dctx", "mcp"]
    assert not (home() / ".claude.json").exists()


def test_claude_code_knows_a_working_tree_by_the_name_of_its_repository(
    folder: Path, tmp_path: Path
) -> None:
    commit(folder, "first")
    git(folder, "worktree", "add", "-q", str(tmp_path / "other"))
    names = []
    for root in (folder, tmp_path / "other"):
        file = server_files(PLACES["claude"], str(root))[-1]
        names.append(file.keys[1])
    assert names == [str(folder.resolve())] * 2


def test_what_claude_code_remembers_is_kept_to_its_user(folder: Path, dctx: Dctx) -> None:
    put(dctx, folder, "mcp")
    assert os.name == "nt" or (home() / ".claude.json").stat().st_mode & 0o077 == 0


def test_what_claude_code_writes_down_meanwhile_stays(folder: Path, dctx: Dctx) -> None:
    path = home() / ".claude.json"
    known = {"projects": {str(folder.resolve()): {"allowedTools": ["Bash"]}, "/other": {}}}
    path.write_text(json.dumps(known, indent=2))
    put(dctx, folder, "mcp")
    # As the client does: all of it is read, and written anew.
    path.write_text(json.dumps({**json.loads(path.read_text()), "numStartups": 7}, indent=2))
    take(dctx, folder, "mcp")
    assert path.read_text() == json.dumps({**known, "numStartups": 7}, indent=2)


def test_what_agents_may_change_is_kept_unless_something_else_is_said(
    folder: Path, dctx: Dctx
) -> None:
    path = folder / ".vscode/mcp.json"

    def say(*more: str) -> str:
        assert put(dctx, folder, "mcp", "--yes", *more, client="vscode").code == 0
        return " ".join(started_by(path)[len(program()) :])

    assert say("--write", "plan, tasks") == say() == "mcp --write plan,tasks"
    assert say("--write", "") == "mcp"


# What it leaves alone


@pytest.mark.parametrize("client", ["claude", "codex", "opencode"])
def test_a_server_of_that_name_that_somebody_else_wrote_stays(
    client: str, folder: Path, dctx: Dctx
) -> None:
    path = folder / {"claude": ".mcp.json", "codex": ".codex/config.toml"}.get(
        client, "opencode.json"
    )
    text = {
        "claude": '{"mcpServers": {"dctx": {"command": "/opt/theirs", "args": ["mcp"]}}}',
        "codex": '[mcp_servers]\ndctx = {command = "/opt/theirs"}\n',
    }.get(client, '{"mcp": {"dctx": {"type": "remote", "url": "https://example.org"}}}')
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    done = put(dctx, folder, "mcp", client=client)
    assert done.code == 1 and "somebody else wrote" in done.out, done
    take(dctx, folder, "mcp", client=client)
    assert path.read_text() == text and not (home() / ".claude.json").exists()


def test_one_that_somebody_wrote_by_hand_is_as_good(folder: Path, dctx: Dctx) -> None:
    path = folder / ".mcp.json"
    text = '{"mcpServers":{"dctx":{"type":"stdio","command":"dctx","args":["mcp"],"env":{}}}}'
    path.write_text(text)
    done = put(dctx, folder, "mcp")
    assert done.code == 0 and "already  tools for Claude Code are in .mcp.json" in done.out
    other = put(dctx, folder, "mcp", "--write", "plan", "--yes")
    assert other.code == 1 and "somebody else wrote" in other.out
    take(dctx, folder, "mcp")
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("name", "client", "text", "said"),
    [
        (".mcp.json", "copilot", "{ no", "is not JSON as Copilot CLI reads it: line 1"),
        (".mcp.json", "copilot", '{"mcpServers": []}', "`mcpServers` in it is not an object"),
        (".mcp.json", "copilot", '// c\n{"a": 1}', "has comments"),
        (".codex/config.toml", "codex", "a = ", "is not TOML as Codex CLI reads it"),
        (".codex/config.toml", "codex", "mcp_servers = 1", "`mcp_servers` in it is not a table"),
        (".codex/config.toml", "codex", "mcp_servers = {}", "cannot be changed for certain"),
    ],
)
def test_a_file_that_cannot_be_changed_stays_and_one_sentence_says_why(
    name: str, client: str, text: str, said: str, folder: Path, dctx: Dctx
) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    done = put(dctx, folder, "mcp", client=client)
    assert done.code == 1 and said in done.out, done
    assert path.read_text() == text


# Told, and proven


def test_status_has_a_line_for_each_file_and_says_who_reads_it(folder: Path, dctx: Dctx) -> None:
    put(dctx, folder, "mcp", "--write", "plan", "--yes", client="copilot")
    told = dctx("agents", cwd=folder)
    assert told.code == 0
    assert "Tools, this project: .mcp.json (Claude Code, Copilot CLI)\n" in told.out
    assert "mcp --write plan\n" in told.out
    [server] = show(dctx, folder, "mcp")
    assert server["clients"] == ["claude", "copilot"] and server["writes"] == "plan"


def test_status_tells_a_program_that_is_gone_and_a_server_of_somebody_else(
    folder: Path, dctx: Dctx
) -> None:
    path = folder / ".cursor/mcp.json"
    path.parent.mkdir()
    file = server_files(PLACES["cursor"], str(folder))[0]
    gone = described(file, ("/gone/dctx",))
    path.write_text(json.dumps({"mcpServers": {"dctx": gone}}))
    told = dctx("agents", cwd=folder)
    assert told.code == 1 and "/gone/dctx mcp" in told.out and "which is not there" in told.out
    assert "`dctx setup --what mcp --client cursor` brings it up to date" in told.out
    path.write_text('{"mcpServers": {"dctx": {"command": "/opt/theirs", "args": ["serve"]}}}')
    told = dctx("agents", cwd=folder)
    assert told.code == 0 and "calls /opt/theirs serve, which is not dctx" in told.out


@pytest.mark.parametrize("client", ["claude", "cursor", "codex", "opencode"])
def test_a_server_is_proven_by_its_answer(client: str, folder: Path, dctx: Dctx) -> None:
    put(dctx, folder, "mcp", client=client)
    proven = process("agents", "verify", "--client", client, "--replay", cwd=folder)
    [line] = [line for line in proven.out.splitlines() if ", server: " in line]
    assert line.startswith(f"proven   {PLACES[client].title}, server: ")
    assert line.endswith("answers with 6 tools.")
    assert client != "opencode" or proven.code == 0


def test_with_a_server_alone_hooks_are_no_must(folder: Path, dctx: Dctx) -> None:
    put(dctx, folder, "mcp")
    proven = process("agents", "verify", "--replay", cwd=folder)
    assert proven.code == 0 and "FAILED" not in proven.out, proven


def test_a_program_that_a_project_brings_is_looked_at_and_not_run(
    folder: Path, tmp_path: Path, dctx: Dctx
) -> None:
    trap = folder / "dctx"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    server = {"command": str(trap), "args": ["mcp"]}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"dctx": server}}))
    told = dctx("agents", "verify", "--replay", cwd=folder)
    assert told.code == 1 and "looked at, not run" in told.out
    assert not (tmp_path / "sprung").exists()


# Set up


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_setup_tells_the_client_of_the_tools_and_takes_it_back(
    client: str, folder: Path, dctx: Dctx
) -> None:
    before = tree(folder, home())
    done = dctx("setup", "--client", client, "--yes", "--no-verify", cwd=folder)
    assert f"put tools for {PLACES[client].title} into" in done.out
    again = dctx("setup", "--client", client, "--yes", "--no-verify", cwd=folder)
    assert f"already  tools for {PLACES[client].title} are in" in again.out
    assert dctx("setup", "--undo", "--yes", cwd=folder).code == 0
    assert tree(folder, home()) == before


def test_a_server_that_was_there_before_stays_when_setup_is_undone(
    folder: Path, dctx: Dctx
) -> None:
    text = '{"mcpServers": {"dctx": {"command": "dctx", "args": ["mcp"]}}}'
    (folder / ".mcp.json").write_text(text)
    dctx("setup", "--client", "claude", "--yes", "--no-verify", cwd=folder)
    assert dctx("setup", "--undo", "--yes", cwd=folder).code == 0
    assert (folder / ".mcp.json").read_text() == text


def test_setup_says_of_a_file_once_that_it_is_for_this_machine(folder: Path, dctx: Dctx) -> None:
    done = dctx("setup", "--client", "gemini", "--yes", "--no-verify", cwd=folder)
    assert done.err.count(".gemini/settings.json names the path of dctx") == 1


# What a person should know


def test_it_is_said_how_claude_code_is_told_that_the_tools_may_be_called(
    folder: Path, dctx: Dctx
) -> None:
    said = put(dctx, folder, "mcp").err
    assert "Claude Code asks before it calls a tool of the server" in said
    assert '"permissions": {"allow": ["mcp__dctx"]}' in said
    assert "--allowedTools mcp__dctx" in said


def test_a_server_that_another_client_reads_too_stays_for_it(folder: Path, dctx: Dctx) -> None:
    put(dctx, folder, "mcp", client="copilot")
    done = take(dctx, folder, "mcp", client="claude")
    assert "stays    .mcp.json stays, because Copilot CLI reads it, too" in done.out
    assert (folder / ".mcp.json").exists()
    take(dctx, folder, "mcp", client="copilot")
    assert not (folder / ".mcp.json").exists()


def test_with_a_server_alone_status_begins_with_the_server(folder: Path, dctx: Dctx) -> None:
    assert dctx("agents", cwd=folder).out.startswith("No hooks are installed")
    put(dctx, folder, "mcp", client="codex")
    assert dctx("agents", cwd=folder).out.startswith("Tools, this project")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("install", "dctx setup --what mcp"), ("remove", "dctx setup --undo --what mcp")],
)
def test_install_and_remove_behind_mcp_are_pointed_to_setup(
    word: str, meant: str, folder: Path
) -> None:
    asked = process("mcp", word, cwd=folder)
    assert asked.code == 2 and f"hint: {meant}" in asked.err
