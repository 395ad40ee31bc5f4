"""`dctx init`, and files that are written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, git, needs_permissions, write

from director_ctx import DctxError, load_project, next_task
from director_ctx.base.system.write import create_whole, write_whole
from director_ctx.project.templates import is_template_gameplan, is_template_vision
from director_ctx.upkeep.init import CODE_SIGNS, looks_grown, make_folder, root_above

Run = Callable[..., Result]
TEMPLATES = ROOT / "templates" / "director"
EVERYTHING = {
    ".director/GAMEPLAN.md",
    ".director/IDEAS.md",
    ".director/STATE.md",
    ".director/VISION.md",
    ".director/brainstorms/",
    ".director/config.json",
    ".director/goals/",
    ".director/reference/",
    ".director/reference/terminology.md",
    ".director/reference/verification-patterns.md",
}


def tree(root: Path) -> dict[str, bytes | None]:
    """Everything below a folder: the bytes of files, None for folders."""
    found: dict[str, bytes | None] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        found[name if path.is_file() else f"{name}/"] = (
            path.read_bytes() if path.is_file() else None
        )
    return found


def vision(kind: str) -> bytes:
    return (TEMPLATES / f"VISION.{kind}.md").read_bytes()


# What it makes


def test_init_makes_everything_and_nothing_else(dctx: Run, tmp_path: Path) -> None:
    result = dctx("init", "--root", ".", cwd=tmp_path)
    assert (result.code, result.err) == (0, "")
    made = tree(tmp_path)
    assert set(made) == {".director/", *EVERYTHING}
    for name in EVERYTHING - {".director/VISION.md"}:
        if not name.endswith("/"):
            assert made[name] == (TEMPLATES / name.removeprefix(".director/")).read_bytes()
    json.loads(made[".director/config.json"] or b"")


def test_the_guide_for_who_does_not_program_is_asked_for(dctx: Run, tmp_path: Path) -> None:
    guide = "reference/plain-language-guide.md"
    dctx("init", "--root", ".", cwd=tmp_path)
    assert not (tmp_path / ".director" / guide).exists()
    made = dctx("init", "--plain-language", cwd=tmp_path).out
    assert made.splitlines()[:2] == ["Made what was missing:", f"  .director/{guide}"]
    assert (tmp_path / ".director" / guide).read_bytes() == (TEMPLATES / guide).read_bytes()


def test_init_says_what_it_made_and_what_comes_next(dctx: Run, tmp_path: Path) -> None:
    lines = dctx("init", "--root", ".", cwd=tmp_path).out.splitlines()
    assert lines[0] == "Made for a new project (greenfield):"
    assert {line.strip() for line in lines if line.startswith("  ")} == EVERYTHING
    assert ".director/VISION.md" in lines[-2]


def test_every_way_that_init_names_can_be_gone(dctx: Run, tmp_path: Path) -> None:
    named = re.findall(r"`dctx ([^`]+)`", dctx("init", "--root", ".", cwd=tmp_path).out)
    assert named == ["assemble interviewer", "assemble planner", "add --from FILE"]
    assert "one question at a time" in dctx("assemble", "interviewer", cwd=tmp_path).out
    refused = dctx("assemble", "planner", cwd=tmp_path)
    assert refused.code == 1 and "`dctx assemble interviewer` helps" in refused.err
    (tmp_path / ".director" / "VISION.md").write_text("# Vision\n\nA boat.\n")
    assert dctx("assemble", "planner", cwd=tmp_path).code == 0
    assert dctx("setup", "--what", "skills", "--yes", cwd=tmp_path).code == 0
    for words in (("next",), ("assemble", "builder")):
        told = dctx(*words, cwd=tmp_path)
        assert told.code == 6 and "Plan first: `dctx assemble planner`" in told.out + told.err


def test_what_init_made_is_a_project_of_templates_that_is_not_planned(
    dctx: Run, tmp_path: Path
) -> None:
    dctx("init", "--root", ".", cwd=tmp_path)
    project = load_project(root=str(tmp_path))
    assert is_template_vision(project.text(".director/VISION.md"))
    assert is_template_gameplan(project.text(".director/GAMEPLAN.md"))
    assert next_task(project).state == "unplanned"
    assert project.notes == []
    assert dctx("status", cwd=tmp_path).code == 0


# What is there already


def test_init_again_changes_nothing_and_says_so(dctx: Run, tmp_path: Path) -> None:
    dctx("init", "--root", ".", cwd=tmp_path)
    before = tree(tmp_path)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    result = dctx("init", "--root", ".", cwd=tmp_path)
    assert (result.code, result.out) == (0, "Nothing was missing; nothing was changed.\n")
    assert tree(tmp_path) == before
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == times


def test_init_never_overwrites_a_byte(dctx: Run, tmp_path: Path) -> None:
    own = {
        name.removeprefix(".director/"): f"mine \0 {name}\r\n".encode()
        for name in EVERYTHING
        if name[-1] != "/"
    } | {"VISION.md": b"\xff\xfe\0", "IDEAS.md": b""}
    write(tmp_path, own)
    result = dctx("init", "--root", ".", cwd=tmp_path)
    assert result.code == 0
    found = tree(tmp_path / ".director")
    assert {name: found[name] for name in own} == own


def test_init_completes_a_folder_that_is_half_made(dctx: Run, tmp_path: Path) -> None:
    write(
        tmp_path,
        {"VISION.md": "# Vision\n\nMine.\n", "goals/01-a/GOAL.md": "# Goal 1: A\n", "own.txt": "x"},
    )
    before = tree(tmp_path)
    result = dctx("init", cwd=tmp_path)
    after = tree(tmp_path)
    assert {name: after[name] for name in before} == before
    assert set(after) == set(before) | EVERYTHING
    assert "Left as they were: .director/VISION.md" in result.out.splitlines()


def test_a_link_to_nothing_is_left_alone(dctx: Run, tmp_path: Path) -> None:
    write(tmp_path, {})
    (tmp_path / ".director/VISION.md").symlink_to("../elsewhere.md")
    assert dctx("init", cwd=tmp_path).code == 0
    assert (tmp_path / ".director/VISION.md").is_symlink()
    assert not (tmp_path / "elsewhere.md").exists()


@pytest.mark.parametrize(
    "name", [".director", ".director/goals", ".director/brainstorms", ".director/reference"]
)
def test_a_file_where_a_folder_should_be_is_refused_and_stays(
    dctx: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / "p" / name).parent.mkdir(parents=True)
    (tmp_path / "p" / name).write_text("precious")
    result = dctx("init", "--root", ".", cwd=tmp_path / "p")
    assert (result.code, result.out) == (1, "")
    assert (
        f"{name}{'/' if name == '.director' else ''} is a file where a folder should be."
        in result.err
    )
    assert (tmp_path / "p" / name).read_text() == "precious"


@pytest.mark.parametrize("name", [".director", ".director/goals"])
def test_a_folder_that_is_a_link_out_of_the_project_is_refused_and_nothing_is_written_there(
    dctx: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "p" / name).parent.mkdir(parents=True)
    (tmp_path / "p" / name).symlink_to(tmp_path / "outside")
    result = dctx("init", "--root", ".", cwd=tmp_path / "p")
    assert result.code == 1 and "is a link that leaves the project" in result.err
    assert tree(tmp_path / "outside") == {}


@needs_permissions
def test_a_folder_that_may_not_be_written_is_one_sentence(dctx: Run, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        result = dctx("init", "--root", ".", cwd=tmp_path)
    finally:
        tmp_path.chmod(0o700)
    assert result.code == 1 and "Permission denied" in result.err
    assert tree(tmp_path) == {}


# Greenfield or brownfield


@pytest.mark.parametrize("sign", CODE_SIGNS)
def test_a_project_that_has_code_is_recognised(tmp_path: Path, sign: str) -> None:
    assert not looks_grown(str(tmp_path))
    if "." in sign or sign[0].isupper():
        (tmp_path / sign).write_text("x")
    else:
        (tmp_path / sign).mkdir()
    assert looks_grown(str(tmp_path))


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ([], "greenfield"),
        (["README.md", ".gitignore", "docs/x"], "greenfield"),
        (["pyproject.toml"], "brownfield"),
        (["src/x.py"], "brownfield"),
    ],
)
def test_the_vision_fits_the_project(
    dctx: Run, tmp_path: Path, files: list[str], kind: str
) -> None:
    write(tmp_path, {f"/{name}": "x" for name in files})
    result = dctx("init", cwd=tmp_path)
    assert (tmp_path / ".director/VISION.md").read_bytes() == vision(kind)
    assert vision("greenfield") != vision("brownfield")
    assert f"({kind}):" in result.out


# Where


def test_below_another_project_init_asks_for_the_folder(dctx: Run, tmp_path: Path) -> None:
    write(tmp_path, {"/a/b/x": "x"})
    result = dctx("init", cwd=tmp_path / "a" / "b")
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        f"dctx: This is inside a project already: {tmp_path} has a .director/.\n"
        "  hint: To make one here all the same, name this folder: dctx init --root .\n"
    )
    assert tree(tmp_path / "a") == {"b/": None, "b/x": b"x"}
    assert dctx("init", "--root", ".", cwd=tmp_path / "a" / "b").code == 0
    assert set(tree(tmp_path / "a" / "b")) > EVERYTHING


def test_a_folder_of_one_s_own_below_another_project_needs_no_name(
    dctx: Run, tmp_path: Path
) -> None:
    write(tmp_path, {})
    write(tmp_path / "a", {})
    assert dctx("init", cwd=tmp_path / "a").code == 0
    assert set(tree(tmp_path / ".director")) == set()


def test_the_nearest_project_above_is_found_and_a_file_of_that_name_is_none(tmp_path: Path) -> None:
    write(tmp_path / "a", {"/b/c/x": "x", "/b/.director": "a file"})
    assert (
        root_above(str(tmp_path / "a" / "b" / "c"))
        == root_above(str(tmp_path / "a" / "b"))
        == str(tmp_path / "a")
    )
    assert root_above(str(tmp_path / "a")) != str(tmp_path / "a")


def test_root_names_the_folder(dctx: Run, tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    result = dctx("init", "--root", ".", "--root", "../there", cwd=tmp_path / "here")
    assert result.code == 0
    assert tree(tmp_path / "here") == {} and set(tree(tmp_path / "there")) > EVERYTHING


def test_a_root_that_is_not_there_is_not_made(dctx: Run, tmp_path: Path) -> None:
    result = dctx("init", "--root", "nowhere", cwd=tmp_path)
    assert (result.code, tree(tmp_path)) == (1, {})
    assert "There is no folder nowhere." in result.err


# Several at once


def test_two_at_once_make_one_whole_folder_and_each_file_has_one_maker(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "director_ctx", "init", "--root", "."]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for attempt in range(2):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        both = [
            subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        results = [one.communicate(timeout=60) for one in both]
        assert [(one.returncode, err) for one, (_, err) in zip(both, results, strict=True)] == [
            (0, "")
        ] * 2
        found = tree(folder)
        assert set(found) == {".director/", *EVERYTHING}
        claimed = [
            {line.strip() for line in out.splitlines() if line.startswith("  ")}
            for out, _ in results
        ]
        files = {name for name in EVERYTHING if not name.endswith("/")}
        assert files <= claimed[0] | claimed[1]
        assert not files & claimed[0] & claimed[1]
        assert found[".director/VISION.md"] == vision("greenfield")


# Files written whole


def beside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file.md"
    path.write_text("before")
    for mode in (0o640, 0o755, 0o600):
        path.chmod(mode)
        write_whole(str(path), b"after")
        assert (path.read_bytes(), path.stat().st_mode & 0o7777) == (b"after", mode)
    assert beside(tmp_path) == ["file.md"]


@pytest.mark.parametrize("function", [write_whole, create_whole])
def test_a_new_file_has_the_permissions_that_every_new_file_gets(
    tmp_path: Path, function: Callable[[str, bytes], object]
) -> None:
    before = os.umask(0o027)
    try:
        function(str(tmp_path / "file.md"), b"new")
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    assert (tmp_path / "file.md").read_bytes() == b"new"
    assert (tmp_path / "file.md").stat().st_mode & 0o7777 == 0o640
    assert beside(tmp_path) == ["file.md"]


def test_a_link_is_followed_and_stays_a_link_and_who_reads_the_old_file_reads_it_whole(
    tmp_path: Path,
) -> None:
    (tmp_path / "real").mkdir()
    file, link = tmp_path / "real" / "file.md", tmp_path / "two.md"
    file.write_text("before")
    (tmp_path / "one.md").symlink_to("real/file.md")
    link.symlink_to("one.md")
    with link.open("rb") as reader:
        write_whole(str(link), b"after")
        assert reader.read() == b"before"
    assert file.read_bytes() == b"after" and link.is_symlink()
    assert beside(file.parent) == ["file.md"] and beside(tmp_path) == ["one.md", "real", "two.md"]


def test_a_relative_name_is_written_into_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_whole("one.md", b"1")
    assert create_whole("two.md", b"2")
    assert beside(tmp_path) == ["one.md", "two.md"]


def test_a_name_as_long_as_the_disk_allows_can_be_written(tmp_path: Path) -> None:
    write_whole(str(tmp_path / ("n" * 255)), b"x")
    assert create_whole(str(tmp_path / ("m" * 255)), b"x")
    assert len(beside(tmp_path)) == 2


@pytest.mark.parametrize("function", [write_whole, create_whole])
def test_a_full_disk_leaves_no_half_file_and_nothing_beside(
    tmp_path: Path, function: Callable[[str, bytes], object]
) -> None:
    there = tmp_path / "file.md"
    there.write_text("precious and longer than ten bytes")
    place = there if function is write_whole else tmp_path / "new.md"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            function(str(place), b"x" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert there.read_text() == "precious and longer than ten bytes"
    assert beside(tmp_path) == ["file.md"]


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_not_replaced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.md"
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        write_whole(str(path), b"x")
    assert not path.is_file() and beside(tmp_path) == ["file.md"]


@pytest.mark.parametrize("function", [write_whole, create_whole])
@pytest.mark.parametrize("name", ["n" * 256, "none/file.md"])
def test_a_place_that_cannot_be_is_an_error_that_leaves_nothing_beside(
    tmp_path: Path, name: str, function: Callable[[str, bytes], object]
) -> None:
    with pytest.raises(OSError, match=r"name too long|No such file"):
        function(str(tmp_path / name), b"x")
    assert beside(tmp_path) == []


@needs_permissions
@pytest.mark.parametrize("function", [write_whole, create_whole])
def test_a_read_only_folder_keeps_what_it_has(
    tmp_path: Path, function: Callable[[str, bytes], object]
) -> None:
    (tmp_path / "file.md").write_text("before")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            function(str(tmp_path / ("file.md" if function is write_whole else "new.md")), b"after")
        assert beside(tmp_path) == ["file.md"]
        assert (tmp_path / "file.md").read_text() == "before"
    finally:
        tmp_path.chmod(0o700)


@needs_permissions
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file.md"
    path.write_text("before")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_whole(str(path), b"after")
    assert path.read_text() == "before" and beside(tmp_path) == ["file.md"]


@pytest.mark.parametrize("kind", ["file", "empty file", "folder", "link to nothing"])
def test_create_leaves_whatever_is_there(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    if kind == "folder":
        path.mkdir()
    elif kind == "link to nothing":
        path.symlink_to("nowhere")
    else:
        path.write_text("precious" if kind == "file" else "")
    before = tree(tmp_path)
    assert create_whole(str(path), b"new") is False
    assert tree(tmp_path) == before and beside(tmp_path) == ["x"]


def test_a_folder_that_cannot_be_completed_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        DctxError, match=r"Could not write \.director/missing/file\.md: No such file or directory\."
    ):
        make_folder(str(tmp_path), {"missing/file.md": b"x"})


def sources(root: Path, names: list[str], lines: int = 5) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n" * lines)


@pytest.mark.parametrize("in_git", [True, False])
def test_source_files_are_code_wherever_they_are(tmp_path: Path, in_git: bool) -> None:
    if in_git:
        git(tmp_path, "init", "-q")
    sources(tmp_path, ["one.py", "two.py"])
    assert not looks_grown(str(tmp_path)), "two short scripts are no project yet"
    sources(tmp_path, ["two.py"], 20)
    assert not looks_grown(str(tmp_path))
    sources(tmp_path, ["tools/three.py"])
    assert looks_grown(str(tmp_path))
    (tmp_path / "tools/three.py").unlink()
    sources(tmp_path, ["two.py"], 500)
    assert looks_grown(str(tmp_path))


def test_what_git_leaves_alone_is_no_code_of_the_project(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("made/\n")
    sources(tmp_path, [f"made/{number}.py" for number in range(9)])
    assert not looks_grown(str(tmp_path))
    (tmp_path / ".gitignore").unlink()
    assert looks_grown(str(tmp_path))


def test_what_others_wrote_is_no_code_of_the_project(tmp_path: Path) -> None:
    names = [f"{number}.js" for number in range(9)]
    for folder in ("node_modules/x", ".venv/lib", "venv/lib", ".director/reference"):
        sources(tmp_path, [f"{folder}/{name}" for name in names])
    assert not looks_grown(str(tmp_path))


def test_notes_and_pictures_are_no_code(tmp_path: Path) -> None:
    sources(
        tmp_path, [f"{number}.md" for number in range(9)] + ["a.png", ".gitignore", "LICENSE"], 99
    )
    assert not looks_grown(str(tmp_path))
