"""Files as a revision has them: nothing of the repository is run, and no link leads out of our folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, commit, git, plan, task, write
from git_traps import set_traps
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.project.git.revision import is_plain_path, stays, unpack

Dctx = Callable[..., Result]
BASE = {
    "VISION.md": "# Vision\nA thing that works.\n",
    **plan({"01-one.md": task("One", "Nothing"), "02-two.md": task("Two", "Task 1")}),
}
TASK = ".director/goals/01-first/01-step/tasks/01-one.md"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = write(tmp_path / "repo", BASE)
    commit(root, "First", {"app.py": "print()\n"})
    return root


def test_only_links_that_stay_are_made(repo: Path, tmp_path: Path) -> None:
    folder = repo / ".director"
    targets = {
        "good.md": "VISION.md",
        "deep/good.md": "../VISION.md",
        "up.md": "../app.py",
        "out.md": "/etc/passwd",
    }
    (folder / "deep").mkdir()
    for name, target in targets.items():
        (folder / name).symlink_to(target)
    commit(repo, "Links")
    there = tmp_path / "there"
    unpack(str(repo), git(repo, "rev-parse", "HEAD"), ".director", str(there))
    made = {path.relative_to(there).as_posix() for path in there.rglob("*") if path.is_symlink()}
    assert made == {"good.md", "deep/good.md"}
    assert there.stat().st_mode & 0o777 == 0o700


def test_no_program_that_a_repository_configures_runs(repo: Path, dctx: Dctx) -> None:
    commit(repo, "Attributes", {".gitattributes": "* filter=trap diff=trap text eol=crlf\n"})
    mark = set_traps(repo, hooks=True)
    for kind in ("clean", "smudge", "process"):
        git(repo, "config", f"filter.trap.{kind}", str(repo.parent / "trap.sh"))
    mark.unlink(missing_ok=True)
    assert dctx("status", "--nodes", "--since", "HEAD", cwd=repo).out == "Nothing changed.\n"
    assert not mark.exists(), mark.read_text()


def test_submodules_and_replaced_objects_are_not_taken_for_files(
    repo: Path, tmp_path: Path, dctx: Dctx
) -> None:
    other = write(tmp_path / "other", {})
    commit(other, "Other", {"a.md": "# A\n"})
    allowed = ("-c", "protocol.file.allow=always")
    git(repo, *allowed, "submodule", "add", "-q", str(other), ".director/module")
    commit(repo, "Module")
    evil = tmp_path / "evil.md"
    evil.write_text(task("Evil", "Nothing"))
    blob = git(repo, "rev-parse", f"HEAD:{TASK}")
    git(repo, "replace", blob, git(repo, "hash-object", "-w", str(evil)))
    assert dctx("status", "--nodes", "--since", "HEAD", cwd=repo).out == "Nothing changed.\n"


@given(st.text(alphabet="ab./\\\0", max_size=12))
def test_a_plain_path_goes_straight_down(path: str) -> None:
    if is_plain_path(path):
        assert not os.path.isabs(path) and "\0" not in path
        assert os.path.normpath(path) == path


@given(st.text(alphabet="ab./", min_size=1, max_size=10), st.text(alphabet="ab./", max_size=12))
def test_a_link_that_stays_ends_below_the_folder(path: str, target: str) -> None:
    if is_plain_path(path) and stays(path, target):
        end = os.path.normpath(os.path.join("/top/folder", os.path.dirname(path), target))
        assert end == "/top/folder" or end.startswith("/top/folder/")
