"""What `dctx compress` says: why a target was not met, what it did not do, and what it refuses."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result
from talks import run

import director_ctx
from director_ctx.base.errors import UsageProblem
from director_ctx.doors.cli.conversations.compress import ProgressLine
from director_ctx.history.compress.progress import DONE

Run = Callable[..., Result]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run()))
    return path


def receipt(dctx: Run, *words: str) -> dict[str, object]:
    return dict(json.loads(dctx("compress", "run.json", "--dry-run", *words).out))


def test_why_a_target_was_not_met_is_what_is_protected_or_the_strategy(
    dctx: Run, source: Path
) -> None:
    small = receipt(dctx, "--target-tokens", "5")
    assert str(small["why_not"]).startswith("what is protected alone has ")
    wide = receipt(
        dctx, "--target-tokens", "5", "--strategy", "sliding_window", "--set", "window_size=60"
    )
    assert str(wide["why_not"]).startswith(
        f"sliding_window cannot cut more than to {wide['tokens_out']:,}; "
    )
    assert str(wide["why_not"]).endswith(" tokens are protected.")


def test_why_nothing_was_cut_is_said(dctx: Run, source: Path) -> None:
    assert (
        "they are within the target of 900,000."
        in dctx("compress", "run.json", "--target-tokens", "900000").err
    )
    assert (
        "sliding_window finds nothing to cut."
        in dctx("compress", "run.json", "--set", "window_size=900").err
    )
    assert (
        "they are within the target of 20,000."
        in dctx("compress", "run.json", "--strategy", "hybrid").err
    )
    assert " by auto: nothing: " in dctx("compress", "run.json", "--strategy", "auto").err
    assert "finds" not in dctx("compress", "run.json", "--set", "enabled=false").err


def test_what_is_not_enabled_leaves_everything_as_it_is(dctx: Run, source: Path) -> None:
    Path("short.json").write_text(dctx("compress", "run.json", "--strategy", "clear").out)
    for name in ("run.json", "short.json"):
        for words in (("--set", "enabled=false"), ("--set", "enabled=false", "--ratio", "0.1")):
            made = dctx("compress", name, *words)
            assert made.code == 0 and made.out == Path(name).read_text()
            assert (
                "enabled: false, so everything stays" in made.err and "Nothing was cut" in made.err
            )


def test_a_window_is_refused_where_nothing_looks_at_it() -> None:
    with pytest.raises(UsageProblem, match="clear does not look at it"):
        director_ctx.compress(run(), window=3, strategy="clear")


def test_a_receipt_is_not_written_where_the_result_goes(dctx: Run, source: Path) -> None:
    made = dctx("compress", "run.json", "--receipt", "-")
    assert made.code == 2 and not made.out and "/dev/stderr" in made.err and not Path("-").exists()


def test_that_the_original_of_a_shorter_one_is_forgotten_is_said(dctx: Run, source: Path) -> None:
    for words in (("--strategy", "clear"), ("--ratio", "0.3")):
        Path("short.json").write_text(
            dctx("compress", "run.json", "--receipt", "r.json", *words).out
        )
        again = dctx("compress", "short.json", "--ratio", "0.2", "--dry-run")
        assert "It was compressed before" in again.err and "does not have" not in again.err
        dctx("history", "remove", json.loads(Path("r.json").read_text())["id"], "--yes")
        again = dctx("compress", "short.json", "--ratio", "0.9")
        assert "It was shortened before, and the archive does not have " in again.err, again.err
        dctx("history", "remove", "--all", "--yes")


def test_where_nothing_could_be_kept_it_is_said_that_the_format_stayed(
    dctx: Run, source: Path
) -> None:
    home = Path.home() / ".local/state/dctx/store.db"
    home.parent.mkdir(parents=True)
    home.write_bytes(b"no database, but long enough to be taken for one" * 100)
    made = dctx("compress", "run.json", "--strategy", "clear", "--to", "anthropic")
    assert made.code == 1 and made.out == source.read_text()
    assert "converted to anthropic" in made.err and "in openai-chat" in made.err
    assert (
        "converted to"
        not in dctx("compress", "run.json", "--strategy", "clear", "--to", "openai-chat").err
    )


def test_a_large_one_says_on_a_terminal_how_far_it_is_and_wipes_that_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    def said(size: int, stream: io.StringIO) -> str:
        monkeypatch.setattr("sys.stderr", stream)
        progress = ProgressLine(size)
        for done in DONE:
            progress.tell(done)
        progress.end()
        return stream.getvalue()

    seen = said(50_000_000, Terminal()).split("\r\x1b[K")
    assert seen[1] == "dctx: 0%: 50 MB are read …" and seen[-1] == ""
    assert len(seen) == len(DONE) + 3 and "\n" not in "".join(seen)
    assert said(50_000, Terminal()) == "" and said(50_000_000, io.StringIO()) == ""
