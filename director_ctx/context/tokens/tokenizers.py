"""Exact counts by the tokenizers that are installed. Nothing is downloaded, and nothing loaded
before it is needed.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Count = Callable[[str], int]

HINT = "pip install 'director-ctx[exact]'"

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
"""The file in tiktoken's cache that has the ranks of an encoding, and the SHA-256 of its content.
"""

ENCODINGS = tuple(RANKS)

LONGEST_BLANK = 200_000
"""Characters. tiktoken panics on a longer run of white space; the other engines do not mind."""

_LOADED: dict[str, Count] = {}


def load(encoding: str) -> Count:
    """The count of an encoding, by the fastest engine that is there. Text that spells a special
    token is plain text.
    """
    if encoding not in _LOADED:
        _LOADED[encoding] = _tolerant(_engine(encoding))
    return _LOADED[encoding]


def _engine(encoding: str) -> Count:
    for engine in ENGINES:
        try:
            count = engine(encoding)
            if count("hello world") == 2:
                return count
        except Exception:  # Not installed, or made for another Python: the next one may do.
            continue
    raise _without_engine(encoding)


def _without_engine(encoding: str) -> DctxError:
    """What is missing: a tokenizer, or the ranks of the one that is there."""
    from importlib.util import find_spec

    if find_spec("tiktoken") is None or _has_ranks(encoding):
        return DctxError(f"No tokenizer for {encoding} is installed.", HINT)
    name, _ = RANKS[encoding]
    folder = _ranks_folder() or "a folder of its own"
    return DctxError(
        f"tiktoken is installed, but {name}, the ranks of {encoding}, is not whole in {folder}.",
        f'Where there is a network: TIKTOKEN_CACHE_DIR=DIR python -c "import tiktoken;'
        f" tiktoken.get_encoding('{encoding}')\"; then run dctx with that variable. Or: {HINT}",
    )


def _tolerant(count: Count) -> Count:
    def tolerant(text: str) -> int:
        try:
            return count(text)
        except UnicodeEncodeError:
            # A lone surrogate is no text; tiktoken counts a replacement character in its place.
            raw = text.encode("utf-16", "surrogatepass")
            return count(raw.decode("utf-16", "replace"))

    return tolerant


def _rs_bpe(encoding: str) -> Count:
    count: Count = getattr(_compiled("rs_bpe", "bpe").openai, encoding)().count
    return count


def _bpe_openai(encoding: str) -> Count:
    count: Count = _compiled("bpe_openai", "_bindings").tokenizer_for_encoding(encoding).count
    return count


def _splintr(encoding: str) -> Count:
    from splintr import Tokenizer

    encode = Tokenizer.from_pretrained(encoding).encode_ordinary
    return lambda text: len(encode(text))


def _tiktoken(encoding: str) -> Count:
    """Only with its ranks at hand, whole: otherwise it would fetch them."""
    if not _has_ranks(encoding):
        raise ImportError(encoding)
    import tiktoken

    encode = tiktoken.get_encoding(encoding).encode_ordinary

    def count(text: str) -> int:
        if has_long_blank(text):
            raise DctxError("tiktoken cannot count so long a run of white space.", HINT)
        return len(encode(text))

    return count


ENGINES = (_rs_bpe, _bpe_openai, _splintr, _tiktoken)


def _compiled(package: str, name: str) -> Any:
    """A compiled module of a package whose own `__init__` is not run.

    That of rs-bpe writes to stderr where the module does not fit this Python; that of bpe-openai
    takes a third of a second. Neither adds anything to a count.
    """
    import sys
    from importlib.machinery import PathFinder

    full = f"{package}.{name}"
    if full in sys.modules:
        return sys.modules[full]
    spec = None
    around = PathFinder.find_spec(package)
    if around:
        spec = PathFinder.find_spec(full, around.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ImportError(full)
    module = spec.loader.create_module(spec)
    if module is None:
        raise ImportError(full)
    spec.loader.exec_module(module)
    sys.modules[full] = module
    return module


def _ranks_folder() -> str:
    """Where tiktoken keeps its ranks; nothing where it is told to keep none."""
    import os
    import tempfile

    # In the order in which tiktoken asks; an empty one means that nothing is to be kept.
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        folder = os.environ.get(variable)
        if folder is not None:
            return folder
    return os.path.join(tempfile.gettempdir(), "data-gym-cache")


def _has_ranks(encoding: str) -> bool:
    """tiktoken deletes a file whose content is not what it expects, so that is checked before it
    looks.
    """
    import os

    from director_ctx.base.hashing import digest

    folder = _ranks_folder()
    name, expected = RANKS[encoding]
    if not folder:
        return False
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return digest(file.read()) == expected
    except OSError:
        return False


def has_long_blank(text: str) -> bool:
    import re

    if len(text) <= LONGEST_BLANK:
        return False
    return re.search(rf"(?<!\s)\s{{{LONGEST_BLANK}}}", text) is not None
