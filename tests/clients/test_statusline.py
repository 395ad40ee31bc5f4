"""`dctx statusline`: what the line says, and how it gets into Claude Code's settings and out again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, plan, process, task, write
from loading import HEAVY, loaded_by

from director_ctx import load_project
from director_ctx.clients.status_line.install import is_ours
from director_ctx.history.sessions.usage import tokens_at_start
from director_ctx.memory.plans.set_task import set_task

FILES = {
    "VISION.md": "# Vision\n",
    **plan({"01-one.md": task("One"), "02-two.md": task("Two"), "03-three.md": task("Three")}),
}
SLOW = ("typing", "re", "dataclasses", "pathlib", "subprocess", "json", "enum")
USED = {
    "input_tokens": 4,
    "cache_creation_input_tokens": 2_000,
    "cache_read_input_tokens": 80_000,
    "output_tokens": 500,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "links", FILES)


def asked(folder: Path, *words: str, **event: Any) -> str:
    """The line, for a client that starts the program where it likes."""
    result = process("statusline", *words, cwd=folder, stdin=json.dumps(event).encode())
    assert (result.code, result.err) == (0, "")
    return result.out


def window(used: dict[str, int], size: int = 200_000) -> dict[str, Any]:
    return {"context_window_size": size, "current_usage": used}


def answer(sent: int, output: int = 10, **more: Any) -> str:
    usage = {"input_tokens": sent, "output_tokens": output}
    return json.dumps(
        {"type": "assistant", "message": {"role": "assistant", "usage": usage}, **more}
    )


def test_it_says_what_is_next_and_how_full_the_window_is(root: Path) -> None:
    line = asked(root, context_window=window(USED))
    assert line == "next 1/1/1 One · 82k of 200k (41 %)\n"


def test_it_says_what_is_in_progress_and_what_comes_then(root: Path) -> None:
    set_task(load_project(root), "1/1/2", "in_progress")
    assert asked(root) == "1/1/2 Two · then 1/1/1 One\n"
    set_task(load_project(root), "1/1/1", "in_progress")
    assert asked(root).startswith("1/1/1 One and 1 more")
    # By hand, without a new version of the plan: files are asked, too.
    (file,) = root.rglob("01-one.md")
    file.rename(file.with_name("01-one.done.md"))
    assert asked(root) == "1/1/2 Two\n"


def test_the_window_is_told_by_what_was_there_at_the_start_and_what_came_since(
    root: Path, tmp_path: Path
) -> None:
    session = tmp_path / "session.jsonl"
    other = answer(99_000, isSidechain=True)
    session.write_text("\n".join(('{"type": "user"}', other, answer(18_000), answer(60_000), "")))
    line = asked(root, transcript_path=str(session), context_window=window(USED))
    assert "82k of 200k (41 %): 18k at the start, 64k since" in line
    # A client that says nothing of its window is judged by its transcript.
    assert "60k: 18k at the start, 42k since" in asked(root, transcript_path=str(session))

    compaction = '{"type": "system", "subtype": "compact_boundary"}'
    with session.open("a") as file:
        file.write(f"{compaction}\n{answer(30_000)}\n{answer(41_000)}\n")
    assert tokens_at_start(str(session)) == 30_000


def test_a_window_that_fills_up_says_so_by_the_marks_or_by_its_size(root: Path) -> None:
    nearly = {"input_tokens": 165_000}
    assert "165k of 200k (82 %), filling up" in asked(root, context_window=window(nearly))
    full = {"input_tokens": 185_000}
    assert "185k of 200k (92 %), full: /compact" in asked(root, context_window=window(full))
    small = {"input_tokens": 95_000}
    assert "full: /compact" in asked(root, context_window=window(small, 100_000))
    large = window(nearly, 1_000_000)
    assert "165k of 1M (16 %), more than 160k" in asked(root, context_window=large)
    (root / ".director/dctx.yaml").write_text("hooks:\n  warn: 50000\n")
    assert "more than 50k" in asked(root, context_window=window(USED))
    (root / ".director/dctx.yaml").write_text("hooks: [\n")
    assert "82k of 200k" in asked(root, context_window=window(USED))


def test_it_has_colours_only_where_they_are_asked_for(root: Path) -> None:
    assert "\033" not in asked(root, context_window=window({"input_tokens": 165_000}))
    line = asked(root, "--color", context_window=window({"input_tokens": 165_000}))
    assert line.startswith("\033[1mnext 1/1/1 One\033[0m · \033[33m165k")


def test_it_is_about_the_folder_of_the_session_and_outside_a_project_about_the_window_alone(
    root: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert asked(elsewhere, workspace={"current_dir": str(root)}) == "next 1/1/1 One\n"
    assert asked(elsewhere, context_window=window(USED)) == "82k of 200k (41 %)\n"
    assert asked(elsewhere) == ""


@pytest.mark.parametrize(
    "event",
    [
        b"",
        b"nonsense",
        b"[]",
        b"\xff\xfe",
        b'{"workspace": 1, "context_window": "x", "transcript_path": 7}',
        b'{"context_window": {"current_usage": {"input_tokens": "many"}, "context_window_size": -1}}',
        b'{"transcript_path": "/dev/zero"}',
        b'{"workspace": {"current_dir": "relative"}}',
    ],
)
def test_whatever_a_client_sends_it_ends_well(root: Path, event: bytes) -> None:
    result = process("statusline", cwd=root, stdin=event)
    assert (result.code, result.out, result.err) == (0, "next 1/1/1 One\n", "")


def test_a_title_cannot_speak_to_the_terminal_and_is_cut(tmp_path: Path) -> None:
    hostile = f"\033]0;owned\007{'x' * 200}"
    root = write(tmp_path / "p", {"VISION.md": "# V\n", **plan({"01-one.md": task(hostile)})})
    line = asked(root)
    assert "\033" not in line
    assert "\007" not in line
    assert len(line) < 80


def test_an_end_of_the_plan_is_said(tmp_path: Path) -> None:
    done = write(tmp_path / "a", {"VISION.md": "# V\n", **plan({"01-one.done.md": task("One")})})
    assert asked(done) == "everything is done\n"
    assert asked(write(tmp_path / "b", {"VISION.md": "# V\n"})) == "no plan yet\n"


def test_it_loads_nothing_slow(root: Path) -> None:
    set_task(load_project(root), "1/1/2", "in_progress")
    script = (
        "import os\nreading, writing = os.pipe()\n"
        'os.write(writing, b\'{"context_window": {"current_usage": {"input_tokens": 9000}}}\')\n'
        "os.close(writing)\nos.dup2(reading, 0)\n"
        "from director_ctx.doors.cli.main import main\nassert main(['statusline']) == 0\n"
    )
    bare = loaded_by("pass", root)
    loaded = loaded_by(script, root) - bare
    assert "director_ctx.clients.status_line.line" in loaded
    # sqlite3 itself brings the last.
    assert sorted(loaded & {*HEAVY, *SLOW}) == []


def settings_of(folder: Path) -> Path:
    return folder / ".claude/settings.local.json"


def agents(folder: Path, *words: str) -> Result:
    return process("agents", *words, "--what", "statusline", cwd=folder)


@pytest.mark.parametrize("before", [None, "{}\n", '{\n  "model": "opus"\n}', '{"hooks": {}}\n'])
def test_it_goes_in_and_comes_out_byte_for_byte(root: Path, before: str | None) -> None:
    path = settings_of(root)
    if before is not None:
        path.parent.mkdir()
        path.write_text(before)
    rehearsed = agents(root, "install", "--dry-run")
    assert '"command": ' in rehearsed.out
    assert path.exists() == (before is not None)

    assert agents(root, "install", "--yes").code == 0
    assert is_ours(json.loads(path.read_text())["statusLine"])
    assert "installed already" in agents(root, "install", "--yes").out
    assert (
        "Status line, this project: .claude/settings" in process("agents", "status", cwd=root).out
    )
    assert agents(root, "remove", "--yes").code == 0
    assert (path.read_text() if path.exists() else None) == before
    assert (root / ".claude").exists() == (before is not None)


@pytest.mark.parametrize("first", ["hooks", "statusline"])
def test_hooks_and_the_line_in_one_file_come_out_in_any_order(root: Path, first: str) -> None:
    for what in ("hooks", "statusline"):
        process("agents", "install", "--what", what, "--yes", cwd=root)
    assert set(json.loads(settings_of(root).read_text())) == {"hooks", "statusLine"}
    second = {"hooks": "statusline", "statusline": "hooks"}[first]
    for what in (first, second):
        assert process("agents", "remove", "--what", what, "--yes", cwd=root).code == 0
    assert not settings_of(root).exists()


def test_all_leaves_it_out_and_takes_it_out(root: Path) -> None:
    process("agents", "install", "--what", "all", "--yes", cwd=root)
    assert "statusLine" not in settings_of(root).read_text()
    agents(root, "install", "--yes")
    process("agents", "remove", "--what", "all", "--yes", cwd=root)
    assert not settings_of(root).exists()


@pytest.mark.parametrize("whose", ["project", "user"])
def test_a_line_of_somebody_elses_stays_and_whoever_asks_for_ours_is_told(
    root: Path, whose: str
) -> None:
    path = settings_of(root)
    if whose == "user":
        path = Path(os.environ["HOME"]) / ".claude/settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = '{"statusLine": {"type": "command", "command": "~/my-line.sh\\u001b[2J"}}'
    path.write_text(text)
    refused = agents(root, "install", "--yes")
    assert refused.code == 1
    assert "has a status line already, `~/my-line.sh" in refused.err
    assert "\033" not in refused.err
    assert path.read_text() == text
    agents(root, "remove", "--yes")
    assert path.read_text() == text


def test_for_every_project_it_goes_into_the_users_settings(root: Path) -> None:
    path = Path(os.environ["HOME"]) / ".claude/settings.json"
    agents(root, "install", "--user", "--yes")
    assert is_ours(json.loads(path.read_text())["statusLine"])
    # The one of the user is ours, too: nobody is in the way.
    assert agents(root, "install", "--yes").code == 0
    agents(root, "remove", "--user", "--yes")
    assert not path.exists()


def test_other_clients_have_none(root: Path) -> None:
    refused = process("agents", "install", "--what", "statusline", "--client", "codex", cwd=root)
    assert refused.code == 2
    assert "Only Claude Code" in refused.err


def test_settings_that_lead_out_of_the_project_are_left_alone(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / ".claude").symlink_to(outside)
    refused = agents(root, "install", "--yes")
    assert "leads out of the project" in refused.err
    assert list(outside.iterdir()) == []
