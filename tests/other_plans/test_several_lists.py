"""Several lists in one project, and several plans of one tool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result
from other_plans import copy

Run = Callable[..., Result]


@pytest.mark.parametrize("second", ["ROADMAP.md", "docs/TODO.md"])
def test_a_list_is_followed_also_when_another_was_taken_over(
    dctx: Run, second: str, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "TODO.md").write_text("# Now\n\n- [ ] bake bread\n")
    (tmp_path / second).write_text("# Then\n\n- [ ] sell bread\n")
    assert dctx("init", "--from", "todo", "TODO.md", "--yes", cwd=tmp_path).code == 0
    result = dctx("init", "--from", "todo", second, "--yes", cwd=tmp_path)
    assert result.code == 0 and "Gone" not in result.out and "Goal 2: Then" in result.out

    with (tmp_path / "TODO.md").open("a") as file:
        file.write("- [ ] buy flour\n")
    result = dctx("init", "--from", "todo", "--yes", cwd=tmp_path)
    assert "1 new task" in result.out and "Gone" not in result.out
    assert (tmp_path / ".director/goals/01-now/01-now/tasks/02-buy-flour.md").exists()


def test_another_plan_of_the_same_tool_does_not_pass_for_the_first(
    dctx: Run, tmp_path: Path
) -> None:
    copy("openspec", tmp_path)
    copy("openspec", tmp_path / "packages/app")
    assert dctx("init", "--from", "openspec", "--yes", cwd=tmp_path).code == 0
    result = dctx("init", "--from", "openspec", "packages/app", "--yes", cwd=tmp_path)
    assert result.code == 1 and "still there" in result.err


def test_a_plan_may_move_with_its_folder(dctx: Run, tmp_path: Path) -> None:
    copy("openspec", tmp_path / "packages/app")
    dctx("init", "--from", "openspec", "packages/app", "--yes", cwd=tmp_path)
    (tmp_path / "packages").rename(tmp_path / "apps")
    result = dctx("init", "--from", "openspec", "apps/app", "--yes", cwd=tmp_path)
    assert result.code == 0 and "Nothing new" in result.out
