"""JSON on one line, written piece by piece: of a large document no second copy is made."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Encode = Callable[[Any], str]

MANY, TOGETHER = 1000, 64
"""Of more than so many elements so many are encoded at once: one by one is slow, and all together
is a second copy.
"""


def pieces(value: Any, encode: Encode, comma: str, colon: str) -> Iterator[str]:
    """What `encode` writes with these separators; long lists by their elements."""
    if isinstance(value, list):
        yield from _elements(value, encode, comma)
    elif isinstance(value, dict) and value:
        before = "{"
        for key, inner in value.items():
            yield f"{before}{encode(key)}{colon}"
            if isinstance(inner, list):
                yield from _elements(inner, encode, comma)
            else:
                yield encode(inner)
            before = comma
        yield "}"
    else:
        yield encode(value)


def _elements(value: list[Any], encode: Encode, comma: str) -> Iterator[str]:
    if not value:
        yield "[]"
        return
    step = 1
    if len(value) > MANY:
        step = TOGETHER
    before = "["
    for start in range(0, len(value), step):
        some = encode(value[start : start + step])
        # Without the brackets around them.
        yield before + some[1:-1]
        before = comma
    yield "]"


def together(pieces: Iterator[str]) -> Iterator[str]:
    """Small pieces joined to fewer ones, as each has its price."""
    from itertools import islice

    while some := list(islice(pieces, MANY)):
        yield "".join(some)
