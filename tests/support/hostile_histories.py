"""Conversations that somebody made to harm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

SAMPLES = sorted((Path(__file__).parents[1] / "samples/histories").iterdir())


JUNK: tuple[Any, ...] = (
    {}, [], None, 5, True, "x", {"a": 1}, ["q"], [["z"]], [None], {"type": {"a": 1}}, {"text": 5}, {"type": "text"},
    [{"type": "text", "text": None}], [{"type": ["tool_use"], "id": {}}],
)  # fmt: skip


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, one in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield (*way, key)
        yield from places(one, (*way, key))
