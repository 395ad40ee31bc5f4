"""Items that anybody knows. Nobody has to remember what turns up in every other repository as well."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from benchmarks.survival.items import in_action
from benchmarks.survival.reading import CALL, is_native, pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.survival.items import Item
    from benchmarks.survival.runs import Run

IN = 2
"""Repositories whose agents have used an item, from which on it is general knowledge."""


def known(runs: Sequence[Run]) -> frozenset[Item]:
    used: dict[str, set[Item]] = {}
    for run in runs:
        native = is_native(run.chat)
        for message in run.chat:
            for piece in pieces(message, native):
                if piece.kind == CALL:
                    used.setdefault(run.repository, set()).update(in_action(piece.text))
    often = Counter(item for items in used.values() for item in items)
    return frozenset(item for item, times in often.items() if times >= IN)
