"""Hooks that ask the server which is there already: the same answers as those of a program, and the
program beside them, silent as long as the server lives.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from asking_servers import AskingClient, announced, serves
from conftest import ROOT, Result, write
from hook_events import BASE, BUILDER, ask, spawn
from mcp_server import Server, said_in

from director_ctx.clients.by_server import FOLDER
from director_ctx.clients.entries import (
    FALLBACK,
    TOOL,
    Asking,
    asking_of,
    handlers_in,
    hook_entries,
    is_ours,
)
from director_ctx.clients.hooks.install import plan_install, plan_uninstall
from director_ctx.clients.presence import ANSWERED
from director_ctx.clients.settings_change import carry_out
from director_ctx.clients.settings_text import own_entries
from director_ctx.clients.table import CLIENTS

Dctx = Callable[..., Result]
NUMBERS = count()
PROGRAM = (sys.executable, "-P", "-m", "director_ctx")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "project", BASE)


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    with Server(folder) as server:
        yield server


@pytest.fixture
def claude(server: Server) -> AskingClient:
    client = AskingClient(server, "claude")
    client.list_tools()
    return client


def event(name: str, folder: Path, **fields: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "s1", "cwd": str(folder), **fields}


def spawned(folder: Path, prompt: str = "Do it.") -> dict[str, Any]:
    """A call of the tool that spawns; no two are the same."""
    return {**spawn(prompt), "cwd": str(folder), "tool_use_id": f"toolu_{next(NUMBERS)}"}


def again(asked: dict[str, Any]) -> dict[str, Any]:
    """The same call once more."""
    return {**asked, "tool_use_id": f"toolu_{next(NUMBERS)}"}


def full_window(folder: Path) -> str:
    """A transcript of Claude Code in which the window is nearly full."""
    path = folder.parent / "session.jsonl"
    usage = {"input_tokens": 190_000, "output_tokens": 5}
    message = {"role": "assistant", "content": [], "usage": usage, "model": "claude-opus-5"}
    path.write_text(json.dumps({"type": "assistant", "message": message}) + "\n")
    return str(path)


PROMPTS = (
    "Do it.",
    'Quotes ", a \\ and\nlines, ${cwd}, `date`, $(date), größer 🚤 </task>',
    "Task 1/1/3, please.",
    "x" * 200_000,
)


@pytest.mark.parametrize("prompt", PROMPTS, ids=["short", "odd", "task", "long"])
def test_a_server_answers_a_spawn_as_a_program_does(
    prompt: str, folder: Path, claude: AskingClient
) -> None:
    asked = spawned(folder, prompt)
    answer = claude.hook(asked)
    assert answer == ask(folder, asked, "--client", "claude")
    new = answer["hookSpecificOutput"]["updatedInput"]["prompt"]
    assert "<task>" in new and len(new) > len(prompt)


@pytest.mark.parametrize("part", [1, 2, 4])
def test_a_server_answers_each_part_of_the_start_of_an_agent(
    part: int, folder: Path, claude: AskingClient
) -> None:
    asked = event("SubagentStart", folder, agent_type=BUILDER)
    answer = claude.hook(asked, part)
    assert answer == ask(folder, asked, "--client", "claude", "--part", str(part))
    assert bool(answer) == (part == 1)


def test_a_server_says_before_a_prompt_that_the_window_fills_up(
    folder: Path, claude: AskingClient
) -> None:
    asked = event("UserPromptSubmit", folder, transcript_path=full_window(folder))
    answer = claude.hook(asked)
    assert answer == ask(folder, asked, "--client", "claude")
    assert "window" in answer["hookSpecificOutput"]["additionalContext"]


def test_codex_is_told_the_same_by_a_server(folder: Path, server: Server) -> None:
    # What is said once only would be said to the first who asks.
    write(folder, {"dctx.yaml": "hooks:\n  agents:\n    default: none\n"})
    codex = AskingClient(server, "codex")
    codex.list_tools()
    begun = event("SessionStart", folder, source="startup", model="gpt-6-sol")
    started = event("SubagentStart", folder, agent_type="director-builder", model="gpt-6-sol")
    assert codex.hook(begun) == ask(folder, begun, "--client", "codex")
    words = ("--client", "codex", "--part", "1")
    answer = codex.hook(started, 1)
    assert answer == ask(folder, started, *words)
    assert "<task>" in answer["hookSpecificOutput"]["additionalContext"]


def test_agents_that_are_spawned_at_once_are_each_given_their_own(
    folder: Path, claude: AskingClient
) -> None:
    tasks = ("1/1/2", "1/1/3", "1/2/1") * 4
    asked = [spawned(folder, f"Task {task}, please.") for task in tasks]
    numbers = [claude.send_hook(event) for event in asked]
    answers = [claude.heard(number) for number in numbers]
    wanted = {task: ask(folder, spawned(folder, f"Task {task}, please.")) for task in set(tasks)}
    assert answers == [wanted[task] for task in tasks]
    assert len({json.dumps(answer) for answer in answers}) == len(wanted)


def test_no_model_is_shown_the_tool_of_hooks(server: Server) -> None:
    names = AskingClient(server, "claude").list_tools()
    assert names == ["context", "status", "search", "original", "plan", "browser"]


def test_a_server_says_that_it_answers_from_the_first_list_of_its_tools_to_its_end(
    server: Server,
) -> None:
    client = AskingClient(server, "claude")
    server.ask("server/discover", meta=client.meta)
    assert announced() == []
    client.list_tools()
    assert announced() == [serves("claude", server)]
    assert server.close()[0] == 0
    assert announced() == []


def test_a_server_of_the_plugin_is_told_from_the_one_in_the_settings(folder: Path) -> None:
    with Server(folder, CLAUDE_PLUGIN_ROOT="/plugins/dctx") as server:
        AskingClient(server, "claude").list_tools()
        assert announced() == [serves("claude-plugin", server)]


@pytest.mark.parametrize("name", ["copilot", "gemini", "vscode"])
def test_a_client_whose_hooks_ask_no_server_leaves_them_to_the_program(
    name: str, folder: Path, server: Server
) -> None:
    """Copilot CLI runs the hooks of Claude Code: only their command, which must not be silent then."""
    client = AskingClient(server, name)
    client.list_tools()
    assert announced() == []


def test_what_a_killed_server_left_behind_is_taken_away_by_the_next(
    folder: Path, server: Server
) -> None:
    AskingClient(server, "claude").list_tools()
    server.process.kill()
    server.process.wait()
    assert announced() == [serves("claude", server)]
    with Server(folder) as other:
        AskingClient(other, "claude").list_tools()
        assert announced() == [serves("claude", other)]


def test_where_it_does_not_say_so_a_server_leaves_hooks_to_the_program(
    folder: Path, server: Server, claude: AskingClient
) -> None:
    asked = spawned(folder)
    assert claude.hook(asked)
    (Path.home() / FOLDER / serves("claude", server)).unlink()
    assert claude.hook(again(asked)) is None


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"client": "claude"},
        {"client": "nobody", "hook_event_name": "PreToolUse"},
        {"client": ["claude"], "hook_event_name": 5, "tool_input": 7, "cwd": {}},
        {"client": "claude", "hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": "{"},
        {"client": "claude", "hook_event_name": "SubagentStart", "part": "x", "cwd": "\0"},
    ],
)  # fmt: skip
def test_what_is_no_event_is_answered_with_nothing(
    given: dict[str, Any], claude: AskingClient
) -> None:
    called = {"name": "hook", "arguments": given}
    answer = claude.server.ask("tools/call", called, meta=claude.meta)
    assert answer["result"] == {
        **answer["result"],
        "content": [{"type": "text", "text": "{}"}],
        "isError": False,
    }


@pytest.mark.parametrize("name", ["SessionStart", "PreCompact", "SessionEnd"])
def test_a_server_answers_only_what_a_client_asks_servers_about(
    name: str, folder: Path, claude: AskingClient
) -> None:
    asked = event(name, folder, client="claude", transcript_path=full_window(folder))
    answer = claude.server.ask("tools/call", {"name": "hook", "arguments": asked}, meta=claude.meta)
    assert said_in(answer["result"]) == "{}"
    assert not (folder / ".director" / ".dctx").exists()


def test_what_goes_wrong_is_an_empty_answer_and_a_line_in_the_log(
    folder: Path, claude: AskingClient
) -> None:
    write(folder, {"dctx.yaml": "hooks: [\n\t{"})
    assert claude.hook(spawned(folder)) is None
    log = (folder / ".director" / ".dctx" / "hooks.log").read_text()
    assert "claude PreToolUse: gave no answer: " in log
    write(folder, {"dctx.yaml": ""})
    assert claude.hook(spawned(folder))


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX disk")
def test_a_disk_that_does_not_answer_holds_a_client_up_for_seconds_only(folder: Path) -> None:
    slow = folder.parent / "slow"
    slow.mkdir()
    (slow / "sitecustomize.py").write_text(SLOW)
    with Server(folder, PYTHONPATH=f"{slow}{os.pathsep}{ROOT}") as server:
        client = AskingClient(server, "claude")
        client.list_tools()
        assert client.hook(spawned(folder)) is None
        assert client.list_tools()


SLOW = """
import os, time
def slow(real):
    def wait(path=".", *more, **named):
        if isinstance(path, (str, bytes)) and ".director" in os.fsdecode(path):
            time.sleep(60)
        return real(path, *more, **named)
    return wait
os.open, os.stat, os.lstat, os.scandir, os.listdir = map(slow, (os.open, os.stat, os.lstat, os.scandir, os.listdir))
"""


def test_hooks_that_are_off_are_off_for_a_server_too(folder: Path) -> None:
    with Server(folder, DCTX_HOOKS="off") as server:
        client = AskingClient(server, "claude")
        client.list_tools()
        assert client.hook(spawned(folder)) is None


def test_a_session_that_went_to_another_folder_is_told_of_the_project_there(
    tmp_path: Path, claude: AskingClient
) -> None:
    other = write(tmp_path / "other", {**BASE, "codebase/STACK.md": "Other stack."})
    below = other / "src"
    below.mkdir()
    asked = spawned(below)
    assert claude.hook(asked) == ask(other, asked, "--client", "claude")
    assert claude.hook(spawned(tmp_path)) is None


# The command beside it.


def fallback(client: str, at: str = "spawn", server: str = "dctx") -> str:
    asking = Asking((FALLBACK,), server)
    entries = hook_entries(CLIENTS[client], PROGRAM, at, asking=asking)
    [handler] = handlers_in({"": entries["PreToolUse"]})
    command: str = handler["command"]
    return command


def run(command: str, asked: object, folder: Path, shell: str = "/bin/sh") -> str:
    """What it says to an event, in a shell of the client's: the client is this process."""
    done = subprocess.run(
        [shell, "-c", command],
        input=json.dumps(asked).encode(),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == b""
    return done.stdout.decode()


needs_shell = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


@needs_shell
def test_the_program_is_silent_as_long_as_the_server_answers_and_speaks_when_it_is_gone(
    folder: Path, claude: AskingClient
) -> None:
    asked = spawned(folder, "Do it. " + "x" * 300_000)
    assert run(fallback("claude"), asked, folder) == ""
    answer = claude.hook(asked)
    claude.server.process.kill()
    claude.server.process.wait()
    assert json.loads(run(fallback("claude"), again(asked), folder)) == answer


@needs_shell
def test_what_the_program_has_answered_a_server_that_starts_just_then_does_not(
    folder: Path, server: Server
) -> None:
    """Claude Code starts a server anew that is gone when a hook asks it."""
    asked = spawned(folder)
    assert "<task>" in run(fallback("claude"), asked, folder)
    client = AskingClient(server, "claude")
    client.list_tools()
    assert client.hook(asked) is None
    assert client.hook(again(asked))


def test_what_was_answered_a_while_ago_is_answered_again(
    folder: Path, claude: AskingClient
) -> None:
    """Prompts have no number of their own: the next one of a session looks the same."""
    asked = event("UserPromptSubmit", folder, transcript_path=full_window(folder))
    assert claude.hook(asked) and claude.hook(asked) is None
    for mark in (Path.home() / ANSWERED).iterdir():
        os.utime(mark, (0, 0))
    assert claude.hook(asked)


@needs_shell
def test_what_a_server_has_answered_the_program_does_not(
    folder: Path, claude: AskingClient
) -> None:
    asked = spawned(folder)
    assert claude.hook(asked)
    claude.server.close()
    assert run(fallback("claude"), asked, folder) == ""
    assert run(fallback("claude"), again(asked), folder)


@needs_shell
@pytest.mark.parametrize("name", ["sh", "bash", "dash", "zsh", "fish"])
def test_any_shell_of_the_clients_will_do(name: str, folder: Path, claude: AskingClient) -> None:
    shell = shutil.which(name)
    if shell is None:
        pytest.skip(f"{name} is not here")
    asked = spawned(folder)
    assert run(fallback("claude"), asked, folder, shell) == ""
    claude.server.close()
    assert "<task>" in run(fallback("claude"), asked, folder, shell)


@needs_shell
@pytest.mark.parametrize(
    "name",
    ["claude-{client}-999999999", "claude-{client}-", "claude-{client}-x;y", "claude-1-{living}",
     "codex-{client}-{living}", "claude-plugin-{client}-{living}"],
)  # fmt: skip
def test_a_file_that_names_no_living_server_of_this_client_silences_nobody(
    name: str, folder: Path
) -> None:
    place = Path.home() / FOLDER
    place.mkdir(parents=True)
    (place / name.format(client=os.getpid(), living=os.getpid())).touch()
    assert "<task>" in run(fallback("claude"), spawned(folder), folder)


@needs_shell
def test_the_plugins_program_listens_to_the_plugins_server_alone(
    folder: Path, claude: AskingClient
) -> None:
    command = fallback("claude", server="plugin:dctx:dctx")
    assert "<task>" in run(command, spawned(folder), folder)


# In settings.


def home() -> Path:
    return Path(os.environ["HOME"])


def test_install_puts_both_beside_each_other_and_remove_leaves_no_trace(
    folder: Path, dctx: Dctx
) -> None:
    path = folder / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_text('{\n    "theme": "dark"\n}')
    done = dctx("agents", "install", "--via", "mcp", "--prompts", "--yes", cwd=folder)
    assert done.code == 0
    unknown = "Claude Code knows no server dctx that hooks could ask yet"
    assert unknown in done.err and "dctx agents install --what mcp --client claude" in done.err
    entries = own_entries(path.read_text(), CLIENTS["claude"])
    assert asking_of(entries) == Asking((TOOL, FALLBACK))
    kinds = {
        event: [handler["type"] for handler in handlers_in({event: groups})]
        for event, groups in entries.items()
    }
    assert kinds == {
        "PreToolUse": ["mcp_tool", "command"],
        "SessionStart": ["command"] * 3,
        "UserPromptSubmit": ["mcp_tool", "command"],
        "PreCompact": ["command"],
        "SessionEnd": ["command"],
    }

    again = dctx("agents", "install", "--via", "mcp", "--prompts", "--yes", cwd=folder)
    assert again.out == "The hooks of Claude Code are installed already.\n"
    status = dctx("agents", "status", cwd=folder)
    assert status.code == 0
    assert "  asks the server dctx, where the client has started it\n" in status.out
    assert unknown in status.out
    assert "brings it up to date" not in status.out
    assert dctx("agents", "remove", "--yes", cwd=folder).code == 0
    assert path.read_text() == '{\n    "theme": "dark"\n}'


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_a_client_that_knows_the_server_is_not_told_of_it(
    client: str, folder: Path, dctx: Dctx
) -> None:
    words = ("agents", "install", "--client", client, "--yes")
    assert dctx(*words, "--what", "mcp", cwd=folder).code == 0
    done = dctx(*words, "--via", "mcp", cwd=folder)
    status = dctx("agents", "status", cwd=folder)
    assert done.code == 0 and "knows no server" not in done.err + status.out


def test_with_all_the_rest_the_server_comes_along_and_goes_again(folder: Path, dctx: Dctx) -> None:
    done = dctx("agents", "install", "--what", "all", "--via", "mcp", "--yes", cwd=folder)
    status = dctx("agents", "status", cwd=folder)
    assert done.code == 0 and "knows no server" not in done.err + status.out
    assert dctx("agents", "remove", "--what", "all", "--yes", cwd=folder).code == 0
    assert sorted(path.name for path in folder.iterdir()) == [".director"]


def test_only_hooks_have_a_way_of_asking(folder: Path, dctx: Dctx) -> None:
    done = dctx("agents", "install", "--what", "mcp", "--via", "mcp", "--yes", cwd=folder)
    assert done.code == 2 and "Only hooks have --via." in done.err


@pytest.mark.parametrize("at", ["spawn", "start"])
@pytest.mark.parametrize("client", ["claude", "codex"])
def test_every_entry_that_asks_a_server_is_known_as_ours(client: str, at: str) -> None:
    entries = hook_entries(CLIENTS[client], PROGRAM, at, True, Asking((TOOL, FALLBACK)))
    assert all(map(is_ours, handlers_in(entries)))


@pytest.mark.parametrize(
    "handler",
    [
        {"type": "mcp_tool", "server": "other", "tool": "hook"},
        {"type": "mcp_tool", "server": "dctx", "tool": "context"},
        {"type": "command", "command": "exec sh -c 'rm -rf . ; exec dctx hook --client claude'"},
        {"type": "command", "command": "exec sh -c 'dctx hook --client claude' ; id"},
    ],
)
def test_what_asks_or_calls_something_else_is_not_ours(handler: dict[str, str]) -> None:
    assert not is_ours(handler)


def test_the_other_way_of_asking_takes_the_place_of_the_first(folder: Path, dctx: Dctx) -> None:
    words = ("agents", "install", "--yes")
    dctx(*words, cwd=folder)
    path = folder / ".claude" / "settings.local.json"
    plain = path.read_text()
    dctx(*words, "--via", "mcp", cwd=folder)
    assert "mcp_tool" in path.read_text()
    dctx(*words, cwd=folder)
    assert path.read_text() == plain


@needs_shell
def test_where_a_project_shares_its_settings_those_that_ask_a_server_are_in_your_own(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dctx: Dctx
) -> None:
    """Copilot CLI passes over a whole file with such a hook, and would run none of the commands."""
    own = tmp_path / "bin" / "dctx"
    own.parent.mkdir()
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", f"{own.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(sys, "argv", [str(own)])
    done = dctx("agents", "install", "--via", "mcp", "--yes", cwd=folder)
    assert done.code == 0 and "Copilot" not in done.err
    shared, local = (folder / ".claude" / name for name in ("settings.json", "settings.local.json"))
    assert asking_of(own_entries(shared.read_text(), CLIENTS["claude"])).ways == (FALLBACK,)
    assert asking_of(own_entries(local.read_text(), CLIENTS["claude"])).ways == (TOOL,)
    status = json.loads(dctx("agents", "status", "--json", cwd=folder).out)
    rows = [
        (row["path"], row["by_server"], row["works"], row["current"]) for row in status["installed"]
    ]
    assert rows == [
        (".claude/settings.json", False, True, True),
        (".claude/settings.local.json", True, True, True),
    ]
    assert status["twice"] == [] and status["idle"] == []
    dctx("agents", "remove", "--yes", cwd=folder)
    assert not (folder / ".claude").exists()


@pytest.mark.parametrize("client", ["gemini", "cursor", "copilot", "vscode"])
def test_a_client_whose_hooks_cannot_ask_a_server_is_refused(
    client: str, folder: Path, dctx: Dctx
) -> None:
    done = dctx("agents", "install", "--client", client, "--via", "mcp", "--yes", cwd=folder)
    assert done.code == 1
    assert f"The hooks of {CLIENTS[client].title} cannot ask a server" in done.err
    assert done.out == "" and sorted(path.name for path in folder.iterdir()) == [".director"]


def test_another_way_is_refused_by_its_name(folder: Path, dctx: Dctx) -> None:
    done = dctx("agents", "install", "--via", "telepathy", "--yes", cwd=folder)
    assert done.code == 2 and "Ways: command, mcp" in done.err


def test_hooks_for_every_project_ask_a_server_too(folder: Path, dctx: Dctx) -> None:
    words = ("--client", "codex", "--user", "--yes")
    done = dctx("agents", "install", "--via", "mcp", *words, cwd=folder)
    text = (home() / ".codex" / "hooks.json").read_text()
    assert done.code == 0
    assert asking_of(own_entries(text, CLIENTS["codex"])).ways == (TOOL, FALLBACK)
    assert dctx("agents", "remove", *words, cwd=folder).code == 0
    assert not (home() / ".codex").exists()


def test_what_somebody_wrote_into_a_group_of_ours_stays(folder: Path) -> None:
    client = CLIENTS["claude"]
    carry_out(plan_install(client, str(folder), "spawn", False, by_server=True))
    path = folder / ".claude" / "settings.local.json"
    settings = json.loads(path.read_text())
    theirs = {"type": "mcp_tool", "server": "guard", "tool": "look", "input": {}}
    settings["hooks"]["PreToolUse"][0]["hooks"].append(theirs)
    path.write_text(json.dumps(settings))
    carry_out(plan_uninstall(client, str(folder)))
    left = json.loads(path.read_text())
    assert left == {"hooks": {"PreToolUse": [{"matcher": "Agent|Task", "hooks": [theirs]}]}}


def test_setup_keeps_the_way_and_undoes_it(folder: Path, dctx: Dctx) -> None:
    words = ("setup", "--client", "claude", "--yes", "--no-verify")
    dctx("agents", "install", "--via", "mcp", "--yes", cwd=folder)
    path = folder / ".claude" / "settings.local.json"
    text = path.read_text().replace(str(Path(sys.executable).parent), "/gone/bin")
    path.write_text(text)
    done = dctx(*words, cwd=folder)
    assert done.code == 0, done
    entries = own_entries(path.read_text(), CLIENTS["claude"])
    assert asking_of(entries) == Asking((TOOL, FALLBACK)) and "/gone/" not in path.read_text()
    assert dctx("setup", "--undo", "--yes", cwd=folder).code == 0
    assert not path.exists()
