"""A recorded conversation, led again as a chat would have led it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chats import keys, project_in
from conftest import process

Json = dict[str, Any]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    keys(monkeypatch)
    root = Path(project_in(tmp_path))
    messages: list[Json] = []
    for number in range(30):
        function = {"name": "read", "arguments": json.dumps({"at": f"file_{number}.py"})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages += [
            {"role": "user", "content": f"What of file_{number}.py?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{number}", "content": f"line {number}\n" * 200},
            {"role": "assistant", "content": f"Decided: keep file_{number}.py."},
        ]
    (root / "messages.json").write_text(json.dumps(messages))
    return root


def compared(root: Path, *words: str) -> Json:
    done = process("compare", "--conversation", "messages.json", "--json", *words, cwd=root)
    assert done.code == 0, done
    told: Json = json.loads(done.out)
    return told


def test_each_way_and_each_reset_stays_below_the_limit(root: Path) -> None:
    told = compared(root, "--limit", "10k")
    assert [(row["way"], row["reset"]) for row in told["ways"]] == [
        (way, reset)
        for way in ("push", "pull", "hybrid")
        for reset in ("summary", "refresh", "checkpoint")
    ]
    for row in told["ways"]:
        assert row["largest"] <= 10_000 and row["resets"] and not row["too_large"]
        assert row["requests"] == 60 and row["dollars"] > 0
        assert 0 < row["told"] < 30 or row["reset"] == "refresh"


def test_where_nothing_grows_everything_is_told(root: Path) -> None:
    told = compared(root)
    assert {(row["resets"], row["told"]) for row in told["ways"] if row["reset"] != "refresh"} == {
        (0, 30)
    }
    sent = {row["way"]: row["sent"] for row in told["ways"] if row["reset"] == "summary"}
    assert sent["pull"] < sent["hybrid"] < sent["push"]


def test_people_are_shown_a_table(root: Path) -> None:
    done = process("compare", "--conversation", "messages.json", "--limit", "10k", cwd=root)
    assert done.code == 0 and done.out.startswith("The same conversation, below 10,000 tokens")
    assert "hybrid  checkpoint" in done.out


def test_a_conversation_in_which_nobody_says_anything_is_refused(root: Path) -> None:
    (root / "messages.json").write_text('[{"role": "assistant", "content": "Hi"}]')
    done = process("compare", "--conversation", "messages.json", cwd=root)
    assert done.code == 1 and "Nobody said anything" in done.err


def test_strategies_and_their_settings_are_compared_on_the_same_conversation(root: Path) -> None:
    words: list[str] = []
    for strategy in (
        "hybrid",
        "clear",
        "clear,keep_results=10",
        "sliding_window",
        "sliding_window,window_size=4",
    ):
        words += ["--strategy", strategy]
    told = compared(root, "--limit", "10k", *words)["ways"]
    by_name = {row["strategy"]: row for row in told}
    assert len(told) == 5 and "way" not in told[0]
    for row in told:
        assert row["requests"] == 60 and row["largest"] <= 10_000 and row["resets"], row
    windows = by_name["sliding_window"], by_name["sliding_window,window_size=4"]
    assert windows[0]["sent"] > windows[1]["sent"] and windows[0]["told"] > windows[1]["told"]
    # What has room goes out as it was.
    (row,) = compared(root, "--strategy", "hybrid")["ways"]
    assert row["resets"] == 0 and row["told"] == 30
    shown = process(
        "compare", "--conversation", "messages.json", "--limit", "10k", *words, cwd=root
    )
    assert "clear,keep_results=10" in shown.out


@pytest.mark.parametrize("strategy", ["nothing", "hybrid,depth=2", "clear,keep_results=x"])
def test_a_setting_that_there_is_not_is_said(root: Path, strategy: str) -> None:
    words = ("compare", "--conversation", "messages.json", "--strategy", strategy)
    done = process(*words, cwd=root)
    assert done.code == 2 and "Traceback" not in done.err
