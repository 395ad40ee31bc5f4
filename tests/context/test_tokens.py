"""`dctx tokens`: what it counts, what it passes over, and how it says so."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, needs_permissions, plan, process, task, write

from director_ctx.context.settings.budget import count_chars
from director_ctx.context.tokens.tree import LARGEST_TEXT

Dctx = Callable[..., Result]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "VISION.md": "# Vision\nGrüße.\n",
        "/README.md": "Read me, please.\n",
        ".dctx/kept": "no",
        "/src/a.py": "a = 1\n",
    }
    return write(tmp_path, {**files, **plan({"01-one.md": task("One")})})


def counted(result: Result) -> dict[str, int]:
    return {one["path"]: one["tokens"] for one in json.loads(result.out)["files"]}


def test_without_a_file_it_counts_the_folder_of_the_project(root: Path, dctx: Dctx) -> None:
    found = counted(dctx("tokens", "--json", cwd=root))
    step = ".director/goals/01-first/01-step"
    names = [
        ".director/VISION.md",
        ".director/goals/01-first/GOAL.md",
        f"{step}/STEP.md",
        f"{step}/tasks/01-one.md",
    ]
    assert sorted(found) == sorted(names)
    assert found[".director/VISION.md"] == count_chars("# Vision\nGrüße.\n")
    inside = root / ".director" / "goals"
    assert list(counted(dctx("tokens", "--json", cwd=inside)).values()) == list(found.values())


def test_a_table_has_every_file_and_the_sum(root: Path, dctx: Dctx) -> None:
    lines = dctx("tokens", "README.md", "src", cwd=root).out.splitlines()
    assert [line.split() for line in lines if line[:1] not in "-C"] == [
        ["File", "Tokens", "Share"],
        ["README.md", "5", "71%"],
        ["src/a.py", "2", "29%"],
        ["Total", "7", "100%"],
    ]
    assert lines[-1].startswith("Counted by chars/4, an estimate: ")


def test_one_file_in_a_pipe_is_one_number(root: Path, dctx: Dctx) -> None:
    done = dctx("tokens", "README.md", cwd=root)
    assert done.out == "5\n"
    assert done.err.startswith("dctx: counted by chars/4, an estimate: usually")


def test_a_tree_has_the_sum_of_each_folder(root: Path, dctx: Dctx) -> None:
    whole = counted(dctx("tokens", "--json", cwd=root))
    sums = sums_in(dctx("tokens", "--tree", cwd=root).out)
    assert list(sums)[:3] == [".director/", "  VISION.md", "  goals/01-first/"]
    assert sums[".director/"] == sums["Total"] == sum(whole.values())
    assert sums["  goals/01-first/"] == sums[".director/"] - sums["  VISION.md"]


def sums_in(out: str) -> dict[str, int]:
    """The rows of a table of tokens, by what stands first in them."""
    rows = re.findall(r"^(.*?) +([\d,]+) +\d+%$", out, re.MULTILINE)
    return {name: int(number.replace(",", "")) for name, number in rows}


def test_a_tree_may_have_the_largest_first(root: Path, dctx: Dctx) -> None:
    write(root, {"/src/large.py": "x" * 4000, "/src/deep/down/larger.py": "x" * 8000})
    sums = sums_in(dctx("tokens", "README.md", "src", "--tree", "--sort", "tokens", cwd=root).out)
    assert list(sums) == [
        "src/", "  deep/down/", "    larger.py", "  large.py", "  a.py", "README.md", "Total",
    ]  # fmt: skip
    flat = sums_in(dctx("tokens", "README.md", "src", "--sort", "tokens", cwd=root).out)
    assert list(flat)[:2] == ["src/deep/down/larger.py", "src/large.py"]


def test_the_tree_is_in_the_json_where_it_is_asked_for(root: Path, dctx: Dctx) -> None:
    assert "tree" not in json.loads(dctx("tokens", "src", "--json", cwd=root).out)
    (folder,) = json.loads(dctx("tokens", "src", "--tree", "--json", cwd=root).out)["tree"]
    assert folder == {
        "name": "src",
        "path": "src",
        "tokens": 2,
        "inside": [{"name": "a.py", "path": "src/a.py", "tokens": 2}],
    }


@pytest.mark.parametrize("words", [("-",), ()])
def test_standard_input_is_counted_where_it_is_meant(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    done = process(
        "tokens", *words, "--counter", "o200k_base", cwd=tmp_path, stdin=b"hello <|endoftext|>"
    )
    assert (done.code, done.out) == (0, "8\n")


def test_in_a_project_what_is_piped_in_waits_for_a_dash(root: Path) -> None:
    assert "Total" in process("tokens", cwd=root, stdin=b"hello").out
    assert process("tokens", "-", cwd=root, stdin=b"hello").out == "2\n"
    both = process("tokens", "README.md", "-", "--json", cwd=root, stdin=b"hello")
    assert counted(both) == {"README.md": 5, "-": 2}


def test_nothing_to_count_is_an_error_with_a_hint(tmp_path: Path, dctx: Dctx) -> None:
    assert dctx("tokens", "nowhere", cwd=tmp_path).code == 1
    done = dctx("tokens", "--root", str(tmp_path), cwd=tmp_path)
    assert (done.code, done.out) == (1, "")


def test_what_is_missing_is_said_and_the_rest_counted(root: Path, dctx: Dctx) -> None:
    done = dctx("tokens", "README.md", "nowhere.md", cwd=root)
    assert (done.code, "README.md" in done.out) == (1, True)
    assert "dctx: warning: nowhere.md was not counted: there is no such file\n" in done.err


def test_only_text_is_counted_and_links_out_are_not_followed(
    root: Path, tmp_path_factory: pytest.TempPathFactory, dctx: Dctx
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.md").write_text("secret")
    src = root / "src"
    (src / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 99)
    (src / "utf16.txt").write_bytes("Grüße".encode("utf-16"))
    with open(src / "huge.txt", "wb") as huge:
        huge.truncate(LARGEST_TEXT + 1)
    (src / "out.md").symlink_to(outside / "secret.md")
    (src / "in.py").symlink_to(src / "a.py")
    (src / "loop").symlink_to(src)
    (src / ".git").mkdir()
    (src / ".git" / "HEAD").write_text("ref")
    os.mkfifo(src / "pipe")
    done = dctx("tokens", "src", "--json", cwd=root)
    assert counted(done) == {"src/a.py": 2, "src/in.py": 2, "src/utf16.txt": 2}
    why = {one["path"]: one["why"] for one in json.loads(done.out)["skipped"]}
    assert why == {
        "src/picture.png": "not text",
        "src/huge.txt": "larger than 200,000,000 bytes", "src/pipe": "not a regular file",
        "src/out.md": "a link that is not followed", "src/loop": "a link that is not followed",
    }  # fmt: skip
    assert done.code == 0
    assert done.err.count("was not counted") == len(why)


@needs_permissions
def test_a_folder_that_may_not_be_read_is_said(root: Path, dctx: Dctx) -> None:
    (root / "src").chmod(0)
    done = dctx("tokens", "src", "README.md", cwd=root)
    (root / "src").chmod(0o700)
    assert "src was not counted" in done.err


def test_a_file_named_twice_counts_once(root: Path, dctx: Dctx) -> None:
    assert counted(dctx("tokens", "src", "src/a.py", "--json", cwd=root)) == {"src/a.py": 2}
    spelled = ("src", "./src/a.py", str(root / "src" / "a.py"), "src/../src/a.py")
    assert counted(dctx("tokens", *spelled, "--json", cwd=root)) == {"src/a.py": 2}


def test_the_settings_of_the_project_hold_here_too(root: Path, dctx: Dctx) -> None:
    write(root, {"dctx.yaml": "counter: o200k_base\nmodel: claude-opus-5\n"})
    counter = json.loads(dctx("tokens", "README.md", "--json", cwd=root).out)["counter"]
    assert (counter["name"], counter["exact"]) == ("o200k_base", False)
    counter = json.loads(dctx("tokens", "README.md", "--json", "--model", "gpt-5", cwd=root).out)[
        "counter"
    ]
    assert (counter["exact"], counter["band"]) == (True, "exact for gpt-5")


def test_names_cannot_write_to_the_terminal(root: Path, dctx: Dctx) -> None:
    (root / "src" / "x\x1b[31m.md").write_text("text")
    done = dctx("tokens", "src", "--tree", cwd=root)
    assert "\x1b" not in done.out + done.err
