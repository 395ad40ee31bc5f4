"""`dctx diff`: what changed between two contexts that agents were given."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, plan, task, write

from director_ctx.assembling.told.compare import ADDED, CHANGED, GONE, SAME, changed_lines, compare
from director_ctx.doors.cli.complete import COMPLETERS
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.memory.runs.run import RunSection
from director_ctx.memory.runs.storage import read_runs

Dctx = Callable[..., Result]
BASE = {
    "VISION.md": "# Vision\nGrüße.\n",
    **plan({"01-one.md": task("One"), "02-two.md": task("Two")}),
}
CODEBASE = "# Stack\n\n" + "\n".join(f"Line {number}." for number in range(20)) + "\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "project", {**BASE, "codebase/STACK.md": CODEBASE})


def ids(root: Path) -> list[str]:
    return [run.id for run in read_runs(str(root))]


def told(**sections: str) -> list[RunSection]:
    return [RunSection(tag, len(text), text * 64) for tag, text in sections.items()]


# The comparison


def test_sections_are_same_changed_added_or_gone_and_what_is_gone_stands_where_it_was() -> None:
    found = compare(told(a="1", gone="2", b="3", c="4"), told(a="1", b="5", new="6", c="4"))
    assert [(one.tag, one.what) for one in found.sections] == [
        ("a", SAME), ("gone", GONE), ("b", CHANGED), ("new", ADDED), ("c", SAME),
    ]  # fmt: skip
    assert (found.first, found.same_tokens) == ("b", 1)


# The command


def test_the_newest_context_is_shown_against_the_one_before_it(root: Path, dctx: Dctx) -> None:
    dctx("assemble", "verifier", "--with", "codebase", cwd=root)
    dctx("assemble", "builder", "--codebase", "STACK", cwd=root)
    dctx("assemble", "planner", cwd=root)
    dctx("assemble", "builder", "--codebase", "STACK", cwd=root)
    write(
        root,
        {
            "codebase/STACK.md": CODEBASE.replace("Line 7.", "Line seven.\twell"),
            "VISION.md": BASE["VISION.md"],
        },
    )
    dctx("assemble", "builder", "--codebase", "STACK", cwd=root)
    _, before, after = (run for run in read_runs(str(root)) if run.agent == "builder")
    out = dctx("diff", cwd=root).out.splitlines()
    assert (
        out[0]
        == f"{before.id}  builder, task 1/1/1, {before.used:,} tokens, {local_time(before.time)}"
    )
    assert (
        out[1]
        == f"{after.id}  builder, task 1/1/1, {after.used:,} tokens, {local_time(after.time)}"
    )
    assert out[2].split() == ["Section", "What", "Before", "After", "Growth"]
    table = {
        line.split()[0]: line.split()[1:]
        for line in out[4:]
        if line and not line.startswith(("First", " "))
    }
    assert table["vision"][0] == "same" and table["codebase"][0] == "changed"
    same = sum(
        one.tokens
        for one in after.sections[: [one.tag for one in after.sections].index("codebase")]
    )
    assert f"First difference: section codebase, after {same} tokens that are the same." in out
    diff = out[out.index("codebase: changed") + 1 :]
    assert diff[0].startswith("@@ ") and "-Line 7." in diff and "+Line seven.    well" in diff
    assert [line for line in diff if line[0] in "+-"] == ["-Line 7.", "+Line seven.    well"]


def test_an_agent_can_be_chosen(root: Path, dctx: Dctx) -> None:
    for words in (
        ("builder",),
        ("builder", "--task", "2"),
        ("planner",),
        ("planner", "--note", "Mind the gap."),
    ):
        dctx("assemble", *words, cwd=root)
    assert dctx("diff", "--agent", "builder", cwd=root).out.split()[0] == ids(root)[0]
    assert (
        dctx("diff", "--agent", "director:Director-Builder", cwd=root).out.split()[0]
        == ids(root)[0]
    )
    assert dctx("diff", cwd=root).out.split()[0] == ids(root)[2]


def test_runs_can_be_named_by_id_or_the_beginning_of_one(root: Path, dctx: Dctx) -> None:
    for number in range(3):
        dctx("assemble", "builder", "--note", f"Note {number}.", cwd=root)
    first, second, third = ids(root)
    one = dctx("diff", first, cwd=root).out
    assert one.startswith(f"{first}  ") and f"\n{third}  " in one
    two = dctx("diff", second, first, cwd=root).out
    assert two.startswith(f"{second}  ") and f"\n{first}  " in two and "-Note 1.\n+Note 0." in two
    short = next(
        first[:length]
        for length in range(2, 8)
        if sum(run.startswith(first[:length]) for run in ids(root)) == 1
    )
    assert dctx("diff", short, second, cwd=root).out == dctx("diff", first, second, cwd=root).out


def test_contexts_of_two_agents_can_be_compared(root: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder", cwd=root)
    dctx("assemble", "planner", cwd=root)
    data = json.loads(dctx("diff", *ids(root), "--json", cwd=root).out)
    what = {one["tag"]: one["what"] for one in data["sections"]}
    assert what["task"] == "gone" and what["vision"] == "same"
    gone = next(one for one in data["sections"] if one["tag"] == "task")
    assert gone["after"] is None and gone["before"] > 0 and "-<task>" in gone["diff"]


def test_json_says_all_of_it(root: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder", cwd=root)
    dctx("assemble", "builder", "--note", "Mind the gap.", cwd=root)
    data = json.loads(dctx("diff", "--json", cwd=root).out)
    assert list(data) == ["old", "new", "identical", "first_difference", "same_tokens", "sections"]
    assert [data["old"]["id"], data["new"]["id"]] == ids(root)
    assert data["first_difference"] == "instructions" and data["identical"] is False
    last = data["sections"][-1]
    assert last["what"] == "changed" and "+Mind the gap." in last["diff"]
    assert all(one["diff"] == [] for one in data["sections"][:-1])
    summary = json.loads(dctx("diff", "--json", "--summary", cwd=root).out)
    assert all("diff" not in one for one in summary["sections"])


def test_identical_contexts_are_called_so(root: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder", cwd=root)
    dctx("assemble", "builder", cwd=root)
    result = dctx("diff", cwd=root)
    assert result.code == 0 and result.out.endswith("The two are identical, byte for byte.\n")
    assert json.loads(dctx("diff", "--json", cwd=root).out)["identical"] is True


def test_another_order_is_called_another_order(root: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder", "--codebase", "STACK", cwd=root)
    dctx("assemble", "builder", "--codebase", "STACK", "--layout", "cache", cwd=root)
    out = dctx("diff", cwd=root).out
    assert "The sections are the same, in another order." in out and "changed" not in out


def test_a_text_that_is_no_longer_kept_is_a_sentence(root: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder", cwd=root)
    dctx("assemble", "builder", "--task", "2", cwd=root)
    shutil.rmtree(root / ".director" / ".dctx" / "texts")
    out = dctx("diff", cwd=root).out
    assert (
        "task: changed\nThe text is no longer kept; only the last contexts are kept in full.\n"
        in out
    )
    data = json.loads(dctx("diff", "--json", cwd=root).out)
    assert {one["tag"]: one["diff"] for one in data["sections"]}["task"] is None


def test_counts_of_two_counters_are_not_taken_for_growth(root: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder", cwd=root)
    record = root / ".director" / ".dctx" / "runs.jsonl"
    record.write_text(record.read_text().replace("chars/4", "o200k_base"))
    dctx("assemble", "builder", cwd=root)
    assert "Counted by o200k_base before and by chars/4 after" in dctx("diff", cwd=root).out


@pytest.mark.parametrize(
    ("made", "words", "said"),
    [
        ([], (), "No context is on record yet."),
        (["builder"], (), "is the only context for builder on record."),
        (["builder"], ("--agent", "planner"), "No context for planner is on record yet."),
        (["builder", "builder"], ("r",), "could be any of"),
        (["builder", "builder"], ("x",), "There is no run 'x' on record."),
        (["builder", "builder"], ("\x1b[31m",), "There is no run"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(
    made: list[str], words: tuple[str, ...], said: str, root: Path, dctx: Dctx
) -> None:
    for agent in made:
        dctx("assemble", agent, cwd=root)
    result = dctx("diff", *words, cwd=root)
    assert (result.code, result.out) == (1, "")
    assert said in result.err and "hint:" in result.err and "\x1b" not in result.err


def test_the_newest_is_not_compared_with_itself(root: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder", cwd=root)
    dctx("assemble", "builder", cwd=root)
    result = dctx("diff", ids(root)[-1], cwd=root)
    assert result.code == 1 and "is the newest context for builder." in result.err


def test_changed_lines_cannot_reach_the_terminal_as_codes(root: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder", cwd=root)
    dctx("assemble", "builder", "--note", "A \x1b[31mred\x1b[0m \u202enote", cwd=root)
    out = dctx("diff", cwd=root).out
    assert "red" in out and "\x1b" not in out and "\u202e" not in out


def test_a_shell_is_offered_runs_newest_first(
    root: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    dctx("assemble", "builder", cwd=root)
    dctx("assemble", "planner", cwd=root)
    offered = COMPLETERS["run"]("r")
    assert [one[0] for one in offered] == ids(root)[::-1]
    assert offered[0][1].startswith("planner ")
    assert COMPLETERS["run"]("x") == []
    monkeypatch.chdir("/")
    assert COMPLETERS["run"]("r") == []


def test_a_very_long_section_is_not_compared_line_by_line() -> None:
    assert list(changed_lines("x\n" * 30_000, "y")) == [
        "(30,001 lines before and 1 after: too many to compare)"
    ]
