"""Exact counts by bpe-openai, which brings its tables along. Nothing is downloaded, and nothing loaded
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

_LOADED: dict[str, Count] = {}


def load(encoding: str) -> Count:
    """The count of an encoding. Text that spells a special token is plain text."""
    if encoding not in _LOADED:
        try:
            count: Count = _compiled().tokenizer_for_encoding(encoding).count
        except Exception as error:  # Not installed, or made for another Python.
            raise DctxError(f"No tokenizer for {encoding} is installed.", HINT) from error
        _LOADED[encoding] = _tolerant(count)
    return _LOADED[encoding]


def _tolerant(count: Count) -> Count:
    def tolerant(text: str) -> int:
        try:
            return count(text)
        except UnicodeEncodeError:
            # A lone surrogate is no text; a replacement character is counted in its place.
            raw = text.encode("utf-16", "surrogatepass")
            return count(raw.decode("utf-16", "replace"))

    return tolerant


def _compiled() -> Any:
    """The compiled module of bpe-openai, without its `__init__`: that takes a third of a second, and adds nothing to
    a count.
    """
    import sys
    from importlib.machinery import PathFinder

    full = "bpe_openai._bindings"
    if full in sys.modules:
        return sys.modules[full]
    spec = None
    around = PathFinder.find_spec("bpe_openai")
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
