"""What is said where a command for conversations was given something that it cannot do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result
from talks import run

Dctx = Callable[..., Result]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run()))
    return path


@pytest.mark.parametrize(
    ("words", "hint"),
    (
        (("claude", "-p", "say hi"), "dctx history proxy -- claude -p 'say hi'"),
        (
            ("--limit", "90%", "codex", "--no-such"),
            "dctx history proxy --limit 90% -- codex --no-such",
        ),
        (("--limit=90%", "agent", "-x"), "dctx history proxy --limit=90% -- agent -x"),
    ),
)
def test_a_client_with_words_of_its_own_is_told_of_the_dashes_before_it(
    words: tuple[str, ...], hint: str, dctx: Dctx
) -> None:
    result = dctx("history", "proxy", *words)
    assert result.code == 2 and f"hint: Put -- before the client: {hint}\n" in result.err


@pytest.mark.parametrize("words", (("--no-such",), ("--limit", "90%", "--no-such"), ("--limit",)))
def test_a_mistake_in_its_own_words_is_not_taken_for_a_client(
    words: tuple[str, ...], dctx: Dctx
) -> None:
    assert "Put --" not in dctx("history", "proxy", *words).err


@pytest.mark.parametrize(
    ("words", "says"),
    (
        (("history", "list", "--last", "0"), "--last 0: that is no number above 0."),
        (("history", "show", "--tokens", "."), ". is a folder."),
        (("history", "show", "no/such"), "no/such: there is no such file."),
        (("compress", "huge.json"), "A number in this history has too many digits to be read."),
        (
            ("compress", "run.json", "--using", "no-such-program"),
            "no-such-program could not be run",
        ),
        (
            ("compress", "run.json", "--ratio", "0.5", "--using", "sh -c 'echo short'"),
            "--using names who else may write it",
        ),
    ),
)
def test_what_is_wrong_is_named(
    words: tuple[str, ...], says: str, source: Path, dctx: Dctx
) -> None:
    digits = "1" * 5_000
    Path("huge.json").write_text(f'[{{"role": "user", "content": "Hi.", "n": {digits}}}]')
    result = dctx(*words)
    assert result.code in (1, 2) and not result.out
    assert says in result.err


@pytest.mark.parametrize("form", ("codex", "claude-code"))
def test_a_format_that_it_is_not_in_is_refused(form: str, source: Path, dctx: Dctx) -> None:
    result = dctx("compress", str(source), "--from", form)
    assert result.code == 1 and not result.out
    assert f"There are no messages of {form} in this." in result.err


def test_a_file_that_is_no_history_is_not_written_over(source: Path, dctx: Dctx) -> None:
    Path("notes.txt").write_text("Mine.")
    words = ("compress", str(source), "--ratio", "0.3")
    for flag, what in (("--output", "a history"), ("--receipt", "a receipt")):
        refused = dctx(*words, flag, "notes.txt")
        assert refused.code == 1 and Path("notes.txt").read_text() == "Mine."
        assert f"notes.txt is there already, and is not {what}." in refused.err
        assert f"Name another file with {flag}." in refused.err

    Path("empty.json").write_text("")
    assert dctx(*words, "-o", "empty.json", "--receipt", "receipt.json").code == 0
    assert dctx(*words, "-o", "empty.json", "--receipt", "receipt.json").code == 0


def test_what_was_compressed_outside_of_projects_is_none_of_a_projects(
    source: Path, dctx: Dctx
) -> None:
    assert dctx("compress", str(source), "--ratio", "0.3", "--receipt", "r.json").code == 0
    receipt = json.loads(Path("r.json").read_text())["id"]
    (source.parent / "project" / ".director").mkdir(parents=True)
    there = source.parent / "project"
    result = dctx("restore", "--list", cwd=there)
    assert not result.out and "Nothing was compressed here yet." in result.err
    assert dctx("restore", receipt, cwd=there).code == 0
    assert receipt[:12] in dctx("restore", "--list", cwd=source.parent).out
