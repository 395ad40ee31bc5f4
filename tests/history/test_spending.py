"""Where a session's tokens went, how its window filled, and its picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from client_sessions import Claude, codex
from conftest import Result, plan, task, write
from histories import chars4
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.history.messages.message import TEXT, Block, Message, measure
from director_ctx.history.sessions.find import choose, read_bytes
from director_ctx.history.sessions.levels import LevelMark, compactions, levels, marks_in
from director_ctx.history.sessions.spending import Subjects, cells, spending_of
from director_ctx.history.sessions.told import Told, told
from director_ctx.history.sessions.transcript import read_transcript

Dctx = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "p", plan({"01-a.md": task("One")}))


def long_session(root: Path) -> Path:
    session = Claude(root).user("Fix the list.")
    session.called("c1", "Read", "import json\n" * 200, file_path=f"{root}/src/list.py")
    session.called("c2", "Read", "import json\n" * 100, file_path=f"{root}/src/list.py")
    session.called("c3", "Bash", "ok\n" * 50, command="cd src && pytest -q tests")
    return session.said("Done.", tokens=9_000).write()


def told_of(path: Path, root: Path) -> Told:
    session = choose(str(path), str(root)).replace(folder=str(root))
    return told(read_transcript(session, str(root)), marks_in(read_bytes(session)), chars4)


def part(tree: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        (tree,) = (each for each in tree["parts"] if each["name"] == name)
    return tree


def test_calls_and_their_results_are_counted_for_their_tool_and_their_file(root: Path) -> None:
    tree = told_of(long_session(root), root).tree(with_archived=False)
    read = part(tree, "tools", "Read", "src/list.py")
    assert read["blocks"] == 4
    assert read["tokens"] > 300 * 12 / 4
    assert part(tree, "tools", "Bash", "pytest")["blocks"] == 2
    assert part(tree, "user")["first"] == 1
    assert tree["parts"][0]["name"] == "tools"


def test_a_tree_adds_up(root: Path) -> None:
    def check(node: dict[str, Any]) -> None:
        below = sum(each["tokens"] for each in node["parts"])
        assert below in (0, node["tokens"]) or node["name"] == "Bash"
        for each in node["parts"]:
            check(each)

    transcript = read_transcript(choose(str(long_session(root)), str(root)), str(root))
    rows = [row for row, _ in transcript.rows]
    whole = measure(transcript.now.messages, chars4)
    subjects = Subjects(str(root))
    tree = spending_of((row, subjects.path(row)) for row in rows)
    check(tree)
    assert tree["tokens"] == whole


def test_a_call_stands_with_its_result_and_with_the_window_after_both(root: Path) -> None:
    entries = told_of(long_session(root), root).entries
    assert [len(entry.rows) for entry in entries] == [1, 2, 2, 2, 1]
    assert entries[-1].level == 9_005
    assert all(entry.level >= entry.tokens for entry in entries)


def test_the_window_does_not_fall_along_calls_whose_results_came_in_another_order(
    root: Path,
) -> None:
    session = Claude(root).user("Read both.")
    for call in ("c1", "c2"):
        session.answer({"type": "tool_use", "id": call, "name": "Read", "input": {}}, tokens=500)
    for call in ("c2", "c1"):
        result = {"type": "tool_result", "tool_use_id": call, "content": "import json\n" * 200}
        session.user([result])
    entries = told_of(session.said("Done.", tokens=9_000).write(), root).entries
    levels_down = [entry.level for entry in entries]
    assert levels_down == sorted(levels_down)


def test_what_a_client_says_of_its_window_counts_and_what_comes_after_is_added() -> None:
    messages = [
        Message("user", [Block(TEXT, "x" * 40)], when=f"2026-01-01T00:00:0{second}")
        for second in range(5)
    ]
    measure(messages, chars4)
    marks = [
        LevelMark("2026-01-01T00:00:01", 500),
        LevelMark("2026-01-01T00:00:02.5", 0, compaction=True),
    ]
    # 480 of the 500 are in no message, so they are there before it and after the compaction.
    assert levels(messages, marks) == [490, 500, 510, 490, 500]
    assert compactions(messages, marks) == [3]


def test_a_number_that_comes_between_two_messages_is_of_the_one_before_it() -> None:
    messages = [Message("user", [Block(TEXT, "x" * 40)], when="2026-01-01T00:00:00")]
    messages += [Message("user", [Block(TEXT, "x" * 40)], when="2026-01-01T00:00:09")]
    measure(messages, chars4)
    assert levels(messages, [LevelMark("2026-01-01T00:00:05", 700)]) == [700, 710]


def test_messages_without_a_time_are_added_up() -> None:
    messages = [Message("user", [Block(TEXT, "x" * 40)]) for _ in range(3)]
    measure(messages, chars4)
    assert levels(messages, [LevelMark("2026-01-01T00:00:00", 500)]) == [10, 20, 30]


def test_a_compaction_makes_what_came_before_archived_and_the_window_small(root: Path) -> None:
    session = Claude(root).user("Begin.").said("x" * 400, tokens=150_000)
    path = session.compacted("It began.").said("On we go.", tokens=2_000).write()
    known = told_of(path, root)
    assert [entry.archived for entry in known.entries] == [True, True, False, False]
    assert known.entries[2].about == ("summary",)
    assert [level for _, level in known.filled][-1] == 2_005
    assert known.compacted == (3,)
    assert known.tree(True)["tokens"] > known.tree(False)["tokens"]


def test_the_numbers_of_codex_are_read_too(root: Path) -> None:
    path = codex(root, "Fix it.")
    marks = marks_in(path.read_bytes())
    assert [mark.tokens for mark in marks] == [777]


def test_a_sub_agent_has_a_window_of_its_own(root: Path) -> None:
    session = Claude(root).user("Look it up.").said("Found.", tokens=5_000)
    lines = [{**line, "isSidechain": True} for line in session.lines]
    data = "\n".join(map(json.dumps, lines)).encode()
    assert marks_in(data) == []
    assert [mark.tokens for mark in marks_in(data, of_agent=True)] == [5_005]


TREES = st.recursive(
    st.integers(0, 10_000).map(lambda tokens: {"tokens": tokens, "parts": []}),
    lambda below: st.lists(below, max_size=5).map(
        lambda parts: {"tokens": sum(each["tokens"] for each in parts), "parts": parts}
    ),
    max_leaves=20,
)


def named(tree: dict[str, Any], name: str = "x") -> dict[str, Any]:
    parts = [named(each, str(place)) for place, each in enumerate(tree["parts"])]
    return {**tree, "parts": parts, "name": name, "blocks": 1, "first": 1}


@given(TREES)
def test_no_part_of_a_picture_leaves_the_one_above_it(tree: dict[str, Any]) -> None:
    by_path = {cell.path: cell for cell in cells(named(tree))}
    for path, cell in by_path.items():
        if not path:
            continue
        above = by_path[path[:-1]]
        assert above.left - 0.01 <= cell.left
        assert cell.left + cell.width <= above.left + above.width + 0.01


def test_stats_as_json_stay_as_they_are(root: Path, dctx: Dctx) -> None:
    path = long_session(root)
    account = json.loads(dctx("history", "show", "--tokens", str(path), "--json", cwd=root).out)
    assert account["tokens"] > 0
