"""`dctx agents install --what mcp`: the server in every client's settings, and everything else to the
byte.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, commit, process, write
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from settings_cases import settings

from director_ctx.clients.program import program
from director_ctx.clients.servers.description import described
from director_ctx.clients.servers.install import plan_install, plan_remove
from director_ctx.clients.servers.places import PLACES, server_files
from director_ctx.clients.settings_change import carry_out
from director_ctx.clients.table import CLIENTS

Dctx = Callable[..., Result]
SCOPES = ("--project", "--user")
WHAT = ("--what", "mcp")


@pytest.fixture(autouse=True)
def _no_client_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "project", {"PROJECT.md": "# A project\n"})


def home() -> Path:
    return Path(os.environ["HOME"])


def tree(*folders: Path) -> dict[str, bytes]:
    """Every file and folder, except what dctx keeps for itself."""
    files = {}
    for top in folders:
        for path in sorted(top.rglob("*")):
            if not {".local", ".cache", ".dctx", ".git"} & set(path.parts):
                files[str(path)] = path.read_bytes() if path.is_file() else b""
    return files


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


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("client", sorted(PLACES))
def test_installed_the_client_starts_dctx_mcp_and_removed_no_trace_is_left(
    client: str, scope: str, folder: Path, dctx: Dctx
) -> None:
    before = tree(folder, home())
    words = (*WHAT, "--client", client, scope)
    shown = dctx("agents", "install", *words, "--dry-run", cwd=folder).out
    assert tree(folder, home()) == before

    done = dctx("agents", "install", *words, "--yes", cwd=folder)
    assert done.code == 0 and len(done.out.splitlines()) == 1, done
    [path] = [
        Path(name) for name in set(tree(folder, home())) - set(before) if Path(name).is_file()
    ]
    assert path.is_relative_to(home() if scope == "--user" or client == "claude" else folder)
    assert started_by(path)[: len(program()) + 1] == [*program(), "mcp"]
    assert all(f"+{line}" in shown.splitlines() for line in path.read_text().splitlines())

    text = path.read_text()
    again = dctx("agents", "install", *words, "--yes", cwd=folder)
    assert (again.code, again.err) == (0, "")
    assert again.out == f"The server of {PLACES[client].title} is installed already.\n"
    assert path.read_text() == text

    assert dctx("agents", "remove", *words, "--yes", cwd=folder).code == 0
    assert tree(folder, home()) == before
    assert not list(home().rglob("receipt.json"))
    gone = dctx("agents", "remove", *words, "--yes", cwd=folder)
    assert gone.out == f"The server of {PLACES[client].title} is not installed.\n"


JSON_CLIENTS = sorted(name for name in PLACES if name not in ("codex", "claude"))


@hypothesis_settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.sampled_from(JSON_CLIENTS), settings("gemini"))
def test_a_json_file_of_any_style_is_the_same_to_the_byte_after_all(
    folder: Path, client: str, text: str
) -> None:
    place = PLACES[client]
    file = server_files(place, str(folder))[0]
    path = Path(file.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    carry_out(plan_install(place, str(folder)))
    carry_out(plan_install(place, str(folder), "plan"))
    written = json.loads(path.read_bytes().decode("utf-8-sig"))
    assert words_in({key: written[key] for key in file.keys})[-2:] != []
    others = json.loads(text.removeprefix("\ufeff"))
    assert {key: value for key, value in written.items() if key not in file.keys} == {
        key: value for key, value in others.items() if key not in file.keys
    }
    carry_out(plan_remove(place, str(folder)))
    assert path.read_bytes() == text.encode()
    path.unlink()


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
    place = PLACES["codex"]
    path = folder / ".codex/config.toml"
    path.parent.mkdir(exist_ok=True)
    text = text.replace("\n", line_end)
    path.write_bytes(text.encode())
    carry_out(plan_install(place, str(folder), "plan,tasks"))
    written = tomllib.loads(path.read_bytes().decode())
    assert written["mcp_servers"]["dctx"]["args"][-2:] == ["--write", "plan,tasks"]
    more = b""
    if changed:
        more = f"{line_end}# Mine.{line_end}[mine]{line_end}key = 1{line_end}".encode()
        path.write_bytes(path.read_bytes() + more)
    carry_out(plan_remove(place, str(folder)))
    assert path.read_bytes() == text.encode() + more
    path.unlink()


@pytest.mark.parametrize("order", [("hooks", "mcp"), ("mcp", "hooks")])
def test_hooks_and_server_in_one_file_go_in_any_order(
    order: tuple[str, str], folder: Path, dctx: Dctx
) -> None:
    path = folder / ".gemini/settings.json"
    path.parent.mkdir()
    text = '{\n   "theme": "dark"\n}'
    path.write_text(text)
    client = ("--client", "gemini", "--yes")
    for part in order:
        assert dctx("agents", "install", "--what", part, *client, cwd=folder).code == 0
    for part in order:
        assert dctx("agents", "remove", "--what", part, *client, cwd=folder).code == 0
    assert path.read_text() == text


def test_all_puts_everything_in_and_takes_everything_out(folder: Path, dctx: Dctx) -> None:
    before = tree(folder, home())
    words = ("--what", "all", "--client", "gemini", "--yes")
    assert dctx("agents", "install", *words, cwd=folder).code == 0
    assert started_by(folder / ".gemini/settings.json")[-1] == "mcp"
    assert "hooks" in json.loads((folder / ".gemini/settings.json").read_text())
    assert dctx("agents", "remove", *words, cwd=folder).code == 0
    assert tree(folder, home()) == before


def test_a_server_alone_is_put_into_opencode(folder: Path, dctx: Dctx) -> None:
    done = dctx("agents", "install", "--what", "all", "--client", "opencode", "--yes", cwd=folder)
    assert done.code == 0 and "only the server" in done.err
    assert started_by(folder / "opencode.json")[-1] == "mcp"
    assert dctx("agents", "install", "--client", "opencode", cwd=folder).code == 2


def test_comments_stay_where_a_client_allows_them(folder: Path, dctx: Dctx) -> None:
    path = folder / "opencode.jsonc"
    text = '{\n  // Ours.\n  "mcp": {\n    "other": {"type": "local", "command": ["x"]} // theirs\n  },\n}\n'
    path.write_text(text)
    words = (*WHAT, "--client", "opencode", "--yes")
    assert dctx("agents", "install", *words, cwd=folder).code == 0
    assert "// Ours." in path.read_text() and "// theirs" in path.read_text()
    assert '"dctx"' in path.read_text() and not (folder / "opencode.json").exists()
    path.write_text(path.read_text() + "// more\n")
    assert dctx("agents", "remove", *words, cwd=folder).code == 0
    assert path.read_text() == text + "// more\n"


# Which file, and which program


def test_a_dctx_that_everybody_finds_goes_into_the_file_that_a_project_shares(
    folder: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    dctx("agents", "install", *WHAT, "--yes", cwd=folder)
    assert started_by(home() / ".claude.json")[0] == program()[0]
    shared_program(monkeypatch, tmp_path)
    if program() != ("dctx",):
        pytest.skip("an environment of its own is never everybody's")
    dctx("agents", "install", *WHAT, "--yes", cwd=folder)
    assert started_by(folder / ".mcp.json") == ["dctx", "mcp"]
    assert not (home() / ".claude.json").exists()


def test_claude_code_knows_a_working_tree_by_the_name_of_its_repository(
    folder: Path, tmp_path: Path
) -> None:
    from conftest import git

    commit(folder, "first")
    git(folder, "worktree", "add", "-q", str(tmp_path / "other"))
    names = []
    for root in (folder, tmp_path / "other"):
        file = server_files(PLACES["claude"], str(root))[-1]
        names.append(file.keys[1])
    assert names == [str(folder.resolve())] * 2


def test_what_claude_code_remembers_is_kept_to_its_user(folder: Path, dctx: Dctx) -> None:
    dctx("agents", "install", *WHAT, "--yes", cwd=folder)
    assert os.name == "nt" or (home() / ".claude.json").stat().st_mode & 0o077 == 0


def test_what_claude_code_writes_down_meanwhile_stays(folder: Path, dctx: Dctx) -> None:
    path = home() / ".claude.json"
    known = {"projects": {str(folder.resolve()): {"allowedTools": ["Bash"]}, "/other": {}}}
    path.write_text(json.dumps(known, indent=2))
    dctx("agents", "install", *WHAT, "--yes", cwd=folder)
    # As the client does: all of it is read, and written anew.
    path.write_text(json.dumps({**json.loads(path.read_text()), "numStartups": 7}, indent=2))
    dctx("agents", "remove", *WHAT, "--yes", cwd=folder)
    assert path.read_text() == json.dumps({**known, "numStartups": 7}, indent=2)


def test_what_agents_may_change_is_kept_unless_something_else_is_said(
    folder: Path, dctx: Dctx
) -> None:
    words = ("agents", "install", *WHAT, "--client", "vscode", "--yes")
    path = folder / ".vscode/mcp.json"
    dctx(*words, "--write", "plan, tasks", cwd=folder)
    assert started_by(path)[-2:] == ["--write", "plan,tasks"]
    assert "already" in dctx(*words, cwd=folder).out
    dctx(*words, "--write", "", cwd=folder)
    assert started_by(path)[-1] == "mcp"
    assert dctx(*words, "--write", "everything", cwd=folder).code == 2
    assert dctx("agents", "install", "--write", "plan", cwd=folder).code == 2


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
    words = (*WHAT, "--client", client, "--yes")
    done = dctx("agents", "install", *words, cwd=folder)
    assert done.code == 1 and "somebody else wrote" in done.err, done
    dctx("agents", "remove", *words, cwd=folder)
    assert path.read_text() == text and not (home() / ".claude.json").exists()


def test_one_that_somebody_wrote_by_hand_is_as_good(folder: Path, dctx: Dctx) -> None:
    path = folder / ".mcp.json"
    text = '{"mcpServers":{"dctx":{"type":"stdio","command":"dctx","args":["mcp"],"env":{}}}}'
    path.write_text(text)
    done = dctx("agents", "install", *WHAT, "--yes", cwd=folder)
    assert (done.code, done.out) == (0, "The server of Claude Code is installed already.\n")
    other = dctx("agents", "install", *WHAT, "--write", "plan", "--yes", cwd=folder)
    assert other.code == 1 and "somebody else wrote" in other.err
    dctx("agents", "remove", *WHAT, "--yes", cwd=folder)
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
    done = dctx("agents", "install", *WHAT, "--client", client, "--yes", cwd=folder)
    assert done.code == 1 and said in done.err, done
    assert path.read_text() == text


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_nothing_is_written_through_a_link_that_leaves_the_project(
    folder: Path, tmp_path: Path, dctx: Dctx
) -> None:
    (tmp_path / "theirs.json").write_text("{}")
    (folder / ".mcp.json").symlink_to(tmp_path / "theirs.json")
    done = dctx("agents", "install", *WHAT, "--client", "copilot", "--yes", cwd=folder)
    assert done.code == 1 and "leads out of the project" in done.err
    assert (tmp_path / "theirs.json").read_text() == "{}"


def test_beside_the_plugin_nothing_is_written(folder: Path, dctx: Dctx) -> None:
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").write_text('{"enabledPlugins": {"dctx@dctx": true}}')
    done = dctx("agents", "install", *WHAT, "--yes", cwd=folder)
    assert done.code == 1 and "brings this server" in done.err
    assert not (home() / ".claude.json").exists()


def test_nothing_is_written_without_a_yes(folder: Path) -> None:
    before = tree(folder, home())
    alone = process("agents", "install", *WHAT, cwd=folder)
    assert alone.code == 1 and "+++ ~/.claude.json" in alone.out and "--yes" in alone.err
    assert tree(folder, home()) == before


# Told, and proven


def test_status_has_a_line_for_each_file_and_says_who_reads_it(folder: Path, dctx: Dctx) -> None:
    dctx("agents", "install", *WHAT, "--client", "copilot", "--write", "plan", "--yes", cwd=folder)
    told = dctx("agents", "status", cwd=folder)
    assert told.code == 0
    assert "Server of tools, this project: .mcp.json (Claude Code, Copilot CLI)\n" in told.out
    assert "mcp --write plan\n" in told.out
    [server] = json.loads(dctx("agents", "status", "--json", cwd=folder).out)["servers"]
    assert server["clients"] == ["claude", "copilot"] and server["writes"] == "plan"


def test_status_tells_a_program_that_is_gone_and_a_server_of_somebody_else(
    folder: Path, dctx: Dctx
) -> None:
    path = folder / ".cursor/mcp.json"
    path.parent.mkdir()
    file = server_files(PLACES["cursor"], str(folder))[0]
    gone = described(file, ("/gone/dctx",))
    path.write_text(json.dumps({"mcpServers": {"dctx": gone}}))
    told = dctx("agents", "status", cwd=folder)
    assert told.code == 1 and "/gone/dctx mcp" in told.out and "which is not there" in told.out
    assert "`dctx agents install --what mcp --client cursor` brings it up to date" in told.out
    path.write_text('{"mcpServers": {"dctx": {"command": "/opt/theirs", "args": ["serve"]}}}')
    told = dctx("agents", "status", cwd=folder)
    assert told.code == 0 and "calls /opt/theirs serve, which is not dctx" in told.out


@pytest.mark.parametrize("client", ["claude", "cursor", "codex", "opencode"])
def test_a_server_is_proven_by_its_answer(client: str, folder: Path, dctx: Dctx) -> None:
    dctx("agents", "install", *WHAT, "--client", client, "--yes", cwd=folder)
    proven = process("agents", "verify", "--client", client, "--replay", cwd=folder)
    [line] = [line for line in proven.out.splitlines() if ", server: " in line]
    assert line.startswith(f"proven   {PLACES[client].title}, server: ")
    assert line.endswith("answers with 6 tools.")
    assert client != "opencode" or proven.code == 0


def test_with_a_server_alone_hooks_are_no_must(folder: Path) -> None:
    process("agents", "install", *WHAT, "--yes", cwd=folder)
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
    assert f"tell {PLACES[client].title} of the tools of dctx" in done.out
    again = dctx("setup", "--client", client, "--yes", "--no-verify", cwd=folder)
    assert f"already  {PLACES[client].title} knows the tools of dctx" in again.out
    assert dctx("setup", "--undo", "--yes", cwd=folder).code == 0
    assert tree(folder, home()) == before


def test_a_server_that_was_installed_in_another_way_stays_when_setup_is_undone(
    folder: Path, dctx: Dctx
) -> None:
    dctx("agents", "install", *WHAT, "--client", "copilot", "--yes", cwd=folder)
    dctx("setup", "--client", "claude", "--yes", "--no-verify", cwd=folder)
    assert dctx("setup", "--undo", "--yes", cwd=folder).code == 0
    assert started_by(folder / ".mcp.json")[-1] == "mcp"


def test_setup_says_of_a_file_once_that_it_is_for_this_machine(folder: Path, dctx: Dctx) -> None:
    done = dctx("setup", "--client", "gemini", "--yes", "--no-verify", cwd=folder)
    assert done.err.count(".gemini/settings.json names the path of dctx") == 1


def test_setup_leaves_the_tools_out_where_nobody_wants_them(folder: Path, dctx: Dctx) -> None:
    done = dctx("setup", "--no-mcp", "--yes", "--no-verify", cwd=folder)
    assert done.code == 0 and "of the tools" not in done.out
    assert not (home() / ".claude.json").exists()


# What a person should know


def test_it_is_said_how_claude_code_is_told_that_the_tools_may_be_called(
    folder: Path, dctx: Dctx
) -> None:
    said = dctx("agents", "install", *WHAT, "--client", "claude", "--yes", cwd=folder).err
    assert "Claude Code asks before it calls a tool of the server" in said
    assert '"permissions": {"allow": ["mcp__dctx"]}' in said
    assert "--allowedTools mcp__dctx" in said


def test_whoever_takes_the_server_out_is_told_which_client_loses_it_too(
    folder: Path, dctx: Dctx
) -> None:
    dctx("agents", "install", *WHAT, "--client", "copilot", "--yes", cwd=folder)
    shown = dctx("agents", "remove", *WHAT, "--client", "claude", "--dry-run", cwd=folder)
    assert "Copilot CLI will not have it any more either" in shown.err
    done = dctx("agents", "remove", *WHAT, "--client", "claude", "--yes", cwd=folder)
    assert "Copilot CLI has no server dctx any more either." in done.err
    assert "dctx agents install --what mcp --client copilot" in done.err


def test_a_part_that_stands_without_its_option_is_understood(folder: Path, dctx: Dctx) -> None:
    refused = dctx("agents", "install", "mcp", cwd=folder)
    assert refused.code == 2
    assert "Say --what mcp." in refused.err


def test_with_a_server_alone_status_begins_with_the_server(folder: Path, dctx: Dctx) -> None:
    assert dctx("agents", "status", cwd=folder).out.startswith("No hooks are installed")
    dctx("agents", "install", *WHAT, "--client", "codex", "--yes", cwd=folder)
    assert dctx("agents", "status", cwd=folder).out.startswith("Server of tools, this project")


def test_whoever_removes_hooks_is_pointed_to_a_server_that_stays(folder: Path, dctx: Dctx) -> None:
    removal = ("agents", "remove", "--yes")
    assert "--what mcp" not in dctx(*removal, cwd=folder).err
    assert dctx("agents", "install", *WHAT, "--yes", cwd=folder).code == 0
    done = dctx(*removal, cwd=folder)
    assert done.code == 0
    assert "hint: dctx agents remove --what mcp --client claude" in done.err


def test_install_and_remove_behind_mcp_are_pointed_to_agents(folder: Path) -> None:
    for word in ("install", "remove"):
        asked = process("mcp", word, cwd=folder)
        assert asked.code == 2
        undo = " --undo" if word == "remove" else ""
        assert f"hint: dctx setup{undo} --what mcp" in asked.err
