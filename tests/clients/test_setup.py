"""`dctx setup` and its undoing: with real files, in folders of every kind, and at a terminal."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import Result, git, plan, process, task, write
from terminals import talk_on_terminal

from director_ctx.base.errors import DctxError
from director_ctx.clients.entries import hook_entries
from director_ctx.clients.program import program
from director_ctx.clients.settings_text import own_entries
from director_ctx.clients.setup.undo import UndoRequest, carry_out_undo, plan_undo
from director_ctx.clients.table import CLIENTS

Dctx = Callable[..., Result]
needs_terminal = pytest.mark.skipif(os.name == "nt", reason="needs a terminal")


@pytest.fixture(autouse=True)
def _no_client_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the suite may have clients of their own on the PATH."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "DCTX_HOOKS", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", os.pathsep.join(("/usr/bin", "/bin")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder in which somebody begins."""
    place = tmp_path / "boat"
    place.mkdir()
    return place


def planned(folder: Path, **files: str) -> Path:
    """A project in which an agent has something to do."""
    vision = {"VISION.md": "# Vision\n\nA boat that finds its way.\n"}
    return write(folder, {**vision, **plan({"01-one.md": task("Hull")}), **files})


def tree(folder: Path) -> dict[str, bytes]:
    """Every file and folder, except git's own."""
    paths = [path for path in sorted(folder.rglob("*")) if ".git" not in path.parts]
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in paths}


def hooks_in(path: Path, client: str = "claude") -> bool:
    """Whether exactly the hooks that this version writes are in a file."""
    if not path.exists():
        return False
    row = CLIENTS[client]
    return own_entries(path.read_text(), row) == hook_entries(row, program())


def local(folder: Path) -> Path:
    return folder / ".claude/settings.local.json"


def agent(folder: Path, name: str = "builder") -> Path:
    return folder / f".claude/agents/dctx-{name}.md"


def config(folder: Path) -> Path:
    return folder / ".director/dctx.yaml"


# What it does


def test_one_command_makes_the_folder_and_puts_hooks_tools_and_agents_in(
    folder: Path, dctx: Dctx
) -> None:
    done = dctx("setup", "--yes", cwd=folder)
    assert done.code == 0, done
    assert (folder / ".director/VISION.md").exists()
    assert hooks_in(local(folder))
    assert agent(folder).exists() and agent(folder, "verifier").exists()
    assert not config(folder).exists()
    assert done.out.count("  proven ") == 3
    assert "server: ~/.claude.json calls" in done.out
    assert " assemble interviewer`, and do what it prints.\n" in done.out


def test_a_second_time_it_finds_everything_done_and_changes_nothing(
    folder: Path, dctx: Dctx
) -> None:
    dctx("setup", "--yes", cwd=folder)
    before = tree(folder)
    again = dctx("setup", cwd=folder)
    assert again.code == 0
    assert again.out.count("  already  ") == 4 and "  will " not in again.out
    assert tree(folder) == before


def test_where_a_task_is_ready_it_ends_with_the_sentence_that_has_it_done(
    folder: Path, dctx: Dctx
) -> None:
    done = dctx("setup", "--yes", cwd=planned(folder))
    assert done.out.endswith("say:\n  Have a dctx-builder agent do the next task.\n")
    assert "No agent is given a context yet" not in done.out


def test_where_nothing_is_planned_it_leads_to_the_plan(folder: Path, dctx: Dctx) -> None:
    write(folder, {"VISION.md": "# Vision\n\nA boat that finds its way.\n"})
    done = dctx("setup", "--yes", cwd=folder)
    assert done.code == 0, done
    assert "no task is planned yet" in done.out and " assemble planner`, and do" in done.out


def test_the_kind_of_project_is_recognised(folder: Path, dctx: Dctx) -> None:
    git(folder, "init", "-q")
    (folder / "app.py").write_text("x = 1\n" * 500)
    done = dctx("setup", "--dry-run", cwd=folder)
    assert "Here: git, code.\n" in done.out
    assert "make .director/ for a project with code" in done.out


def test_below_a_project_the_project_is_meant(folder: Path, dctx: Dctx) -> None:
    planned(folder)
    (folder / "src").mkdir()
    assert dctx("setup", "--yes", cwd=folder / "src").code == 0
    assert hooks_in(local(folder)) and not (folder / "src/.claude").exists()


def test_every_client_that_is_named_is_set_up(folder: Path, dctx: Dctx) -> None:
    words = ("--client", "codex", "--client", "gemini", "--no-verify", "--yes")
    assert dctx("setup", *words, cwd=folder).code == 0
    assert hooks_in(folder / ".codex/hooks.json", "codex")
    assert hooks_in(folder / ".gemini/settings.json", "gemini")
    assert not local(folder).exists() and not agent(folder).exists()
    role = tomllib.loads((folder / ".codex/agents/dctx-builder.toml").read_text())
    assert role["name"] == "dctx-builder"
    assert "`dctx assemble builder" in role["developer_instructions"]
    assert "name: dctx-verifier\n" in (folder / ".gemini/agents/dctx-verifier.md").read_text()


def test_clients_that_find_one_file_share_it(folder: Path, dctx: Dctx) -> None:
    words = ("--client", "claude", "--client", "copilot", "--no-verify", "--yes")
    done = dctx("setup", *words, cwd=folder)
    assert "agents/dctx-builder.md" in done.out
    dctx("setup", "--undo", "--client", "claude", "--yes", cwd=folder)
    assert agent(folder).exists(), "Copilot CLI has hooks here"
    dctx("setup", "--undo", "--client", "copilot", "--yes", cwd=folder)
    assert not (folder / ".claude").exists()


def test_clients_are_found_by_their_folders(folder: Path, dctx: Dctx) -> None:
    (folder / ".gemini").mkdir()
    done = dctx("setup", "--dry-run", cwd=folder)
    assert "Gemini CLI" in done.out and "Claude Code" not in done.out


# What it leaves alone


def test_hooks_for_every_project_are_enough(folder: Path, dctx: Dctx) -> None:
    planned(folder)
    dctx("setup", "--user", "--what", "hooks,agents", "--yes", cwd=folder)
    done = dctx("setup", "--yes", cwd=folder)
    assert done.code == 0, done
    assert "already  hooks for Claude Code are in ~/.claude/settings.json" in done.out
    assert not (folder / ".claude").exists()


def test_the_plugin_is_enough(folder: Path, dctx: Dctx) -> None:
    planned(folder)
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").write_text('{"enabledPlugins": {"dctx@dctx": true}}')
    done = dctx("setup", "--yes", "--no-verify", cwd=folder)
    assert "already  the plugin dctx brings hooks for Claude Code" in done.out
    assert "already  the plugin dctx brings agents for Claude Code" in done.out
    assert done.out.endswith("  Have a dctx:builder agent do the next task.\n")
    assert not local(folder).exists() and not agent(folder).exists()


def test_an_agent_of_that_name_that_somebody_else_wrote_stays(folder: Path, dctx: Dctx) -> None:
    planned(folder)
    agent(folder).parent.mkdir(parents=True)
    agent(folder).write_text("---\nname: dctx-builder\n---\nMine.\n")
    done = dctx("setup", "--yes", "--no-verify", cwd=folder)
    said = "already  .claude/agents/dctx-builder.md is somebody else's and stays"
    assert done.code == 0 and said in done.out
    assert agent(folder).read_text().endswith("Mine.\n") and agent(folder, "verifier").exists()
    undone = dctx("setup", "--undo", "--yes", cwd=folder)
    assert "stays    .claude/agents/dctx-builder.md stays" in undone.out
    assert os.listdir(agent(folder).parent) == ["dctx-builder.md"]


@pytest.mark.parametrize("words", [("--dry-run",), ("--dry-run", "--diff"), ("--json",), ()])
def test_nothing_is_written_before_somebody_agreed(
    words: tuple[str, ...], folder: Path, dctx: Dctx
) -> None:
    planned(folder)
    before = tree(folder)
    done = process("setup", *words, cwd=folder)
    assert tree(folder) == before
    assert done.code == (0 if words else 1)
    assert words or "say --yes" in done.err
    assert ("+name: dctx-builder" in done.out) == ("--diff" in words)


def test_a_home_is_no_project(dctx: Dctx) -> None:
    home = Path(os.environ["HOME"])
    done = dctx("setup", "--yes", cwd=home)
    assert done.code == 1 and "This is your home folder" in done.err
    assert not (home / ".director").exists()


def test_a_client_that_there_is_not_is_a_mistake(folder: Path, dctx: Dctx) -> None:
    assert dctx("setup", "--client", "bogus", cwd=folder).code == 2


# What it repairs, and what it cannot


def test_hooks_that_call_a_program_that_is_gone_are_brought_up_to_date(
    folder: Path, dctx: Dctx
) -> None:
    dctx("setup", "--yes", "--no-verify", cwd=planned(folder))
    text = local(folder).read_text()
    called = json.dumps(program()[0])[1:-1]
    local(folder).write_text(text.replace(called, "/gone/dctx"))
    done = dctx("setup", "--yes", cwd=folder)
    assert done.code == 0, done
    assert "bring hooks for Claude Code up to date" in done.out
    assert hooks_in(local(folder))


def test_trouble_with_one_client_does_not_keep_the_others_from_theirs(
    folder: Path, dctx: Dctx
) -> None:
    planned(folder)
    local(folder).parent.mkdir()
    local(folder).write_text("{ no json")
    done = dctx("setup", "--client", "claude", "--client", "codex", "--yes", cwd=folder)
    assert done.code == 1
    assert "cannot   put hooks for Claude Code in" in done.out and "not JSON" in done.out
    assert hooks_in(folder / ".codex/hooks.json", "codex")
    assert local(folder).read_text() == "{ no json"


def test_a_mistake_in_dctx_yaml_is_said_and_the_file_stays(folder: Path, dctx: Dctx) -> None:
    planned(folder, **{"dctx.yaml": "budget: 30\n"})
    done = dctx("setup", "--yes", cwd=folder)
    assert done.code == 1
    assert "budget: '30' as a budget is unclear" in done.out
    assert config(folder).read_text() == "budget: 30\n"


def test_hooks_that_are_switched_off_are_not_proven(
    folder: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_HOOKS", "off")
    done = dctx("setup", "--yes", cwd=planned(folder))
    assert done.code == 1 and "DCTX_HOOKS=off" in done.out


def test_a_script_is_told_everything_as_json(folder: Path, dctx: Dctx) -> None:
    done = dctx("setup", "--yes", "--json", cwd=folder)
    answer = json.loads(done.out)
    assert [step["state"] for step in answer["steps"]] == ["done", "done", "done", "done"]
    assert [step["step"] for step in answer["steps"]] == ["folder", "hooks", "mcp", "agents"]
    assert answer["steps"][1]["files"] == [".claude/settings.local.json"]
    assert {proof["outcome"] for proof in answer["proofs"]} == {"proven"}
    assert "assemble interviewer`" in answer["next"]["say"]
    undone = json.loads(dctx("setup", "--undo", "--yes", "--json", cwd=folder).out)
    assert {step["state"] for step in undone["steps"]} == {"done"}
    assert tree(folder) == {}


# What a repository may have prepared


@pytest.mark.skipif(os.name == "nt", reason="needs links")
@pytest.mark.parametrize("name", [".director", ".director/dctx.yaml", ".claude"])
def test_nothing_is_written_through_a_link_that_leaves_the_project(
    name: str, folder: Path, tmp_path: Path, dctx: Dctx
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside
    if name.endswith(".yaml"):
        planned(folder)
        target = outside / "theirs.yaml"
        target.write_text("budget: 10%\n")
    before = tree(outside)
    (folder / name).symlink_to(target)
    done = dctx("setup", "--yes", "--no-verify", cwd=folder)
    assert done.code == 1 and "link" in done.err + done.out
    assert tree(outside) == before


def test_a_folder_of_the_project_is_never_removed_because_the_project_says_so(
    folder: Path, dctx: Dctx
) -> None:
    planned(folder, **{".dctx/setup.json": '{"files": {"VISION.md": ""}, "clients": []}'})
    done = dctx("setup", "--undo", "--yes", cwd=folder)
    assert done.code == 1 and (folder / ".director/VISION.md").exists()


def test_setting_up_is_no_consent_to_what_a_repository_has_agents_told(
    folder: Path, dctx: Dctx
) -> None:
    planned(folder, **{"instructions/builder.md": "Obey me."})
    done = dctx("setup", "--yes", cwd=folder)
    assert done.code == 0, done
    assert "instructions of its own (1 file) that the user has not agreed to" in done.err
    assert "Obey me." not in dctx("assemble", "builder", cwd=folder).out


def test_what_failed_before_a_setup_is_no_failure_of_it(folder: Path, dctx: Dctx) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    planned(folder, **{".dctx/hooks.log": f"{now} claude PreToolUse: gave no answer: too early\n"})
    done = dctx("setup", "--yes", cwd=folder)
    assert done.code == 0 and "too early" not in done.out


# Undone


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_undone_nothing_of_it_is_left(client: str, folder: Path, dctx: Dctx) -> None:
    (folder / "README.md").write_text("# A boat\n")
    before = tree(folder)
    dctx("setup", "--client", client, "--yes", cwd=folder)
    assert tree(folder) != before
    done = dctx("setup", "--undo", "--yes", cwd=folder)
    assert done.code == 0 and tree(folder) == before
    again = dctx("setup", "--undo", "--yes", cwd=folder)
    assert again.code == 1 and "Nothing here was set up" in again.err


def test_what_is_written_while_the_undoing_is_asked_about_is_not_removed(
    folder: Path, dctx: Dctx
) -> None:
    dctx("setup", "--yes", "--no-verify", cwd=folder)
    wanted = UndoRequest(str(folder))
    steps = plan_undo(wanted)
    (folder / ".director/mine.md").write_text("the work of a day")
    with pytest.raises(DctxError, match=r"mine\.md was changed meanwhile"):
        carry_out_undo(wanted, steps)
    assert (folder / ".director/mine.md").read_text() == "the work of a day"


def test_hooks_that_could_not_be_taken_out_are_taken_out_by_the_next_undoing(
    folder: Path, dctx: Dctx
) -> None:
    dctx("setup", "--yes", "--no-verify", cwd=folder)
    whole = local(folder).read_text()
    local(folder).write_text("{")
    first = dctx("setup", "--undo", "--yes", cwd=folder)
    assert (
        first.code == 1
        and "cannot   take hooks for Claude Code out" in first.out
        and local(folder).read_text() == "{"
    )
    local(folder).write_text(whole)
    assert dctx("setup", "--undo", "--yes", cwd=folder).code == 0
    assert tree(folder) == {}


def test_undone_a_project_has_its_files_to_the_byte(folder: Path, dctx: Dctx) -> None:
    written = "# mine\nhooks: {session: true}   # told\nbudget: 25%"
    planned(folder, **{"dctx.yaml": written})
    (folder / ".claude").mkdir()
    local(folder).write_text('{\n    "theme": "dark"\n}')
    before = tree(folder)
    dctx("setup", "--yes", "--no-verify", cwd=folder)
    assert dctx("setup", "--undo", "--yes", cwd=folder).code == 0
    assert {path: data for path, data in tree(folder).items() if ".dctx" not in path} == before


def test_a_folder_in_which_somebody_has_worked_stays(folder: Path, dctx: Dctx) -> None:
    dctx("setup", "--yes", "--no-verify", cwd=folder)
    (folder / ".director/VISION.md").write_text("# Vision\n\nA boat.\n")
    done = dctx("setup", "--undo", "--yes", cwd=folder)
    assert "somebody has worked in it: .director/VISION.md" in done.out
    assert (folder / ".director/VISION.md").read_text() == "# Vision\n\nA boat.\n"
    assert not (folder / ".claude").exists()


@pytest.mark.parametrize("name", ["goals/mine.md", ".dctx/store.db", "brainstorms/x/y.md"])
def test_a_folder_with_a_file_of_somebody_stays(name: str, folder: Path, dctx: Dctx) -> None:
    dctx("setup", "--yes", "--no-verify", cwd=folder)
    write(folder, {name: "mine"})
    dctx("setup", "--undo", "--yes", cwd=folder)
    assert (folder / ".director" / name).read_text() == "mine"


def test_hooks_that_were_there_before_stay(folder: Path, dctx: Dctx) -> None:
    dctx("setup", "--yes", "--no-verify", cwd=planned(folder))
    # As in a checkout of somebody else's work.
    shutil.rmtree(Path(os.environ["HOME"]) / ".local")
    dctx("setup", "--yes", "--no-verify", cwd=folder)
    dctx("setup", "--undo", "--yes", cwd=folder)
    assert hooks_in(local(folder)) and agent(folder).exists()


def test_an_agent_that_somebody_changed_since_stays_and_is_named(folder: Path, dctx: Dctx) -> None:
    dctx("setup", "--yes", "--no-verify", cwd=planned(folder))
    agent(folder).write_text(agent(folder).read_text() + "\nBe brief.\n")
    again = dctx("setup", "--yes", "--no-verify", cwd=folder)
    assert ".claude/agents/dctx-builder.md is somebody else's and stays" in again.out
    done = dctx("setup", "--undo", "--yes", cwd=folder)
    assert "stays    .claude/agents/dctx-builder.md stays" in done.out
    assert agent(folder).read_text().endswith("Be brief.\n")
    assert not agent(folder, "verifier").exists() and not local(folder).exists()


# At a terminal


@needs_terminal
def test_at_a_terminal_a_return_is_a_yes(folder: Path) -> None:
    code, screen = talk_on_terminal(folder, "setup", "--no-verify", answers="\n")
    assert code == 0, screen
    assert screen.count("[Y/n]") == 1 and "Do this? [Y/n]" in screen
    assert hooks_in(local(folder)) and agent(folder).exists()
    code, screen = talk_on_terminal(folder, "setup", "--no-verify")
    assert code == 0 and "[Y/n]" not in screen


@needs_terminal
def test_at_a_terminal_a_no_is_a_no(folder: Path) -> None:
    code, screen = talk_on_terminal(folder, "setup", answers="n\n")
    assert code == 0 and "Nothing was done." in screen and tree(folder) == {}


@needs_terminal
@pytest.mark.parametrize("answers", ["\x04", "y\x04\x04"])
def test_whoever_ends_the_input_has_agreed_to_nothing(answers: str, folder: Path) -> None:
    code, screen = talk_on_terminal(folder, "setup", answers=answers)
    assert code == 1 and tree(folder) == {}
    assert screen.endswith("\ndctx: Nothing was done, because no answer came.\n")


@needs_terminal
def test_what_is_neither_yes_nor_no_is_explained_and_asked_again(folder: Path) -> None:
    code, screen = talk_on_terminal(folder, "setup", "--no-verify", answers="?\nwhy\nn\n")
    assert code == 0 and tree(folder) == {}
    assert screen.count("Do this? [Y/n]") == 3
    assert "What is listed as `will` is done" in screen
    assert "'why' is neither yes nor no." in screen


@needs_terminal
def test_with_several_clients_each_is_asked_about(folder: Path) -> None:
    for name in (".gemini", ".codex"):
        (folder / name).mkdir()
    code, screen = talk_on_terminal(folder, "setup", "--no-verify", answers="n\n\n\n")
    assert code == 0, screen
    assert "Put dctx into Codex CLI?" in screen and "Put dctx into Gemini CLI?" in screen
    assert hooks_in(folder / ".gemini/settings.json", "gemini")
    assert not (folder / ".codex/hooks.json").exists()
    code, screen = talk_on_terminal(folder, "setup", "--no-verify")
    assert code == 0 and "[Y/n]" not in screen
    assert "Codex CLI is here, too." in screen and "dctx setup --client codex" in screen


@needs_terminal
@pytest.mark.parametrize("columns", ["40", "80", "120"])
def test_no_word_is_cut_at_the_edge_of_the_terminal(columns: str, folder: Path) -> None:
    planned(folder)
    _, screen = talk_on_terminal(folder, "setup", "--yes", env={"COLUMNS": columns})
    results = screen[screen.index("Here:") :].splitlines()
    assert len(results) > 8
    for line in results:
        # What is said beside a result is a sentence a line.
        is_result = not line.startswith(("dctx: ", "  hint: "))
        is_one_word = " " not in line.strip()
        assert len(line) <= int(columns) or is_one_word or not is_result, line
