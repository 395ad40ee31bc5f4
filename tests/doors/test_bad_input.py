"""Whatever is in the folder or around the process: an answer or one sentence, never a traceback or
half a file.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, needs_permissions, plan, process, step, task, write
from exit_codes import ALLOWED

Run = Callable[..., Result]

COMMANDS = (
    ("assemble", "builder", "--explain"),
    ("assemble", "planner", "--format", "json"),
    ("assemble", "debugger", "--format", "markdown"),
    ("budget", "builder"),
    ("budget", "--all"),
    ("next",),
    ("status",),
    ("status", "--json"),
    ("profiles",),
)
VISION = "# Vision\n\n## Project Name\nGrüße\n\n## What It Does\nIt greets in the morning.\n"
BASE = {
    "VISION.md": VISION,
    **plan({"01-one.md": task("One", "Nothing"), "02-two.md": task("Two", "Task 1")}),
}
STEP = "goals/01-first/01-step"


def fine(result: Result) -> Result:
    """What holds for every run, whatever was wrong."""
    assert result.code in ALLOWED, result
    assert "Traceback" not in result.err
    assert "bug in dctx" not in result.err
    if result.code not in (0, 5, 6):
        assert "dctx: " in result.err, "a failure says why"
    return result


def tree(root: Path) -> dict[str, tuple[int, int, int]]:
    """Every name below a folder with what would change if it were written; what dctx keeps for
    itself aside.
    """
    found = {}
    for folder, folders, files in os.walk(root):
        if ".dctx" in folders and os.path.basename(folder) == ".director":
            folders.remove(".dctx")
        for name in (*folders, *files):
            status = os.lstat(os.path.join(folder, name))
            changed = (0, 0) if name == ".director" else (status.st_size, status.st_mtime_ns)
            found[os.path.join(folder, name)] = (status.st_mode, *changed)
    return found


def look(dctx: Run, root: Path) -> dict[str, Result]:
    """Every reading command, none of which may fail badly or change anything."""
    before = tree(root)
    results = {" ".join(words): fine(dctx(*words, cwd=root)) for words in COMMANDS}
    assert tree(root) == before
    return results


def builder(results: dict[str, Result]) -> Result:
    return results["assemble builder --explain"]


def notes(results: dict[str, Result]) -> str:
    """What status has to say about odd files."""
    found = json.loads(results["status --json"].out)["notes"]
    return "\n".join(f"{note['path']} {note['text']}" for note in found)


# The folder


@pytest.mark.parametrize(
    "words", [words for words in COMMANDS if words != ("profiles",)], ids=" ".join
)
def test_without_a_director_folder_there_is_a_hint_and_nothing_is_made(
    words: tuple[str, ...], dctx: Run
) -> None:
    result = fine(dctx(*words, cwd=Path("/")))
    assert (result.code, result.out) == (1, "")
    assert "There is no .director/ folder" in result.err and "dctx init" in result.err
    assert not Path("/.director").exists()


def test_empty_files_count_as_missing(tmp_path: Path, dctx: Run) -> None:
    names = (
        "VISION.md",
        "GAMEPLAN.md",
        "STATE.md",
        "config.json",
        "dctx.yaml",
        "codebase/STACK.md",
        "reference/a.md",
    )
    empty = dict.fromkeys(
        (*names, f"{STEP}/STEP.md", f"{STEP}/tasks/01-a.md", "goals/01-first/GOAL.md"), ""
    )
    results = look(dctx, write(tmp_path, empty))
    assert builder(results).code == 0
    assert ".director/VISION.md: the file is empty" in builder(results).err
    assert f"{STEP}/tasks/01-a.md is empty" in builder(results).err
    assert "<vision>" not in builder(results).out
    assert results["next"].out.startswith("1/1/1  a\n")


def test_a_folder_without_anything_in_it_is_a_project(tmp_path: Path, dctx: Run) -> None:
    results = look(dctx, write(tmp_path, {}))
    assert builder(results).code == 6
    assert results["next"].code == 6
    assert "No goals are planned yet." in results["status"].out


@pytest.mark.parametrize(
    "name",
    [
        "goals",
        "codebase",
        "research",
        "reference",
        "goals/01-first",
        STEP,
        f"{STEP}/tasks",
        "instructions",
    ],
)
def test_a_file_where_a_folder_should_be_is_passed_over(
    name: str, tmp_path: Path, dctx: Run
) -> None:
    root = write(
        tmp_path,
        {**BASE, "codebase/STACK.md": "x", "research/STACK.md": "x", "reference/a.md": "x"},
    )
    shutil.rmtree(root / ".director" / name, ignore_errors=True)
    write(root, {name: "I am a file."})
    results = look(dctx, root)
    assert results["status"].code == 0
    assert "I am a file." not in builder(results).out


def test_a_director_that_is_a_file_is_refused(tmp_path: Path, dctx: Run) -> None:
    (tmp_path / ".director").write_text("x")
    for words in (
        ("next",),
        ("assemble", "builder"),
        ("status", "--root", str(tmp_path)),
        ("init", "--root", "."),
    ):
        result = fine(dctx(*words, cwd=tmp_path))
        assert (result.code, result.out) == (1, ""), words
        assert "folder" in result.err
    assert (tmp_path / ".director").read_text() == "x"


def test_a_folder_where_a_file_should_be_is_passed_over(tmp_path: Path, dctx: Run) -> None:
    names = ("VISION.md", "GAMEPLAN.md", "STATE.md", "config.json", f"{STEP}/STEP.md")
    root = write(
        tmp_path,
        {f"{name}/inner.md": "x" for name in names} | {f"{STEP}/tasks/01-one.md": task("One")},
    )
    (root / ".director" / STEP / "tasks" / "02-folder.md").mkdir()
    assert builder(look(dctx, root)).code == 0
    (root / ".director" / "dctx.yaml").mkdir()
    refused = builder(look(dctx, root))
    assert (refused.code, refused.out) == (
        1,
        "",
    ) and ".director/dctx.yaml is a folder" in refused.err


def test_units_without_a_number_are_ignored_and_named(tmp_path: Path, dctx: Run) -> None:
    files = {
        "VISION.md": VISION,
        "goals/first/GOAL.md": "# Goal\n",
        "goals/02-b/step/STEP.md": step(),
    }
    files |= {
        "goals/02-b/01-s/tasks/do-it.md": task(),
        "goals/02-b/01-s/tasks/01-fine.md": task("Fine", "Nothing"),
    }
    results = look(dctx, write(tmp_path, files))
    for path in ("goals/first", "goals/02-b/step", "goals/02-b/01-s/tasks/do-it.md"):
        assert f".director/{path} has no number in its name; it was ignored" in notes(results)
    assert results["next"].out.startswith("2/1/1  Fine\n")


def test_a_number_twice_is_noted_and_ambiguous(tmp_path: Path, dctx: Run) -> None:
    files = plan({"01-one.md": task("One", "Nothing"), "01-uno.md": task("Uno", "Nothing")}) | {
        "VISION.md": VISION
    }
    files["goals/01-primo/01-step/tasks/01-a.md"] = task("A")
    root = write(tmp_path, files)
    results = look(dctx, root)
    assert f".director/{STEP}/tasks has number 1 more than once" in notes(results)
    assert ".director/goals has number 1 more than once" in notes(results)
    refused = fine(dctx("assemble", "builder", "--goal", "first", "--task", "1", cwd=root))
    assert (refused.code, refused.out) == (1, "")
    assert "01-one" in refused.err and "01-uno" in refused.err
    assert dctx("assemble", "builder", "--goal", "first", "--task", "uno", cwd=root).code == 0


def test_huge_numbers_in_names_do_no_harm(tmp_path: Path, dctx: Run) -> None:
    digits = "9" * 100
    root = write(
        tmp_path, {"VISION.md": VISION, f"goals/{digits}-x/01-s/tasks/01-a.md": task(), **BASE}
    )
    look(dctx, root)
    assert fine(dctx("assemble", "builder", "--task", digits * 50, cwd=root)).code == 1


# Bytes

LINES = VISION.replace("\n", "\r\n")
ENCODED = {
    "CRLF": LINES.encode(),
    "lone CR": VISION.replace("\n", "\r").encode(),
    "BOM": b"\xef\xbb\xbf" + VISION.encode(),
    "UTF-16 little": b"\xff\xfe" + LINES.encode("utf-16-le"),
    "UTF-16 big": b"\xfe\xff" + LINES.encode("utf-16-be"),
    "UTF-16 without a mark": VISION.encode("utf-16-le"),
    "NUL bytes": VISION.replace("It ", "I\0t\0 ").encode(),
    "control characters": VISION.replace("It ", "I\x1bt\x07 ").encode(),
}


@pytest.mark.parametrize("data", ENCODED.values(), ids=ENCODED.keys())
def test_a_document_in_any_encoding_reads_the_same(data: bytes, tmp_path: Path, dctx: Run) -> None:
    plain = builder(look(dctx, write(tmp_path / "plain", BASE)))
    results = look(dctx, write(tmp_path / "odd", {**BASE, "VISION.md": data}))
    assert builder(results).out == plain.out
    assert "Grüße" in results["status"].out


def test_invalid_utf_8_is_replaced_and_noted(tmp_path: Path, dctx: Run) -> None:
    broken = VISION.encode().replace(b"morning", b"m\xff\xferning")
    results = look(dctx, write(tmp_path, {**BASE, "VISION.md": broken}))
    assert "It greets in the m\ufffd\ufffdrning." in builder(results).out
    assert ".director/VISION.md bytes that are not UTF-8 were replaced" in builder(results).err


@pytest.mark.parametrize(
    "junk", [b"\0" * 5000, b"\xff" * 5000, b"\xfe\xff\xd8\x00", bytes(range(256)) * 20], ids=str
)
def test_junk_in_every_file_does_no_harm(junk: bytes, tmp_path: Path, dctx: Run) -> None:
    names = (
        "VISION.md",
        "GAMEPLAN.md",
        "STATE.md",
        "config.json",
        "codebase/STACK.md",
        "research/SUMMARY.md",
    )
    files: dict[str, str | bytes] = dict.fromkeys(
        (*names, f"{STEP}/STEP.md", f"{STEP}/tasks/01-a.md"), junk
    )
    look(dctx, write(tmp_path, files))


@pytest.mark.parametrize(
    "config", ["[]", "{", '{"max_retry_cycles": "x"}', "[" * 100_000, '{"max_retry_cycles": 1e999}']
)
def test_a_broken_config_json_is_ignored(config: str, tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, {**BASE, "config.json": config})
    look(dctx, root)
    assert "3" in fine(dctx("assemble", "debugger", "--input", "attempt=1", cwd=root)).out


# Size


def sparse(path: Path, start: str, size: int = 50_000_000) -> None:
    """A file that is as large as it says and takes no room."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(start.encode())
        file.truncate(size)


@pytest.mark.parametrize(
    "start", ["", VISION + "Words and words.\n" * 500], ids=["nothing but holes", "text first"]
)
def test_a_vision_of_50_mb_is_left_out_and_costs_little(
    start: str, tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path, BASE)
    sparse(root / ".director" / "VISION.md", start)
    results = look(dctx, root)
    assert builder(results).code == 0
    assert "<vision>" not in builder(results).out, (
        "a protected document is shown whole or not at all"
    )
    assert ".director/VISION.md" in builder(results).err
    if start:
        assert (
            "warning: .director/VISION.md is too large to be read whole, so it was left out"
            in builder(results).err
        )


def test_a_research_note_of_50_mb_is_cut_to_the_length_of_one_file(
    tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path, BASE)
    sparse(
        root / ".director" / "research" / "STACK.md",
        "# Stack\n\n" + "## Part\nWords and words.\n\n" * 4000,
    )
    result = fine(dctx("assemble", "builder", "--research", "STACK", cwd=root))
    assert result.code == 0
    assert "# Stack" in result.out
    assert len(result.out) < 80_000
    assert "only the first 4,000,000 of 50,000,000 bytes were read" in result.err
    look(dctx, root)


def test_a_task_of_50_mb_is_refused(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, BASE)
    sparse(
        root / ".director" / STEP / "tasks" / "01-one.md",
        "# Task: One\n\n## What To Do\n" + "Words.\n" * 1000,
    )
    result = fine(dctx("assemble", "builder", cwd=root))
    assert (result.code, result.out) == (1, "")
    assert "is too large to be a task" in result.err


def test_ten_thousand_tasks_are_no_trouble(tmp_path: Path, dctx: Run) -> None:
    files = {f"{number:05}-t.done.md": "" for number in range(1, 9_000)}
    files |= {f"{number:05}-t.md": task(f"Number {number}") for number in range(9_000, 10_001)}
    root = write(tmp_path, plan(files) | {"VISION.md": VISION})
    assert fine(dctx("next", cwd=root)).out.startswith("1/1/9000  Number 9000\n")
    shown = fine(dctx("status", cwd=root)).out
    assert "  90%  8999/10000 tasks\n" in shown
    assert "1,000 tasks wait for others: " in shown and shown.count("\n") <= 15
    assert fine(dctx("assemble", "builder", cwd=root)).code == 0


def test_a_step_that_lists_ten_thousand_tasks_is_no_trouble(tmp_path: Path, dctx: Run) -> None:
    lines = "\n".join(f"- [ ] Task {number}: Something" for number in range(1, 10_001))
    root = write(tmp_path, {**BASE, f"{STEP}/STEP.md": step(1, "Long", lines)})
    look(dctx, root)


# Things that are no plain files

SPECIAL = (
    "VISION.md",
    "STATE.md",
    "dctx.yaml",
    "config.json",
    f"{STEP}/STEP.md",
    f"{STEP}/tasks/01-one.md",
    "goals",
)


@pytest.mark.parametrize("name", SPECIAL)
def test_a_fifo_is_passed_over_without_waiting_for_it(name: str, tmp_path: Path) -> None:
    root = write(tmp_path, BASE)
    path = root / ".director" / name
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    os.mkfifo(path)
    for words in (("assemble", "builder"), ("status", "--json")):
        result = fine(process(*words, cwd=root))  # a process has a time limit
    assert "is not a regular file; it was ignored" in result.out or name == "goals"


def test_a_fifo_for_an_option_is_refused_without_waiting(tmp_path: Path) -> None:
    root = write(tmp_path, BASE)
    os.mkfifo(root / "pipe")
    for option in ("--issues", "--ref"):
        result = fine(process("assemble", "debugger", option, "pipe", cwd=root))
        assert (result.code, result.out) == (1, "")
        assert "not a regular file" in result.err


@pytest.mark.parametrize("name", SPECIAL)
def test_a_link_to_a_device_is_passed_over(name: str, tmp_path: Path) -> None:
    root = write(tmp_path, BASE)
    path = root / ".director" / name
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")
    fine(process("assemble", "builder", cwd=root))
    result = fine(process("status", "--json", cwd=root))
    assert f".director/{name} " in "".join(
        f"{note['path']} {note['text']}" for note in json.loads(result.out)["notes"]
    )


@pytest.mark.parametrize(
    "name", [*SPECIAL, "codebase", "research/SUMMARY.md", "instructions/builder.md", STEP]
)
def test_a_link_out_of_the_project_is_never_followed(name: str, tmp_path: Path, dctx: Run) -> None:
    outside = tmp_path / "outside"
    write(
        outside,
        {
            **BASE,
            "VISION.md": "SECRET",
            "codebase/CONVENTIONS.md": "SECRET",
            "codebase/SUMMARY.md": "SECRET",
        },
    )
    for path in outside.rglob("*.md"):
        path.write_text("SECRET\n")
    (outside / ".director" / "dctx.yaml").write_text("profiles: {SECRET: {extends: builder}}\n")
    root = write(tmp_path / "project", BASE)
    path = root / ".director" / name
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    target = outside / ".director" / name
    path.symlink_to(target if target.exists() else outside / ".director" / "VISION.md")
    results = look(dctx, root)
    assert not any("SECRET" in result.out + result.err for result in results.values())
    listed = dctx(
        "assemble",
        "builder",
        "--codebase",
        "all",
        "--research",
        "all",
        "--with",
        "project_state",
        cwd=root,
    )
    assert "SECRET" not in fine(listed).out


def test_a_director_that_is_a_link_out_of_the_project_is_refused(tmp_path: Path, dctx: Run) -> None:
    write(tmp_path / "outside", BASE)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".director").symlink_to(tmp_path / "outside" / ".director")
    result = fine(dctx("assemble", "builder", cwd=tmp_path / "project"))
    assert (result.code, result.out) == (1, "")
    assert "leaves the project" in result.err


def test_a_link_inside_the_folder_is_followed_and_one_out_of_it_is_named(
    tmp_path: Path, dctx: Run
) -> None:
    text = "# Vision\nFrom elsewhere.\n"
    root = write(tmp_path, {**BASE, "drafts/vision.md": text, "/docs/vision.md": text})
    vision = root / ".director" / "VISION.md"
    for target, followed in (("drafts/vision.md", True), ("../docs/vision.md", False)):
        vision.unlink()
        vision.symlink_to(target)
        result = fine(dctx("assemble", "interviewer", cwd=root))
        assert ("From elsewhere." in result.out) == followed
        assert (".director/VISION.md" in result.err) != followed


def test_links_in_a_circle_end(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, BASE)
    director = root / ".director"
    (director / "VISION.md").unlink()
    (director / "VISION.md").symlink_to("VISION.md")
    (director / "STATE.md").symlink_to("GAMEPLAN.md")
    (director / "GAMEPLAN.md").symlink_to("STATE.md")
    (director / "goals" / "02-up").symlink_to("..")
    (director / "goals" / "01-first" / "02-loop").symlink_to("../../goals")
    (director / "goals" / "01-first" / "03-self").symlink_to(".")
    (director / "codebase").symlink_to(".")
    look(dctx, root)
    assert fine(
        dctx("assemble", "builder", "--codebase", "all", "--ref", "VISION", cwd=root)
    ).code in (0, 1)


@needs_permissions
@pytest.mark.parametrize(
    "name", ["VISION.md", f"{STEP}/tasks/01-one.md", "goals", f"{STEP}/tasks", "dctx.yaml", "."]
)
def test_what_may_not_be_read_is_passed_over(name: str, tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, {**BASE, "dctx.yaml": "budget: 20%\n"})
    path = root / ".director" / name
    path.chmod(0)
    try:
        results = {words: fine(dctx(*words, cwd=root)) for words in COMMANDS}
        assert "Grüße" not in results["assemble", "builder", "--explain"].out or name != "VISION.md"
    finally:
        path.chmod(0o700)


@needs_permissions
def test_a_read_only_folder_is_said_and_left_as_it_is(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path / "project", BASE)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    try:
        for words in (
            ("assemble", "builder", "-o", str(closed / "out.xml")),
            ("init", "--root", str(closed)),
        ):
            result = fine(dctx(*words, cwd=root))
            assert result.code == 1 and "hint:" in result.err
        assert list(closed.iterdir()) == []
    finally:
        closed.chmod(0o700)


# Names

ODD_NAMES = {
    "spaces": b"01-two  words",
    "quotes": b'01-it\'s "quoted" `ticked` $HOME',
    "a newline": b"01-two\nlines",
    "terminal escapes": b"01-\x1b[31mred\x1b]0;title\x07",
    "an eight bit escape": "01-\x9b31mred".encode(),
    "bytes that are not UTF-8": b"01-caf\xe9-\xff",
    "a tag of ours": b"01-<vision>",
    "marks that turn the text round": "01-\u202eevil".encode(),
}


def control_characters(text: str) -> set[str]:
    """What could move a cursor, colour a terminal or turn a line round."""
    return {char for char in text if unicodedata.category(char) in ("Cc", "Cf") and char != "\n"}


def oddly_named(root: Path, name: bytes) -> Path:
    """A project in which every name that can be odd is."""
    write(root, {"VISION.md": VISION})
    base = os.fsencode(root / ".director")
    try:
        for folder in (b"goals/%b/%b/tasks" % (name, name), b"codebase", b"research", b"reference"):
            os.makedirs(os.path.join(base, *folder.split(b"/")))
            with open(os.path.join(base, *folder.split(b"/"), name + b".md"), "wb") as file:
                file.write(task("", "Nothing").replace("# Task: \n", "").encode())
    except OSError:
        pytest.skip("this file system does not take such a name")
    return root


@pytest.mark.parametrize("name", ODD_NAMES.values(), ids=ODD_NAMES.keys())
def test_odd_names_are_found_and_shown_on_one_line(name: bytes, tmp_path: Path, dctx: Run) -> None:
    root = oddly_named(tmp_path, name)
    results = look(dctx, root)
    assert builder(results).code == 0
    data = json.loads(results["status --json"].out)
    assert [(goal["number"], goal["total"]) for goal in data["goals"]] == [(1, 1)]
    for words in ("status", "next", "assemble builder --explain", "budget builder"):
        assert not control_characters(results[words].out), words
        assert "--explain" in words or not control_characters(results[words].err), words
    assert results["next"].out.split("\n")[2].endswith(".md"), "a path takes one line"
    assert "\x1b" not in json.dumps(data, ensure_ascii=False)


ESCAPES = ("terminal escapes", "an eight bit escape", "marks that turn the text round")


@pytest.mark.parametrize("name", [ODD_NAMES[title] for title in ESCAPES], ids=ESCAPES)
@pytest.mark.parametrize(
    "words",
    [
        ("assemble", "builder", "--codebase", "all", "--research", "all"),
        ("assemble", "builder", "--codebase", "all", "--research", "all", "--explain"),
        ("assemble", "builder", "--codebase", "STACK", "--explain"),
        ("assemble", "builder", "--task", "9"),
        ("assemble", "builder", "--goal", "nothing-like-it"),
        ("status", "--goal", "nothing-like-it"),
        ("assemble", "planner", "--step", "7"),
    ],
    ids=" ".join,
)
def test_terminal_escapes_in_names_never_reach_the_terminal(
    words: tuple[str, ...], name: bytes, tmp_path: Path, dctx: Run
) -> None:
    result = fine(dctx(*words, cwd=oddly_named(tmp_path, name)))
    assert not control_characters(result.out)
    assert not control_characters(result.err)


def test_a_warning_about_an_empty_task_shows_its_name_without_escapes(
    tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path, {"VISION.md": VISION, f"{STEP}/tasks/01-\x1b[31mred.md": ""})
    result = fine(dctx("assemble", "builder", cwd=root))
    assert "is empty" in result.err
    assert not control_characters(result.err)


# The process and what is around it


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A project whose context does not fit into a pipe's buffer."""
    return write(
        tmp_path / "large", {**BASE, "VISION.md": VISION + "Many words about it.\n" * 20_000}
    )


def shell(script: str, cwd: Path, **env: str) -> Result:
    """A real shell with a `dctx` in it."""
    function = f'dctx() {{ "{sys.executable}" -m director_ctx "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", function + script],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))


def test_a_reader_who_has_seen_enough_is_no_error(large: Path) -> None:
    for words in ("assemble builder", "assemble builder --format json"):
        # Without buffers the first, partial write would hide what happens to the second.
        result = fine(
            shell(f"dctx {words} | head -1; exit ${{PIPESTATUS[0]}}", large, PYTHONUNBUFFERED="")
        )
        assert result.code == 0
        assert result.out in ("<vision>\n", "{\n")
        assert "Broken pipe" not in result.err


@pytest.mark.parametrize("words", ["assemble builder", "status", "next --json"])
def test_a_full_disk_is_said_in_one_sentence(words: str, large: Path) -> None:
    result = fine(shell(f"dctx {words} > /dev/full", large))
    assert result.code == 1
    assert "No space left on device" in result.err
    assert len(result.err.strip().split("\n")) <= 2


@pytest.mark.parametrize(
    "unbuffered",
    [
        "",
        "1",
    ],
)
def test_output_that_does_not_fit_is_never_cut_in_silence(unbuffered: str, large: Path) -> None:
    result = fine(
        shell("ulimit -f 8; dctx assemble builder > out.xml", large, PYTHONUNBUFFERED=unbuffered)
    )
    assert result.code == 1
    assert "File too large" in result.err


def test_a_write_that_fails_half_way_leaves_the_old_file(large: Path) -> None:
    (large / "out.xml").write_text("old")
    result = fine(shell("ulimit -f 8; dctx assemble builder -o out.xml", large))
    assert (result.code, result.out) == (1, "")
    assert (large / "out.xml").read_text() == "old"
    assert sorted(path.name for path in large.iterdir()) == [".director", "out.xml"]


@pytest.mark.parametrize(
    "script",
    [
        "dctx assemble builder >&-",
        "dctx assemble nobody 2>&-",
        "dctx assemble builder --explain >/dev/null 2>&-",
        "dctx assemble debugger --issues - <&-",
    ],
)
def test_a_closed_stream_is_no_bug(script: str, tmp_path: Path) -> None:
    expected = {"assemble nobody": 2, "builder --explain": 0}
    result = shell(script, write(tmp_path, BASE))
    assert result.code in (ALLOWED if ">&-" in script or "<&-" in script else {0}), result
    for words, code in expected.items():
        assert words not in script or result.code == code
    assert "bug in dctx" not in result.err


def test_an_interrupt_ends_with_130_and_without_a_traceback(tmp_path: Path) -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        pytest.skip("whoever runs the tests ignores SIGINT, so the program would too")
    root = write(tmp_path, BASE)
    child = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "director_ctx",
            "assemble",
            "debugger",
            "--issues",
            "-",
            "-o",
            "out.xml",
        ],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.stdin
    child.stdin.write(
        b"x" * 1_000_000
    )  # more than a pipe holds: once it is through, the child is reading
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert not (root / "out.xml").exists()


def test_a_working_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    root = write(tmp_path / "project", BASE)
    for words, code in (
        ("next", 1),
        ("assemble builder --root .", 1),
        ("init", 1),
        (f"next --root '{root}'", 0),
        (f"assemble builder --root '{root}' -o relative.xml", 1),
    ):
        result = fine(shell(f"mkdir gone; cd gone; rmdir ../gone; dctx {words}", tmp_path))
        assert result.code == code, (words, result)
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "cp1252"},
    ],
    ids=str,
)
def test_the_locale_changes_no_byte_of_a_context(env: dict[str, str], tmp_path: Path) -> None:
    root = write(tmp_path, {**BASE, **plan({"01-greet.md": task("Grüße \U0001f600", "Nothing")})})
    for words in (
        ("assemble", "builder", "--note", "Größe"),
        ("assemble", "builder", "--format", "json"),
        ("next",),
        ("next", "--json"),
    ):
        expected = process(*words, cwd=root, env={"PYTHONUTF8": "1"})
        assert expected.code == 0 and "ü" in expected.out
        if words[-1] == "Größe" and env.get("PYTHONUTF8") == "0":
            continue  # the argument itself cannot be told in such a locale
        assert fine(process(*words, cwd=root, env=env)).out == expected.out
    for words in (
        ("status",),
        ("budget", "--all"),
        ("assemble", "builder", "--explain", "--task", "greet"),
    ):
        assert fine(process(*words, cwd=root, env=env)).code == 0
    bars = process("status", cwd=root, env=env).out
    assert ("#" in bars or "---" in bars) == ("PYTHONIOENCODING" in env or "PYTHONUTF8" in env)


def test_a_home_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    root = write(tmp_path, BASE)
    result = fine(
        process(
            "assemble",
            "builder",
            cwd=root,
            env={"HOME": "/nonexistent", "XDG_STATE_HOME": "/nonexistent"},
        )
    )
    assert result.code == 0
