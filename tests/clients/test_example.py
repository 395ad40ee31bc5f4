"""The bundled example as a project of its own, and the agent that is handed its context."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import ROOT, git, remembered
from real_clients import found

from director_ctx import assemble, load_project
from director_ctx.base.errors import DctxError
from director_ctx.clients.demo.example import NO_GIT, make_example
from director_ctx.clients.demo.receiving import AGENT_IS_TOLD, receive
from director_ctx.upkeep.doctor import diagnose

SOURCE = ROOT / "examples" / "reading-list"
LAST_COMMIT = "8372d34c2eaf5dba5733c13a088dc9e8db3b770c"
LAST_COMMIT_IN_LINE = "b749a916bf81fc8f3ccea92f1750e1d817d07203"


def files_of(root: Path) -> dict[str, bytes]:
    """All but git's own and what is kept between runs."""
    files: dict[str, bytes] = {}
    for path in root.rglob("*"):
        parts = path.relative_to(root).parts
        if path.is_file() and not {".git", ".dctx", "__pycache__"} & set(parts):
            files["/".join(parts)] = path.read_bytes()
    return files


def test_the_copy_has_the_files_of_the_example_and_the_same_commits_everywhere(
    tmp_path: Path,
) -> None:
    copy = tmp_path / "copy"

    assert make_example(str(copy)) == ""
    assert files_of(copy) == files_of(SOURCE)
    assert git(copy, "rev-parse", "main") == LAST_COMMIT
    assert git(copy, "status", "--porcelain") == ""


def test_in_line_its_records_say_what_the_files_say_and_the_commits_are_the_same_everywhere(
    tmp_path: Path,
) -> None:
    copy = tmp_path / "copy"

    assert make_example(str(copy), in_line=True) == ""
    assert diagnose(load_project(root=str(copy))).problems == ()
    assert git(copy, "rev-parse", "main") == LAST_COMMIT_IN_LINE
    assert git(copy, "rev-parse", "main^") == LAST_COMMIT
    assert git(copy, "status", "--porcelain") == ""


def test_in_line_it_gives_an_agent_the_same_context(tmp_path: Path, example: Path) -> None:
    make_example(str(tmp_path / "copy"), in_line=True)
    copy = load_project(root=str(tmp_path / "copy"))
    assert (
        assemble(copy, "builder").text == assemble(load_project(root=str(example)), "builder").text
    )


def test_its_plan_and_variables_stay_out_of_a_store_that_the_user_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_STORE", "postgresql://nobody@localhost:1/nothing")

    make_example(str(tmp_path / "copy"))
    rows = dict(remembered(tmp_path / "copy"))
    assert rows["director_plans"] == 3


def test_without_git_it_has_its_files_and_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert make_example(str(tmp_path / "copy")) == NO_GIT
    assert files_of(tmp_path / "copy") == files_of(SOURCE)


def test_settings_of_git_change_nothing_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.write_text(
        "[core]\nautocrlf = true\nhooksPath = /nowhere\n[commit]\ngpgsign = true\n"
        "[init]\ndefaultBranch = trunk\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))

    assert make_example(str(tmp_path / "copy")) == ""
    monkeypatch.delenv("GIT_DIR")
    assert git(tmp_path / "copy", "rev-parse", "main") == LAST_COMMIT


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(DctxError, match="is not empty"):
        make_example(str(tmp_path))
    assert os.listdir(tmp_path) == ["mine.txt"]


def test_without_the_client_a_recorded_event_goes_through_the_real_hook(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    before = files_of(example)

    received = receive(str(example))
    assert not received.by_client
    assert received.why_not == "is not installed"
    assert received.whole
    assert received.prompt.endswith(AGENT_IS_TOLD)
    assert files_of(example) == before


@pytest.mark.proof
def test_claude_code_hands_its_agent_the_context_that_is_printed(
    example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude = Path(found("claude 2.1.197"))
    monkeypatch.setenv("PATH", f"{claude.parent}{os.pathsep}{os.environ['PATH']}")
    context = assemble(load_project(root=str(example)), "builder")

    received = receive(str(example))
    assert received.by_client
    assert received.whole
    head, _, rest = received.prompt.partition("\n\n")
    assert head.startswith("Task 2/1/3, A page for each friend: the next one that is ready")
    assert rest.startswith(context.text.strip())


def test_a_client_that_fails_is_named_and_the_recorded_event_is_shown_instead(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "claude"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    received = receive(str(example))
    assert not received.by_client
    assert received.why_not == "ran and handed nothing on"
    assert received.whole
