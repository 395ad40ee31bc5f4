"""Exact counts: they are tiktoken's, whichever engine makes them, and nothing is fetched for them."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx.base.errors import DctxError
from director_ctx.base.text import decode
from director_ctx.context.settings.budget import ENCODINGS
from director_ctx.context.tokens import tokenizers

ENGINES = {engine.__name__.removeprefix("_"): engine for engine in tokenizers.ENGINES}
INSTALLED = [
    name
    for name in ENGINES
    if name == "tiktoken" or find_spec({"bpe_openai": "bpe_openai"}.get(name, name))
]
NASTY = [
    "", " ", "\n", "a", "a\n", "\t\t\n \n", "\r\n\r", "<|endoftext|>", "x<|fim_prefix|>y<|endofprompt|>", "\0\x01\x7f",
    "don't DON'T we'll I'Ve", "3.14159265358979 1234567", "日本語のテキスト。한국어 텍스트", "Grüße, naïve façade",
    "👩‍👩‍👧‍👦🏳️‍🌈", "e\u0301\u0327", "\u200b\u2028\u2029\ufeff", "مرحبا بالعالم", "नमस्ते दुनिया", "{}[]();:</>!!!???",
    "    def f(x):\n        return x\n\n\n", "camelCaseHTTPServer snake_case_name", "│ ├── └── x", "a" * 2_000,
    " " * 3_000 + "x", "-" * 500, "=" * 81 + "\n", "|---" * 200, "ab" * 1_000, "\n" * 700 + "x", "字" * 1_000,
    "\u00a0" * 300, "x" + " \n\t" * 200 + "y",
]  # fmt: skip
BLOCKED = (
    "import socket\ndef no(*a, **k): raise OSError('no network')\nsocket.socket.connect = "
    "no\nsocket.getaddrinfo = no\n"
)


@pytest.fixture(scope="session")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache such as tiktoken keeps, filled from a package that carries the same files."""
    folder = tmp_path_factory.mktemp("ranks")
    [carrier] = find_spec("bpe_openai").submodule_search_locations  # type: ignore[union-attr,misc]
    for encoding, (name, expected) in tokenizers.RANKS.items():
        data = gzip.decompress((Path(carrier) / "data" / f"{encoding}.tiktoken.gz").read_bytes())
        assert hashlib.sha256(data).hexdigest() == expected
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture(scope="session")
def judge(ranks: Path) -> dict[str, Callable[[str], int]]:
    """tiktoken itself, without a network."""
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(ranks)
    try:
        import tiktoken

        found = {name: tiktoken.get_encoding(name) for name in tokenizers.ENCODINGS}
    finally:
        os.environ.pop("TIKTOKEN_CACHE_DIR")
        if before is not None:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    return {
        name: (lambda text, one=one: len(one.encode_ordinary(text))) for name, one in found.items()
    }


@pytest.fixture(scope="session")
def corpus() -> list[str]:
    """The files of this repository, whatever they are written in; tests are more of the same."""
    found = [
        path
        for folder in ("examples", "docs", "templates", "tests/samples", "director_ctx")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]
    texts = [decode(path.read_bytes())[0] for path in found]
    assert len(texts) > 200
    return texts


@pytest.fixture(scope="session")
def judged(judge: dict, corpus: list[str]) -> dict[str, list[int]]:
    """The counts of all texts, by encoding."""
    return {name: [count(text) for text in [*corpus, *NASTY]] for name, count in judge.items()}


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizers, "_LOADED", {})


def engine(name: str, encoding: str) -> Callable[[str], int]:
    return tokenizers._tolerant(ENGINES[name](encoding))


def test_every_encoding_that_can_be_chosen_can_be_counted_and_no_other() -> None:
    assert tokenizers.ENCODINGS == ENCODINGS


@pytest.mark.parametrize("encoding", tokenizers.ENCODINGS)
@pytest.mark.parametrize("name", INSTALLED)
def test_every_engine_agrees_with_tiktoken(
    name: str,
    encoding: str,
    judged: dict,
    corpus: list[str],
    ranks: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(ranks))
    count = engine(name, encoding)
    both = zip([*corpus, *NASTY], judged[encoding], strict=True)
    assert [text[:80] for text, counted in both if count(text) != counted] == []


@settings(deadline=None)
@given(text=st.text(max_size=400))
def test_any_text_has_the_count_of_tiktoken(text: str, judge: dict) -> None:
    for encoding in tokenizers.ENCODINGS:
        assert tokenizers.load(encoding)(text) == judge[encoding](text)


@settings(deadline=None)
@given(
    parts=st.lists(
        st.sampled_from([*NASTY[:24], " ", "\n", "word", "Word", "'s", "12", "/", "é", "\u3000"]),
        max_size=12,
    )
)
def test_odd_pieces_in_any_order_have_the_count_of_tiktoken(parts: list[str], judge: dict) -> None:
    for encoding in tokenizers.ENCODINGS:
        assert tokenizers.load(encoding)("".join(parts)) == judge[encoding]("".join(parts))


@pytest.mark.parametrize("encoding", tokenizers.ENCODINGS)
@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00 \ud83d", "\udce4bc"])
def test_lone_surrogates_count_as_tiktoken_counts_them(
    text: str, encoding: str, judge: dict
) -> None:
    for name in INSTALLED[:-1]:
        assert engine(name, encoding)(text) == judge[encoding](text)


@pytest.mark.parametrize("name", INSTALLED[:-1])
def test_a_million_of_one_character_is_counted(name: str) -> None:
    count = engine(name, "o200k_base")
    exact = {"a": 125_000, " ": 7_813, "字": 1_000_000, "\n": 62_500}
    assert {char: count(char * 1_000_000) for char in exact} == exact


def test_tiktoken_refuses_a_run_of_blanks_that_it_cannot_count(
    ranks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(ranks))
    count = engine("tiktoken", "o200k_base")
    assert count("x" * 10 + " " * (tokenizers.LONGEST_BLANK - 1)) > 100
    with pytest.raises(DctxError, match="white space"):
        count("x" + " " * (tokenizers.LONGEST_BLANK + 1) + "x")


def alone(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter that cannot reach a network."""
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + script],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


LOAD = """
from director_ctx.context.tokens import tokenizers
tokenizers.ENGINES = tuple(one for one in tokenizers.ENGINES if one.__name__ in {engines!r})
try:
    print(tokenizers.load("o200k_base")("hello world"))
except Exception as error:
    print(type(error).__name__, error.hint)
"""


@pytest.mark.parametrize("name", INSTALLED)
def test_each_engine_works_without_a_network(name: str, ranks: Path) -> None:
    done = alone(LOAD.format(engines=[f"_{name}"]), TIKTOKEN_CACHE_DIR=str(ranks))
    assert (done.stdout, done.stderr) == ("2\n", "")


INSTALL = "pip install 'director-ctx[exact]'"


def test_without_any_engine_the_hint_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizers, "ENGINES", ())
    monkeypatch.setattr(tokenizers, "_LOADED", {})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DctxError, match="No tokenizer for o200k_base is installed") as error:
        tokenizers.load("o200k_base")
    assert error.value.hint == INSTALL


COUNT = """
from director_ctx.context.tokens import tokenizers
tokenizers.ENGINES = (tokenizers._tiktoken,)
from director_ctx.doors.cli.main import main
raise SystemExit(main(["tokens", {path!r}, "--counter", "o200k_base"]))
"""


def test_with_tiktoken_and_its_ranks_alone_the_command_counts_exactly(
    ranks: Path, tmp_path: Path, judge: dict
) -> None:
    text = "# Vision\n\nGrüße an alle, die 3.14159 Links teilen.\n"
    (tmp_path / "note.md").write_text(text, encoding="utf-8")
    script = COUNT.format(path=str(tmp_path / "note.md"))
    done = alone(script, TIKTOKEN_CACHE_DIR=str(ranks), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert (done.stdout, done.returncode) == (f"{judge['o200k_base'](text)}\n", 0)
    assert "counted by o200k_base, exact for models that use o200k_base" in done.stderr


def test_where_tiktoken_lacks_its_ranks_the_command_says_which_where_and_how_to_get_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "note.md").write_text("A note.\n", encoding="utf-8")
    script = COUNT.format(path=str(tmp_path / "note.md"))
    done = alone(
        script, TIKTOKEN_CACHE_DIR=str(tmp_path / "none"), XDG_CACHE_HOME=str(tmp_path / "cache")
    )
    assert (done.stdout, done.returncode) == ("", 1)
    assert (
        f"{tokenizers.RANKS['o200k_base'][0]}, the ranks of o200k_base, is not whole in {tmp_path / 'none'}"
        in done.stderr
    )
    assert "tiktoken.get_encoding('o200k_base')" in done.stderr and INSTALL in done.stderr


@pytest.mark.parametrize("content", [None, b"", b"half a file"])
def test_tiktoken_is_not_asked_to_fetch_or_mend_its_ranks(
    content: bytes | None, tmp_path: Path
) -> None:
    name = tmp_path / tokenizers.RANKS["o200k_base"][0]
    if content is not None:
        name.write_bytes(content)
    done = alone(
        LOAD.format(engines=["_tiktoken"]) + "import sys\nprint('tiktoken' in sys.modules)",
        TIKTOKEN_CACHE_DIR=str(tmp_path),
    )
    failure, loaded = done.stdout.splitlines()
    assert failure.endswith(INSTALL) and loaded == "False"
    assert (name.read_bytes() if content is not None else None) == content


def test_a_broken_engine_makes_way_for_the_next_without_a_word(tmp_path: Path, ranks: Path) -> None:
    for package, module in (("rs_bpe", "bpe"), ("bpe_openai", "_bindings"), ("splintr", "_core")):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(
            f"from {package}.{module} import anything\n"
        )
        suffix = ".abi3.so" if sys.platform != "win32" else ".pyd"
        (tmp_path / package / f"{module}{suffix}").write_bytes(b"not a library")
    script = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n" + LOAD.format(
        engines=[f"_{name}" for name in ENGINES]
    )
    done = alone(script, TIKTOKEN_CACHE_DIR=str(ranks))
    assert (done.stdout, done.stderr) == ("2\n", "")
    done = alone(script, TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert done.stdout.endswith(f"{INSTALL}\n") and done.stderr == ""


def test_an_engine_with_an_empty_vocabulary_is_not_believed(
    unloaded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        tokenizers, "ENGINES", (lambda _: len, lambda _: lambda text: len(text.split()))
    )
    assert tokenizers.load("o200k_base")("one two three") == 3


def test_importing_the_compiled_half_does_not_disturb_the_package() -> None:
    script = (
        "from director_ctx.context.tokens.tokenizers import _bpe_openai\n"
        "count = _bpe_openai('o200k_base')\n"
        "import bpe_openai\n"
        "print(len(bpe_openai.get_encoding('o200k_base').encode_ordinary('hello world')), count('hello world'))\n"
    )
    done = alone(script)
    assert done.stdout == "2 2\n", done.stderr
