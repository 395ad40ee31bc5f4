"""Which conversation a command takes, and how small it gets, where nobody said: asked at a terminal,
told in a pipe.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from client_sessions import ONE, TWO, Claude, codex
from conftest import Result, process, write
from talks import run
from terminals import answered_on_terminal

import director_ctx
from director_ctx.base.text import ago
from director_ctx.history.strategies.config import DEFAULT_SHARE

Run = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return write(tmp_path / "proj", {"VISION.md": "# Vision\n"}).resolve()


def newer(root: Path) -> Path:
    talk = Claude(root, ONE).user("Build the boat, please, and paint it in the colours of the sea.")
    for number in range(12):
        talk.called(f"c{number}", "Bash", f"plank {number}\n" * 300, command=f"ls {number}")
    return talk.said("The boat floats.", tokens=4321).write()


def two_sessions(root: Path) -> tuple[Path, Path]:
    """The newer, and the older."""
    older = codex(root, "Sail the boat.")
    os.utime(older, (1_700_000_000, 1_700_000_000))
    return newer(root), older


@pytest.mark.parametrize(
    ("answers", "first_words"),
    [("\n", "Build the boat"), ("1\n", "Build the boat"), ("2\n", "Sail the boat.")],
    ids=["Enter", "1", "2"],
)
def test_at_a_terminal_a_conversation_is_chosen_by_its_number(
    answers: str, first_words: str, root: Path, tmp_path: Path
) -> None:
    two_sessions(root)
    for command in (("history", "show"), ("history", "show", "--tokens", "--json")):
        code, seen = answered_on_terminal(root, answers, *command)
        assert code == 0, seen
        listed = seen.partition("Which number?")[0].splitlines()
        assert [line.split()[1] for line in listed if " ago " in line] == ["claude", "codex"]
        assert any(ONE[:8] in line for line in listed)
    _, seen = answered_on_terminal(root, answers, "history", "show", out=tmp_path / "shown")
    assert first_words in (tmp_path / "shown").read_text() and "You" not in seen


def test_a_wrong_number_is_asked_for_again_and_q_does_nothing(root: Path) -> None:
    two_sessions(root)
    code, seen = answered_on_terminal(root, "7\nboat\n\u00b2\n00019999\nq\n", "compress")
    assert code == 1 and seen.count("Which number?") == 5
    assert "'7' is not a number from 1 to 2." in seen
    assert "Nothing was chosen, so nothing was done." in seen
    closed, _ = answered_on_terminal(root, "\x04", "history", "show")
    assert closed == 1


def test_the_list_has_the_width_of_the_terminal_and_newest_first(root: Path) -> None:
    two_sessions(root)
    _, seen = answered_on_terminal(root, "q\n", "history", "show")
    lines = seen.partition("Which number?")[0].splitlines()
    assert max(map(len, lines)) <= 80 and any(line.endswith("…") for line in lines)


def test_the_only_conversation_is_taken_unasked_and_none_is_said(root: Path) -> None:
    code, seen = answered_on_terminal(root, "", "history", "show")
    assert code == 1 and "There is no conversation of this project yet." in seen
    newer(root)
    code, seen = answered_on_terminal(root, "", "history", "show")
    assert code == 0 and "The boat floats." in seen and "Which number?" not in seen
    assert f"Session {ONE[:8]} of claude is the only conversation of this project." in seen


def test_a_name_or_a_file_is_never_asked_about(root: Path) -> None:
    path, _ = two_sessions(root)
    for named in (ONE[:8], str(path)):
        code, seen = answered_on_terminal(root, "", "compress", named, "--ratio", "0.5")
        assert code == 0 and "?" not in seen.partition("dctx: From")[2]
        assert "Which number?" not in seen
    assert answered_on_terminal(root, "", "history", "show", TWO[:8])[0] == 0


def test_at_a_terminal_the_usual_size_is_agreed_to_before_anything_is_kept(
    root: Path, tmp_path: Path
) -> None:
    two_sessions(root)
    out = tmp_path / "shorter.jsonl"
    code, seen = answered_on_terminal(root, "\nn\n", "compress", out=out)
    assert code == 1 and out.read_bytes() == b"" and "nothing was archived" in seen
    assert not (root / ".director/.dctx/store.db").exists()

    code, seen = answered_on_terminal(root, "\n\n", "compress", out=out)
    assert code == 0, seen
    assert f"where no size is named, {DEFAULT_SHARE:.0%} may stay." in seen
    assert "by hybrid" in seen and "--ratio R or --target-tokens N" in seen
    before, after = _sizes(seen)
    assert 0.3 * before < after <= DEFAULT_SHARE * before
    restored = tmp_path / "restored.jsonl"
    assert answered_on_terminal(root, "", "restore", str(out), out=restored)[0] == 0
    assert restored.read_bytes() == newer(root).read_bytes()


def test_at_a_terminal_the_result_goes_into_a_new_file_and_not_over_the_screen(root: Path) -> None:
    two_sessions(root)
    for name in (f"{ONE}.short.jsonl", f"{ONE}.short-2.jsonl"):
        code, seen = answered_on_terminal(root, "\n\n", "compress")
        assert code == 0 and f"Write the shorter conversation to {name}?" in seen
        assert f"Written to {name}." in seen and '{"' not in seen
        assert process("restore", name, cwd=root).out.encode() == newer(root).read_bytes()


def test_a_file_is_named_for_the_result_but_never_the_conversation_itself(
    root: Path, dctx: Run
) -> None:
    path, _ = two_sessions(root)
    before = path.read_bytes()
    shorter = root / "shorter.jsonl"
    done = dctx("compress", str(path), "--ratio", "0.5", "-o", str(shorter), cwd=root)
    assert (done.code, done.out) == (0, "") and 0 < len(shorter.read_bytes()) < len(before)
    over = dctx("compress", str(path), "--ratio", "0.5", "-o", str(path), cwd=root)
    assert over.code == 2 and "is the history itself" in over.err
    assert path.read_bytes() == before


def _sizes(seen: str) -> tuple[int, int]:
    words = seen.partition(" tokens become ")
    before = words[0].split()[-1]
    after = words[2].partition(";")[0]
    return int(before.replace(",", "")), int(after.replace(",", ""))


def test_in_a_pipe_the_usual_size_is_taken_and_said(dctx: Run, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps(run(30)))
    usual = dctx("compress", "run.json", cwd=tmp_path)
    named = dctx("compress", "run.json", "--ratio", str(DEFAULT_SHARE), cwd=tmp_path)
    assert usual.code == 0 and usual.out == named.out
    assert "No size was named, so 50% of the tokens may stay, by hybrid." in usual.err
    assert "--target-tokens N" in usual.err and "No size" not in named.err
    assert director_ctx.compress(run(30)).document == json.loads(usual.out)


@pytest.mark.parametrize(
    "words",
    [("--set", "window_size=9"), ("--strategy", "clear"), ("--target-tokens", "900"),
     ("--set", "strategy=pruning"), ("--set", "target_tokens=900"),
     ("--set", "enabled=false")],
)  # fmt: skip
def test_whoever_names_a_size_or_a_strategy_gets_no_other(
    words: tuple[str, str], dctx: Run, tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text(json.dumps(run(30)))
    assert "No size was named" not in dctx("compress", "run.json", *words, cwd=tmp_path).err


def test_off_a_terminal_standard_input_is_read_and_nobody_is_asked(root: Path) -> None:
    two_sessions(root)
    done = process("compress", cwd=root)
    assert done.code == 1 and "The history is empty." in done.err and "Which" not in done.err
    shown = process("history", "show", cwd=root)
    assert shown.code == 0 and "Build the boat" in shown.out and "Which" not in shown.err


def test_a_summary_of_an_empty_store_begins_with_a_conversation_that_is_chosen(
    root: Path, dctx: Run
) -> None:
    two_sessions(root)
    code, seen = answered_on_terminal(root, "1\nn\n", "history", "summarize")
    assert code == 0 and "No summary was kept." in seen
    assert f"of session {ONE[:8]} taken into the store." in seen
    assert "The boat floats." in dctx("history", "show", "store", cwd=root).out
    code, seen = answered_on_terminal(root, "y\n", "history", "summarize")
    assert code == 0 and "Which number?" not in seen and "archived; their summary" in seen
    # In a script nothing is chosen and nothing taken in.
    assert dctx("history", "summarize", "--yes", cwd=root).code == 1


def test_an_age_is_in_the_largest_unit_that_fits() -> None:
    ages = {
        0: "just now",
        59: "just now",
        60: "1 minute ago",
        7_199: "1 hour ago",
        172_800: "2 days ago",
    }
    assert {seconds: ago(seconds) for seconds in ages} == ages
