"""Which counter counts, what is said of it, how far off an estimate is, and what is kept of exact
counts.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, needs_permissions, plan, task, write
from hypothesis import given
from hypothesis import strategies as st
from loading import loaded_by

from benchmarks.structured import MAKERS
from director_ctx import DctxError, assemble, load_project, what_if
from director_ctx.base.errors import UsageProblem
from director_ctx.context.settings.budget import CHARS, ENCODINGS, Counter, Model, count_chars
from director_ctx.context.tokens.cache import LARGEST, Counts, counts
from director_ctx.context.tokens.counting import choose_counter, exactness
from director_ctx.context.tokens.estimate import BAND, CODES, TABLE, estimate
from director_ctx.context.tokens.tokenizers import load

NOTES = [
    path.read_text() for path in sorted((ROOT / "examples/reading-list/.director").rglob("*.md"))
]
Dctx = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(
        tmp_path, {"VISION.md": "# Vision\nGrüße, 世界.\n", **plan({"01-one.md": task("One")})}
    )


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this user's counts will be."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", str(folder))
    return folder / "dctx" / "counts"


# The choice.


def test_four_characters_are_a_token_unless_something_else_is_asked_for(root: Path) -> None:
    one = assemble(load_project(root), "builder")
    assert one.counter == CHARS
    assert one.budget.used == count_chars(one.text)


@pytest.mark.parametrize("name", ["chars", "chars/4", " Chars/4 "])
def test_the_default_has_two_spellings(name: str) -> None:
    assert choose_counter(name) == (count_chars, CHARS)


@pytest.mark.parametrize("name", ["estimate", *ENCODINGS])
def test_a_counter_is_chosen_by_option_by_file_and_in_the_library(
    name: str, root: Path, dctx: Dctx
) -> None:
    by_name = assemble(load_project(root), "builder", counter=name)
    by_option = json.loads(
        dctx("assemble", "builder", "--counter", name, "--format", "json", cwd=root).out
    )
    write(root, {"dctx.yaml": f"counter: {name}\n"})
    by_file = json.loads(dctx("assemble", "builder", "--format", "json", cwd=root).out)
    assert (
        by_name.counter.name == by_option["counter"]["name"] == by_file["counter"]["name"] == name
    )
    count, _ = choose_counter(name)
    assert (
        by_name.budget.used
        == by_option["budget"]["used"]
        == by_file["budget"]["used"]
        == count(by_name.text)
    )


def test_the_option_wins_over_the_file(root: Path) -> None:
    write(root, {"dctx.yaml": "counter: estimate\n"})
    assert assemble(load_project(root), "builder", counter="chars").counter == CHARS


def test_a_counter_of_ones_own_is_used_and_never_called_chars(root: Path) -> None:
    own = Counter("words", True)
    one = assemble(load_project(root), "builder", count=lambda text: len(text.split()), counter=own)
    assert (one.counter, one.budget.used) == (own, len(one.text.split()))
    assert (
        assemble(load_project(root), "builder", count=len).counter.name == "a counter of your own"
    )
    assert (
        what_if(load_project(root), "builder", count=len, counter="letters").counter.name
        == "letters"
    )


def test_an_unknown_counter_is_refused(root: Path, dctx: Dctx) -> None:
    with pytest.raises(UsageProblem, match="gpt2"):
        assemble(load_project(root), "builder", counter="gpt2")
    assert dctx("budget", "builder", "--counter", "gpt2", cwd=root).code == 2
    write(root, {"dctx.yaml": "counter: o200k\n"})
    with pytest.raises(DctxError, match="did you mean o200k_base"):
        assemble(load_project(root), "builder")


# What is said of it.


def test_an_encoding_is_exact_only_for_the_models_that_use_it() -> None:
    assert exactness("o200k_base", "gpt-5").exact
    assert exactness("o200k_base", None) == Counter(
        "o200k_base", True, "exact for models that use o200k_base"
    )
    for model, words in (("claude-opus-5", "Claude's tokenizer is not public"), ("gemini-3", "not public"),
                         ("gpt-4", "gpt-4 uses cl100k_base"), ("nobody-1", "not known")):  # fmt: skip
        counter = exactness("o200k_base", model)
        assert not counter.exact
        assert words in counter.band
        assert counter.says.startswith("an estimate: exact for o200k_base; ")


def test_the_project_says_what_tokenizer_its_own_model_has(root: Path) -> None:
    assert exactness("cl100k_base", "mine", {"mine": Model(1000, "cl100k_base")}).exact
    write(root, {"dctx.yaml": "model: claude-opus-5\ncounter: o200k_base\n"})
    assert not assemble(load_project(root), "builder").counter.exact


def test_every_account_names_its_counter_and_its_band(root: Path, dctx: Dctx) -> None:
    line = f"Counted by chars/4, an estimate: {CHARS.band}"
    for words in (
        ("budget", "builder"),
        ("budget", "--all"),
        ("budget", "builder", "--what-if"),
        ("tokens",),
    ):
        assert line in dctx(*words, cwd=root).out.splitlines()
    band = {"name": "chars/4", "exact": False, "band": CHARS.band}
    assert json.loads(dctx("budget", "builder", "--json", cwd=root).out)["counter"] == band
    assert (
        json.loads(dctx("budget", "builder", "--what-if", "--json", cwd=root).out)["counter"]
        == band
    )
    assert (
        f"counted by chars/4 (an estimate: {CHARS.band})"
        in dctx("assemble", "builder", "--explain", cwd=root).err
    )


@pytest.mark.parametrize("name", ["chars/4", "estimate"])
def test_an_estimate_is_never_called_exact(name: str) -> None:
    _, counter = choose_counter(name)
    assert not counter.exact
    assert counter.says.startswith("an estimate: usually within ")


# The estimate.


def off(count: Callable[[str], int]) -> list[float]:
    exact = load("o200k_base")
    return sorted(
        abs(count(text) - exact(text)) / exact(text) for text in NOTES if len(text) >= 300
    )


def share(text: str) -> float:
    return estimate(text) / load("o200k_base")(text)


def test_the_estimate_keeps_its_word_on_notes_it_was_not_fitted_to() -> None:
    ours, plain = off(estimate), off(count_chars)
    assert BAND.startswith("usually within 5%, at worst 8%")
    assert ours[-1] <= 0.08
    assert ours[len(ours) * 9 // 10] <= 0.05
    assert sum(ours) * 2 < sum(plain)


def test_chars_keeps_its_word_too() -> None:
    plain = off(count_chars)
    assert CHARS.band.startswith("usually within 15%, at worst 23%")
    assert (plain[-1] <= 0.23, plain[len(plain) * 9 // 10] <= 0.15) == (True, True)


@pytest.mark.parametrize("kind", MAKERS)
def test_what_programs_write_is_estimated_within_bounds(kind: str) -> None:
    """By seeds that the weights have not seen."""
    for seed in ("a", "b", "c"):
        assert 0.7 < share(MAKERS[kind](random.Random(seed))) < 1.45


@pytest.mark.parametrize(
    "line",
    ["A line that is broken here  \n", "  one two three four,\n", "word \n", "ab \n", "a\t\n", "a,b,c,1,2,3\n",
     "2024-01-02,Smith,42.50,EUR\n", "FOO_BAR = 1\n", "FOO_BAR=1\n", "x = 1;\n", "- a\n", "| a | b |\n", "1, ", "!",
     "x\r\n", "aAbB", "a1b2c3", "10.0.0.1\n", "12:34:56\n", "%20", "\\u00e9", "#", "a  b   c\n"],
)  # fmt: skip
@pytest.mark.parametrize("times", [100, 1000])
def test_short_lines_a_hundred_times_are_estimated_within_bounds(line: str, times: int) -> None:
    assert 0.7 < share(line * times) < 1.45


@given(st.text(), st.text())
def test_a_longer_text_is_never_estimated_shorter(text: str, more: str) -> None:
    assert 0 <= estimate(text) <= estimate(text + more)


@pytest.mark.parametrize(
    "text",
    ["-" * 5000, "=" * 900 + "\n", " " * 5000 + "x", "|---|---|\n" * 300, "0123456789abcdef" * 300, "字" * 900,
     "| 12 | 0.5 | yes |\n" * 200, "a" * 5000, "[1,2.5,{\"a\":null}]," * 200, "😀 " * 400, "ABCDEF " * 300,
     "https://example.org/a?b=1\n" * 99, "    if x:\n        y()\n" * 99, "\0" * 900, "š" * 900, "\u2500" * 900],
)  # fmt: skip
def test_no_odd_text_is_estimated_absurdly(text: str) -> None:
    assert 0.4 < share(text) < 2.5


def test_every_byte_has_a_class() -> None:
    assert len(TABLE) == 256
    assert set(TABLE) <= set(CODES)
    assert estimate("\ud800") >= 1


# What is kept.


def counting(seen: list[str]) -> Callable[[], Callable[[str], int]]:
    def count(text: str) -> int:
        seen.append(text)
        return len(text)

    return lambda: count


def test_a_text_is_counted_once_for_all_time(cache: Path) -> None:
    seen: list[str] = []
    place = str(cache / "o200k_base")
    first, second = Counts(place, counting(seen)), None
    assert [first("abc"), first("abc"), first("de")] == [3, 3, 2]
    second = Counts(place, counting(seen))
    assert [second("abc"), second("de"), second("f")] == [3, 2, 1]
    assert seen == ["abc", "de", "f"]


def test_counters_do_not_share_what_they_keep(cache: Path) -> None:
    assert counts("o200k_base", lambda: lambda _: 1)("x") == 1
    assert counts("cl100k_base", lambda: lambda _: 2)("x") == 2
    assert sorted(path.name for path in cache.iterdir()) == ["cl100k_base", "o200k_base"]


def test_a_second_run_loads_no_tokenizer(root: Path, dctx: Dctx) -> None:
    words = ["budget", "builder", "--counter", "o200k_base"]
    assert dctx(*words, cwd=root).code == 0
    loaded = loaded_by(
        f"from director_ctx.doors.cli.main import main\nassert not main({words})", root
    )
    assert not [name for name in loaded if "tokenizers" in name or "bpe" in name]


def test_lone_surrogates_and_question_marks_are_kept_apart(cache: Path) -> None:
    count = Counts(str(cache / "x"), lambda: lambda text: 1 + text.count("\ud800"))
    assert (count("a?"), count("a\ud800")) == (1, 2)


@pytest.mark.parametrize(
    "rubbish", [b"\0" * 99, b"\n\n \nxyz\n", os.urandom(3000), b"a" * 32 + b" 12", b"9" * 200_000]
)
def test_rubbish_in_the_file_does_no_harm(rubbish: bytes, cache: Path) -> None:
    place = cache / "o200k_base"
    cache.mkdir(parents=True)
    place.write_bytes(rubbish)
    first = Counts(str(place), lambda: len.__call__)
    assert [first(text) for text in ("ab", "abc")] == [2, 3]
    seen: list[str] = []
    again = Counts(str(place), counting(seen))
    assert [again(text) for text in ("ab", "abc")] == [2, 3]
    assert len(seen) < 2  # The line that was joined to an unfinished one may be lost.


def test_a_file_that_grew_too_long_loses_its_older_half(cache: Path) -> None:
    place = cache / "o200k_base"
    cache.mkdir(parents=True)
    assert Counts(str(place), lambda: len)("newest") == 6
    newest = place.read_bytes()
    old = b"".join(b"%032d %d\n" % (number, number) for number in range(LARGEST // 36))
    place.write_bytes(old + newest)
    seen: list[str] = []
    assert Counts(str(place), counting(seen))("newest") == 6
    assert seen == []
    assert newest in place.read_bytes()
    assert len(place.read_bytes()) < LARGEST


@needs_permissions
def test_where_nothing_can_be_kept_there_is_only_the_count(cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.parent.chmod(0o500)
    assert [Counts(str(cache / "o200k_base"), lambda: len)("abc") for _ in range(2)] == [3, 3]
    cache.parent.chmod(0o700)


def test_a_home_that_is_a_file_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert counts("o200k_base", lambda: len)("abcd") == 4
