"""Exact counts: they are tiktoken's, and nothing is fetched for them."""

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

from director_ctx.base.text import decode
from director_ctx.context.settings.budget import ENCODINGS
from director_ctx.context.tokens.tokenizers import load

RANKS = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
"""The file in tiktoken's cache that has the ranks of an encoding, and the SHA-256 of its content."""

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
    for encoding, (name, expected) in RANKS.items():
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

        found = {name: tiktoken.get_encoding(name) for name in ENCODINGS}
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
        for folder in ("examples", "docs", "templates", "tests/samples")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]
    texts = [decode(path.read_bytes())[0] for path in found]
    assert len(texts) > 50
    return texts


@pytest.fixture(scope="session")
def judged(judge: dict, corpus: list[str]) -> dict[str, list[int]]:
    """The counts of all texts, by encoding."""
    return {name: [count(text) for text in [*corpus, *NASTY]] for name, count in judge.items()}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_it_agrees_with_tiktoken(encoding: str, judged: dict, corpus: list[str]) -> None:
    count = load(encoding)
    both = zip([*corpus, *NASTY], judged[encoding], strict=True)
    assert [text[:80] for text, counted in both if count(text) != counted] == []


@settings(max_examples=50)
@given(text=st.text(max_size=400))
def test_any_text_has_the_count_of_tiktoken(text: str, judge: dict) -> None:
    for encoding in ENCODINGS:
        assert load(encoding)(text) == judge[encoding](text)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00 \ud83d", "\udce4bc"])
def test_lone_surrogates_count_as_tiktoken_counts_them(
    text: str, encoding: str, judge: dict
) -> None:
    assert load(encoding)(text) == judge[encoding](text)


def test_a_million_of_one_character_is_counted() -> None:
    count = load("o200k_base")
    exact = {"a": 125_000, " ": 7_813, "字": 1_000_000, "\n": 62_500}
    assert {char: count(char * 1_000_000) for char in exact} == exact


def alone(script: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter that cannot reach a network."""
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


LOAD = """
from director_ctx.context.tokens.tokenizers import load
try:
    print(load("o200k_base")("hello world"))
except Exception as error:
    print(error, error.hint)
"""


def test_it_works_without_a_network() -> None:
    done = alone(LOAD)
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_where_it_is_missing_or_broken_the_hint_says_what_to_install(tmp_path: Path) -> None:
    said = "No tokenizer for o200k_base is installed. pip install 'director-ctx[exact]'\n"
    (tmp_path / "bpe_openai").mkdir()
    (tmp_path / "bpe_openai" / "__init__.py").write_text("from bpe_openai._bindings import it\n")
    script = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{LOAD}"
    missing = alone(script)
    assert (missing.stdout, missing.stderr) == (said, "")
    suffix = ".abi3.so" if sys.platform != "win32" else ".pyd"
    (tmp_path / "bpe_openai" / f"_bindings{suffix}").write_bytes(b"not a library")
    broken = alone(script)
    assert (broken.stdout, broken.stderr) == (said, "")


def test_importing_the_compiled_half_does_not_disturb_the_package() -> None:
    script = (
        "from director_ctx.context.tokens.tokenizers import load\n"
        "count = load('o200k_base')\n"
        "import bpe_openai\n"
        "print(len(bpe_openai.get_encoding('o200k_base').encode_ordinary('hello world')), count('hello world'))\n"
    )
    done = alone(script)
    assert done.stdout == "2 2\n", done.stderr
