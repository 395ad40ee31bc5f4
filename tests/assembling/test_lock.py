"""`dctx lock` and `dctx lock verify`: a context is made again from git, byte for byte, or it is
said why not.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, agreed, commit, git, plan, process, task, write
from git_traps import set_traps
from hypothesis import given
from hypothesis import strategies as st

import director_ctx
from director_ctx.assembling.locks.lockfile import lock_json, parse_lock
from director_ctx.base.errors import DctxError
from director_ctx.context.settings.profiles import PROFILES
from director_ctx.project.git.revision import is_plain_path, stays, unpack

Dctx = Callable[..., Result]
STACK = "# Stack\nPython and no framework.\n"
BASE = {
    "VISION.md": "# Vision\nA thing that works.\n",
    "codebase/STACK.md": STACK,
    **plan({"01-one.md": task("One", "Nothing"), "02-two.md": task("Two", "Task 1")}),
}
TASK = ".director/goals/01-first/01-step/tasks/01-one.md"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = write(tmp_path / "repo", BASE)
    commit(root, "First", {"app.py": "print()\n"})
    commit(root, "Second", {"app.py": "print(2)\n", "README.md": "# It\nReads.\n"})
    return root


def lock(dctx: Dctx, root: Path, *words: str) -> dict[str, Any]:
    """Locks a context into a file beside the repository; what it says."""
    place = root.parent / "lock.json"
    result = dctx("lock", *(words or ("builder",)), "-o", str(place), cwd=root)
    assert (result.code, result.out) == (0, ""), result
    found: dict[str, Any] = json.loads(place.read_text())
    return found


def verify(dctx: Dctx, root: Path, *words: str) -> Result:
    return dctx("lock", "verify", str(root.parent / "lock.json"), *words, cwd=root)


def identical(dctx: Dctx, root: Path, text: str) -> None:
    """The lock holds, and what it makes is the text that the agent was given."""
    result = verify(dctx, root)
    assert (result.code, result.err) == (0, ""), result
    assert result.out.startswith("Identical: ")
    assert verify(dctx, root, "--text").out == text


def change_everything(root: Path) -> None:
    """A month of work: the plan, the code and the history are others."""
    write(
        root,
        {
            "VISION.md": "# Vision\nAnother thing.\n",
            "codebase/STACK.md": "# Stack\nRust.\n",
            "dctx.yaml": "window: 9k\n",
        },
    )
    (root / TASK).rename(root / TASK.replace(".md", ".done.md"))
    for number in range(30):
        commit(
            root,
            f"Later {number}",
            {f"file{number}.txt": "x", ".director/STATE.md": f"# State\n{number}\n"},
        )


# It holds


def test_a_lock_says_all_that_is_needed(repo: Path, dctx: Dctx) -> None:
    text = dctx("assemble", "builder", "--codebase", "STACK", "--note", "Mind it.", cwd=repo).out
    found = lock(dctx, repo, "builder", "--codebase", "STACK", "--note", "Mind it.")
    assert found["dctx_lock"] == 1 and found["dctx"] == director_ctx.__version__
    assert (found["agent"], found["task"], found["counter"]) == ("builder", "1/1/1", "chars/4")
    assert found["options"] == {"codebase": ["STACK"], "note": "Mind it."}
    assert found["git"] == {
        "commit": git(repo, "rev-parse", "HEAD"),
        "project": "",
        "folder": ".director",
        "changes": "",
    }
    assert found["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    tags = [one["tag"] for one in found["sections"]]
    assert tags == ["vision", "current_step", "task", "codebase", "recent_changes", "instructions"]
    assert found["sections"][3]["sources"] == [".director/codebase/STACK.md"]
    assert (
        found["files"][".director/codebase/STACK.md"] == hashlib.sha256(STACK.encode()).hexdigest()
    )
    assert TASK in found["files"]
    assert found["instructions"]["source"] == "dctx"
    assert found["unreproducible"] == []
    assert found["budget"] == {
        "window": 200_000,
        "limit": 60_000,
        "used": -(-len(text) // 4),
        "status": "within budget",
    }


def test_the_same_context_has_the_same_lock(repo: Path, dctx: Dctx) -> None:
    first = dctx("lock", "builder", cwd=repo)
    dctx("assemble", "planner", cwd=repo)
    second = process("lock", "builder", cwd=repo / ".director")
    assert first.out == second.out


def test_a_month_later_the_context_is_made_again_byte_for_byte(repo: Path, dctx: Dctx) -> None:
    text = dctx("assemble", "builder", cwd=repo).out
    lock(dctx, repo)
    change_everything(repo)
    assert dctx("assemble", "builder", cwd=repo).out != text
    identical(dctx, repo, text)


@pytest.mark.parametrize("agent", [name for name in PROFILES if name != "director"])
def test_every_agents_context_is_made_again(
    agent: str, example: Path, tmp_path: Path, dctx: Dctx
) -> None:
    root = tmp_path / "copy"
    shutil.copytree(example, root, symlinks=True)
    (tmp_path / "issues.md").write_text("1. It breaks.\n")
    more = {
        "debugger": ("--issues", str(tmp_path / "issues.md"), "--changes", "HEAD~3", "--attempt", "2"),
        "synthesizer": ("--mode", "codebase"), "deep-mapper": ("--focus", "arch"), "mapper": ("--focus", "tech"),
        "deep-researcher": ("--domain", "stack", "--step", "2/1"), "researcher": ("--question", "Which database?"),
        "planner": ("--budget", "2500", "--step", "2/1"), "syncer": ("--compat", "upstream"),
    }.get(agent, ())  # fmt: skip
    text = dctx("assemble", agent, *more, cwd=root).out
    assert text
    lock(dctx, root, agent, *more)
    (tmp_path / "issues.md").unlink()
    change_everything_but_tasks(root)
    identical(dctx, root, text)


def change_everything_but_tasks(root: Path) -> None:
    for number in range(12):
        commit(root, f"Later {number}", {f"file{number}.txt": "x"})
    for path in [path for path in (root / ".director").rglob("*.md") if ".dctx" not in path.parts]:
        path.unlink()


@pytest.mark.parametrize(
    "words",
    [
        ("--quick", "Fix the footer link"),
        ("--task", TASK),
        ("--layout", "tags", "--order", "cache", "--format", "markdown"),
        ("--all-commits", "--raw"),
        ("--model", "gpt-5", "--budget", "10%"),
        ("--without", "vision,codebase", "--with", "gameplan"),
        ("--ref", "README.md", "--ref", "app.py", "--ref", "style"),
        ("--ref", ".director/reference/style.md"),
        ("--ref", "./.director/reference/style.md"),
        ("--type", "UI", "--type", "API"),
    ],
    ids=" ".join,
)
def test_options_are_part_of_it(words: tuple[str, ...], repo: Path, dctx: Dctx) -> None:
    commit(repo, "Style", {".director/reference/style.md": "# Style\nPlain.\n"})
    text = dctx("assemble", "builder", *words, cwd=repo).out
    lock(dctx, repo, "builder", *words)
    change_everything(repo)
    shutil.rmtree(repo / ".director" / "reference")
    (repo / "README.md").unlink()
    identical(dctx, repo, text)


def test_issues_from_standard_input_are_in_the_lock(repo: Path, dctx: Dctx) -> None:
    result = process("lock", "debugger", "--issues", "-", cwd=repo, stdin=b"1. It breaks.\n")
    assert json.loads(result.out)["options"]["issues"] == "1. It breaks.\n"
    again = process("lock", "verify", "-", "--text", cwd=repo, stdin=result.out.encode())
    assert (
        again.code == 0
        and "1. It breaks." in again.out
        and again.err.startswith("dctx: Identical: ")
    )


def test_a_moving_revision_is_pinned_under_the_name_that_the_agent_was_told(
    repo: Path, dctx: Dctx
) -> None:
    text = dctx("assemble", "debugger", "--changes", "HEAD~1", cwd=repo).out
    assert "What changed since HEAD~1:" in text
    found = lock(dctx, repo, "debugger", "--changes", "HEAD~1")
    assert found["git"]["changes"] == git(repo, "rev-parse", "HEAD~1")
    change_everything(repo)
    identical(dctx, repo, text)


def test_a_project_below_the_top_is_made_again_with_files_from_above(
    tmp_path: Path, dctx: Dctx
) -> None:
    top = tmp_path / "top"
    root = write(top / "apps" / "one", BASE)
    commit(
        top,
        "All",
        {"README.md": "# Top\n", "apps/one/README.md": "# One\n", "apps/one/docs/a.md": "# A\n"},
    )
    words = (
        "builder",
        "--ref",
        "../../README.md",
        "--ref",
        "README.md",
        "--ref",
        str(root / "docs" / "a.md"),
    )
    text = dctx("assemble", *words, cwd=root).out
    assert "# Top" in text and "# One" in text and "## docs/a.md" in text
    found = lock(dctx, root, *words)
    assert (found["git"]["project"], found["git"]["folder"]) == ("apps/one", "apps/one/.director")
    assert [one["path"] for one in found["references"]] == [
        "README.md",
        "apps/one/README.md",
        "apps/one/docs/a.md",
    ]
    for gone in (root / ".director", root / "docs"):
        shutil.rmtree(gone)
    for gone in (top / "README.md", root / "README.md"):
        gone.write_text("# Gone\n")
    commit(top, "All gone")
    identical(dctx, root, text)


def test_a_project_that_is_gone_is_still_made_again(repo: Path, dctx: Dctx) -> None:
    text = dctx("assemble", "builder", cwd=repo).out
    lock(dctx, repo)
    shutil.rmtree(repo / ".director")
    commit(repo, "Gone")
    identical(dctx, repo, text)


def test_a_clone_elsewhere_makes_it_again(repo: Path, tmp_path: Path, dctx: Dctx) -> None:
    text = dctx("assemble", "builder", cwd=repo).out
    lock(dctx, repo)
    change_everything(repo)
    git(tmp_path, "clone", "-q", str(repo), "clone")
    shutil.rmtree(repo)
    identical(dctx, tmp_path / "clone", text)


def test_line_endings_that_git_changes_are_no_difference(repo: Path, dctx: Dctx) -> None:
    git(repo, "config", "core.autocrlf", "true")
    git(repo, "rm", "-q", "-r", "--cached", ".")
    git(repo, "reset", "-q", "--hard")
    assert b"\r\n" in (repo / ".director" / "VISION.md").read_bytes()
    text = dctx("assemble", "builder", cwd=repo).out
    assert lock(dctx, repo)["unreproducible"] == []
    identical(dctx, repo, text)


def test_links_in_the_folder_are_followed_as_before(repo: Path, dctx: Dctx) -> None:
    (repo / ".director" / "codebase" / "COPY.md").symlink_to("STACK.md")
    (repo / ".director" / "linked").symlink_to("codebase")
    commit(repo, "Links")
    text = dctx("assemble", "builder", "--codebase", "COPY", "--ref", "linked/STACK", cwd=repo).out
    assert text.count("no framework") == 2
    assert (
        lock(dctx, repo, "builder", "--codebase", "COPY", "--ref", "linked/STACK")["unreproducible"]
        == []
    )
    identical(dctx, repo, text)


def test_a_folder_that_is_a_link_inside_the_project_is_found(tmp_path: Path, dctx: Dctx) -> None:
    root = write(tmp_path / "repo", BASE)
    (root / "docs").mkdir()
    (root / ".director").rename(root / "docs" / "plan")
    (root / ".director").symlink_to("docs/plan")
    commit(root, "Linked")
    text = dctx("assemble", "builder", cwd=root).out
    assert lock(dctx, root)["git"]["folder"] == "docs/plan"
    identical(dctx, root, text)


def test_odd_names_are_made_again(repo: Path, dctx: Dctx) -> None:
    names = [
        "Grüße.md",
        "a\nb.md",
        'q"uote.md',
        "-n.md",
        " blank .md",
        "co:lon.md",
        "back\\slash.md",
        "*.md",
    ]
    write(
        repo,
        {f"codebase/{name}": f"# {number}\nText {number}.\n" for number, name in enumerate(names)},
    )
    commit(repo, "Odd")
    text = dctx("assemble", "builder", "--codebase", "all", cwd=repo).out
    assert all(f"Text {number}." in text for number in range(len(names)))
    assert lock(dctx, repo, "builder", "--codebase", "all")["unreproducible"] == []
    identical(dctx, repo, text)


def test_the_projects_own_instructions_and_settings_are_those_of_the_revision(
    repo: Path, dctx: Dctx
) -> None:
    agreed(
        write(
            repo,
            {"instructions/builder.md": "# Own\nDo it our way.\n", "dctx.yaml": "window: 32k\n"},
        )
    )
    commit(repo, "Own")
    text = dctx("assemble", "builder", cwd=repo).out
    found = lock(dctx, repo)
    assert found["instructions"]["source"] == ".director/instructions/builder.md"
    write(repo, {"instructions/builder.md": "# Own\nAnother way.\n", "dctx.yaml": "window: 9k\n"})
    identical(dctx, repo, text)


def test_a_worktree_and_a_detached_head_are_fine(repo: Path, tmp_path: Path, dctx: Dctx) -> None:
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"), "HEAD~1")
    text = dctx("assemble", "builder", cwd=tmp_path / "tree").out
    assert lock(dctx, tmp_path / "tree")["git"]["commit"] == git(repo, "rev-parse", "HEAD~1")
    identical(dctx, repo, text)


def test_marks_of_stale_notes_are_made_again(repo: Path, dctx: Dctx) -> None:
    write(repo, {"codebase/STACK.md": "# Stack\nIt all is in `app.py`.\n"})
    commit(repo, "Note")
    commit(repo, "Change", {"app.py": "print(3)\n"})
    assert dctx("status", cwd=repo).code == 0
    text = dctx("assemble", "builder", "--codebase", "STACK", cwd=repo).out
    assert "may be out of date" in text
    found = lock(dctx, repo, "builder", "--codebase", "STACK")
    assert list(found["stale"]) == [".director/codebase/STACK.md"]
    change_everything(repo)
    shutil.rmtree(repo / ".director" / ".dctx", ignore_errors=True)
    identical(dctx, repo, text)


def test_the_counter_is_part_of_it(repo: Path, dctx: Dctx) -> None:
    text = dctx("assemble", "builder", "--counter", "estimate", cwd=repo).out
    found = lock(dctx, repo, "builder", "--counter", "estimate")
    assert found["counter"] == "estimate"
    write(repo, {"dctx.yaml": "counter: chars/4\n"})
    identical(dctx, repo, text)


# It does not


def test_a_dirty_tree_is_said_to_be_one(repo: Path, dctx: Dctx) -> None:
    write(repo, {"codebase/STACK.md": "# Stack\nUnsaved.\n", "IDEAS.md": "# Ideas\n"})
    (repo / ".director" / "goals" / "01-first" / "GOAL.md").unlink()
    write(repo, {"/.gitignore": "*.log\n", "run.log": "x"})
    place = repo.parent / "lock.json"
    result = dctx("lock", "builder", "--codebase", "STACK", "-o", str(place), cwd=repo)
    assert result.code == 0
    head = git(repo, "rev-parse", "--short=7", "HEAD")
    assert result.err == (
        f"dctx: warning: 4 files are not as in {head}; 1 of them went into this context, "
        "and without them it cannot be made again\n"
        "dctx:   .director/codebase/STACK.md: changed, used\n"
        "dctx:   .director/IDEAS.md: new\n"
        "dctx:   .director/goals/01-first/GOAL.md: missing\n"
        "dctx:   .director/run.log: new\n"
    )
    assert json.loads(place.read_text())["unreproducible"] == [
        {"path": ".director/IDEAS.md", "how": "new", "used": False},
        {"path": ".director/codebase/STACK.md", "how": "changed", "used": True},
        {"path": ".director/goals/01-first/GOAL.md", "how": "missing", "used": False},
        {"path": ".director/run.log", "how": "new", "used": False},
    ]
    result = verify(dctx, repo)
    assert result.code == 1 and result.out.startswith(
        "Not the same: the context for builder, task 1/1/1, made again"
    )
    table = {line.split()[0]: line for line in result.out.splitlines() if line}
    assert table["vision"].split()[1] == "same"
    assert table["codebase"].split()[1] == "changed"
    assert table["codebase"].endswith(" .director/codebase/STACK.md (changed)")
    assert (
        "Why: .director/codebase/STACK.md was not as in that revision when the lock was made: changed."
        in result.out
    )
    data = json.loads(verify(dctx, repo, "--json").out)
    assert data["identical"] is False and data["first_difference"] == "codebase"
    assert {one["tag"]: one["files"] for one in data["sections"]}["codebase"] == [
        ".director/codebase/STACK.md (changed)"
    ]


def test_what_dctx_keeps_for_itself_makes_no_tree_dirty(repo: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder", cwd=repo)
    assert (repo / ".director" / ".dctx" / "runs.jsonl").exists()
    result = dctx("lock", "builder", cwd=repo)
    assert result.err == "" and json.loads(result.out)["unreproducible"] == []


def test_a_dirty_tree_that_does_not_matter_does_not_matter(repo: Path, dctx: Dctx) -> None:
    write(repo, {"IDEAS.md": "# Ideas\n"})
    result = dctx("lock", "builder", "-o", str(repo.parent / "lock.json"), cwd=repo)
    assert (
        "1 file is not as in" in result.err
        and "none of them went into this context\n" in result.err
    )
    assert verify(dctx, repo).code == 0


def test_the_task_that_was_next_is_the_one_that_is_made_again(repo: Path, dctx: Dctx) -> None:
    (repo / TASK).rename(repo / TASK.replace(".md", ".done.md"))
    text = dctx("assemble", "builder", cwd=repo).out
    assert lock(dctx, repo, "builder", "--goal", "1")["task"] == "1/1/2"
    assert lock(dctx, repo)["task"] == "1/1/2"
    identical(dctx, repo, text)


def test_a_reference_that_git_does_not_have_is_named(
    repo: Path, tmp_path: Path, dctx: Dctx
) -> None:
    (tmp_path / "outside.md").write_text("# Outside\nSecret.\n")
    (repo / "new.md").write_text("# New\n")
    (repo / "app.py").write_text("changed\n")
    words = ("builder", "--ref", str(tmp_path / "outside.md"), "--ref", "new.md", "--ref", "app.py")
    place = repo.parent / "lock.json"
    assert "3 files are not as in" in dctx("lock", *words, "-o", str(place), cwd=repo).err
    found = json.loads(place.read_text())
    assert [(one["path"], one["how"], one["used"]) for one in found["unreproducible"]] == [
        ("outside.md", "outside the repository", True), ("new.md", "new", True), ("app.py", "changed", True),
    ]  # fmt: skip
    result = verify(dctx, repo, "--json")
    assert result.code == 1
    assert (
        f"{tmp_path}/outside.md, named with --ref, is not in that revision"
        in json.loads(result.out)["reasons"]
    )
    assert "Secret" not in verify(dctx, repo, "--text").out


def test_without_a_repository_there_is_a_lock_that_says_so(tmp_path: Path, dctx: Dctx) -> None:
    root = write(tmp_path / "plain", BASE)
    place = root.parent / "lock.json"
    result = dctx("lock", "builder", "-o", str(place), cwd=root)
    assert result.code == 0
    assert (
        result.err
        == "dctx: warning: this context cannot be made again: this is not a git repository\n"
    )
    assert json.loads(place.read_text())["git"] is None
    result = verify(dctx, root)
    assert (result.code, result.out) == (1, "") and "The lock names no revision" in result.err


def test_a_repository_without_commits_is_none(tmp_path: Path, dctx: Dctx) -> None:
    root = write(tmp_path / "repo", BASE)
    git(root, "init", "-q")
    result = dctx("lock", "builder", cwd=root)
    assert (
        result.code == 0
        and json.loads(result.out)["git"] is None
        and "cannot be made again: " in result.err
    )


def test_a_shallow_clone_says_that_it_is_one(repo: Path, tmp_path: Path, dctx: Dctx) -> None:
    lock(dctx, repo)
    commit(repo, "Later", {"x": "x"})
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", "shallow")
    result = verify(dctx, tmp_path / "shallow")
    assert (
        result.code == 1
        and "cannot be found" in result.err
        and "git fetch --unshallow" in result.err
    )


def test_commits_that_a_clone_does_not_know_are_a_reason(
    repo: Path, tmp_path: Path, dctx: Dctx
) -> None:
    lock(dctx, repo)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", "shallow")
    result = verify(dctx, tmp_path / "shallow")
    assert (
        result.code == 1
        and "Why: this clone is shallow: commits before its first are not known here." in result.out
    )


def test_another_repository_does_not_know_the_commit(
    repo: Path, tmp_path: Path, dctx: Dctx
) -> None:
    lock(dctx, repo)
    other = write(tmp_path / "other", BASE)
    commit(other, "Other")
    assert "cannot be found: there is no such revision." in verify(dctx, other).err
    plain = write(tmp_path / "plain", BASE)
    assert "cannot be found: this is not a git repository." in verify(dctx, plain).err


def test_another_version_of_dctx_is_a_reason(
    repo: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = lock(dctx, repo)
    found["dctx"] = "0.0.1"
    (repo.parent / "lock.json").write_text(json.dumps(found))
    assert verify(dctx, repo).code == 0, "a version alone changes nothing"
    found["sections"][-1]["sha256"] = found["sha256"] = found["instructions"]["sha256"] = "0" * 64
    (repo.parent / "lock.json").write_text(json.dumps(found))
    result = verify(dctx, repo)
    assert result.code == 1
    assert (
        f"Why: the lock was made with dctx 0.0.1, and this is {director_ctx.__version__}."
        in result.out
    )
    assert "Why: the instructions for builder are others." in result.out


def test_a_lock_that_fits_no_plan_says_what_is_wrong(repo: Path, dctx: Dctx) -> None:
    write(repo, {"goals/01-first/01-step/tasks/03-three.md": task("Three", "Nothing")})
    lock(dctx, repo, "builder", "--task", "3")
    result = verify(dctx, repo)
    assert (result.code, result.out) == (1, "")
    assert (
        "The context cannot be made again: " in result.err
        and "1 files were not as in that revision." in result.err
    )


# It can be trusted


def forged(repo: Path, **changes: Any) -> None:
    place = repo.parent / "lock.json"
    data = json.loads(place.read_text())
    for path, value in changes.items():
        *around, last = path.split("__")
        here = data
        for key in around:
            here = here[key]
        here[last] = value
    place.write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sha256": "x"}, "sha256: must be a hash"),
        ({"git__commit": "HEAD"}, "git.commit: must be a hash"),
        ({"git__commit": "--upload-pack=x"}, "git.commit: must be a hash"),
        ({"git__folder": "../other"}, "git.folder: must be a path inside the repository"),
        ({"git__folder": "/etc"}, "git.folder: must be a path inside the repository"),
        ({"git__folder": ""}, "git: must name a commit and a folder"),
        ({"git": []}, "git: must be an object"),
        ({"options": {"root": "/"}}, "options.root: is no option"),
        ({"options": {"agent": "x"}}, "options.agent: is no option"),
        ({"options": {"ref": "x"}}, "options.ref: must be a list"),
        ({"options": {"raw": "yes"}}, "options.raw: must be true or false"),
        ({"options": {"note": 3}}, "options.note: must be text"),
        (
            {"references": [{"name": "x", "shown": "../x", "path": ""}]},
            "references[0].shown: must be a path",
        ),
        (
            {"references": [{"name": "x", "shown": "", "path": ""}]},
            "references[0].shown: must name a file",
        ),
        ({"sections": [{"tag": 1}]}, "sections[0].tokens: is missing"),
        ({"budget__used": -1}, "budget.used: must be a whole number"),
        ({"unknown": 1}, "lock.unknown: is unknown"),
        ({"dctx_lock": 99}, "a form that this dctx does not know"),
    ],
)
def test_a_damaged_lock_is_refused_with_every_mistake(
    changes: dict[str, Any], said: str, repo: Path, dctx: Dctx
) -> None:
    lock(dctx, repo)
    forged(repo, **changes)
    result = verify(dctx, repo)
    assert (result.code, result.out) == (1, ""), result
    assert said in result.err and "hint:" in result.err


def test_all_mistakes_are_named_at_once(repo: Path, dctx: Dctx) -> None:
    lock(dctx, repo)
    forged(repo, sha256="x", agent=3, options={"nothing": 1})
    err = verify(dctx, repo).err
    assert (
        "agent: must be text; options.nothing: is no option of this dctx; sha256: must be a hash"
        in err
    )


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", "{}", "[" * 100_000, '{"dctx_lock": ' + "9" * 5000 + "}", "\x00\xff"],
)
def test_what_is_no_lock_is_called_none(text: str, repo: Path, dctx: Dctx) -> None:
    (repo.parent / "lock.json").write_text(text)
    result = verify(dctx, repo)
    assert (result.code, result.out) == (1, "") and "ock" in result.err and "hint:" in result.err
    assert dctx("lock", "verify", "nowhere.json", cwd=repo).code == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"agent": "nobody"},
        {"options": {"layout": "x"}},
        {"options": {"budget": "x"}},
        {"counter": "x"},
        {"options": {"task": "99"}},
    ],
    ids=str,
)
def test_a_lock_that_asks_for_the_impossible_fails_with_a_sentence(
    changes: Any, repo: Path, dctx: Dctx
) -> None:
    lock(dctx, repo)
    forged(repo, **changes)
    result = verify(dctx, repo)
    assert (result.code, result.out) == (1, ""), result
    assert "cannot be made again: " in result.err


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../secret.md", "~/secret.md", "secret.md", ".director/../secret.md"]
)
def test_a_forged_lock_reads_no_file_of_the_disk(
    name: str, repo: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (
        repo / "secret.md",
        repo.parent / "secret.md",
        Path(os.environ["HOME"]) / "secret.md",
    ):
        place.write_text("root:secret\n")
    lock(dctx, repo)
    forged(repo, options={"ref": [name]})
    assert "root:" not in verify(dctx, repo, "--text").out
    forged(repo, references=[{"name": name, "shown": "x.md", "path": ""}])
    assert "root:" not in verify(dctx, repo, "--text").out
    forged(repo, references=[{"name": name, "shown": "x.md", "path": "secret.md"}])
    assert "root:" not in verify(dctx, repo, "--text").out


def test_links_of_a_hostile_revision_lead_nowhere(repo: Path, tmp_path: Path, dctx: Dctx) -> None:
    (tmp_path / "secret.md").write_text("# Secret\nroot:secret\n")
    folder = repo / ".director"
    (folder / "reference").mkdir()
    (folder / "reference" / "absolute.md").symlink_to(tmp_path / "secret.md")
    (folder / "here").symlink_to(".")
    up = "here/" * 9 + "../" * 9 + str(tmp_path / "secret.md").lstrip("/")
    (folder / "up.md").symlink_to(up)
    (folder / "codebase" / "EVIL.md").symlink_to("../" + up)
    commit(repo, "Links")
    assert (folder / "up.md").is_symlink()
    names = ["absolute", "up.md", ".director/up.md", "./.director/up.md"]
    lock(dctx, repo)
    for index, name in enumerate(names):
        refs = (
            [{"name": name, "shown": ".director/up.md", "path": ".director/up.md"}] if index else []
        )
        forged(repo, options={"ref": [name], "codebase": ["EVIL"]}, references=refs)
        result = verify(dctx, repo, "--text")
        assert result.code in (0, 1) and "root:" not in result.out


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
    unpack(str(repo), git(repo, "rev-parse", "HEAD"), ".director", str(tmp_path / "there"))
    made = {
        path.relative_to(tmp_path / "there").as_posix()
        for path in (tmp_path / "there").rglob("*")
        if path.is_symlink()
    }
    assert made == {"good.md", "deep/good.md"}
    assert (tmp_path / "there").stat().st_mode & 0o777 == 0o700


def test_no_program_that_a_repository_configures_runs(repo: Path, dctx: Dctx) -> None:
    commit(repo, "Attributes", {".gitattributes": "* filter=trap diff=trap text eol=crlf\n"})
    mark = set_traps(repo, hooks=True)
    for kind in ("clean", "smudge", "process"):
        git(repo, "config", f"filter.trap.{kind}", str(repo.parent / "trap.sh"))
    if mark.exists():
        mark.unlink()
    write(repo, {"codebase/STACK.md": "# Stack\nUnsaved.\n"})
    dctx("lock", "builder", "-o", str(repo.parent / "lock.json"), cwd=repo)
    assert verify(dctx, repo).code == 0
    assert not mark.exists(), mark.read_text()


def test_neither_command_writes_to_the_repository(repo: Path, dctx: Dctx) -> None:
    before = {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in repo.rglob("*")}
    lock(dctx, repo)
    assert verify(dctx, repo).code == 0
    assert {
        path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in repo.rglob("*")
    } == before


def test_nothing_is_left_in_the_temporary_folder(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    env = {"TMPDIR": str(tmp_path / "temporary")}
    made = process("lock", "builder", cwd=repo, env=env)
    assert process("lock", "verify", "-", cwd=repo, stdin=made.out.encode(), env=env).code == 0
    assert list((tmp_path / "temporary").iterdir()) == []


def test_submodules_and_replaced_objects_are_not_taken_for_files(
    repo: Path, tmp_path: Path, dctx: Dctx
) -> None:
    other = write(tmp_path / "other", {})
    commit(other, "Other", {"a.md": "# A\n"})
    git(
        repo,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(other),
        ".director/module",
    )
    commit(repo, "Module")
    text = dctx("assemble", "builder", cwd=repo).out
    lock(dctx, repo)
    blob, evil = git(repo, "rev-parse", "HEAD:.director/VISION.md"), repo.parent / "evil.md"
    evil.write_text("# Vision\nEvil.\n")
    git(repo, "replace", blob, git(repo, "hash-object", "-w", str(evil)))
    identical(dctx, repo, text)


# Pieces


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


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
SOUND = {
    "dctx_lock": 1, "dctx": "0", "agent": "builder", "task": "1/1/1",
    "options": {"ref": ["a"], "raw": True},
    "counter": "chars/4", "budget": {"window": 1, "limit": 1, "used": 1, "status": "s"},
    "git": {"commit": "a" * 40, "project": "", "folder": ".director", "changes": ""},
    "references": [{"name": "a", "shown": "a", "path": "a"}], "sha256": "a" * 64,
    "sections": [{"tag": "task", "tokens": 1, "sha256": "a" * 64, "sources": ["x"]}], "files": {"x": "a" * 64},
    "instructions": {"source": "dctx", "sha256": "a" * 64}, "stale": {"x": "y"},
    "agents": {"verifier": "dctx-verifier", "syncer": ""},
    "unreproducible": [{"path": "x", "how": "new", "used": True}],
}  # fmt: skip


def test_a_sound_lock_reads_back_as_it_was_written() -> None:
    assert json.loads(json.dumps(lock_json(parse_lock(SOUND)))) == SOUND


@given(st.sampled_from(sorted(SOUND)), json_values)
def test_whatever_stands_in_a_lock_it_is_read_or_refused(key: str, value: Any) -> None:
    try:
        parse_lock({**SOUND, key: value})
    except DctxError as error:
        assert error.message and error.hint


def test_the_options_of_a_lock_are_those_of_assemble() -> None:
    from director_ctx.doors.cli.shared.menu import find

    assemble, lock = find(["assemble"]), find(["lock"])
    assert assemble and lock
    left = {one.name for one in assemble.options} - {one.name for one in lock.options}
    assert left == {"copy", "explain", "strict", "no_record", "only", "inject", "skill", "cdp"}


def test_an_empty_folder_in_a_step_is_nothing_new_and_one_for_a_step_is(
    dctx: Dctx, repo: Path
) -> None:
    goal = repo / ".director" / "goals" / "01-first"
    (goal / "01-step" / "notes").mkdir()
    assert lock(dctx, repo)["unreproducible"] == []
    # A step that is only an empty folder is in the plan here, and git knows nothing of it.
    (goal / "02-step" / "tasks").mkdir(parents=True)
    found = lock(dctx, repo)["unreproducible"]
    assert [(one["path"], one["how"]) for one in found] == [
        (".director/goals/01-first/02-step/tasks", "new")
    ]
