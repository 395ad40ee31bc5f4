"""What dctx aims at, as ratios of what one run measured. Reported, never enforced: a busy machine
is no bug.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.library import CALL, SAME
from benchmarks.processes import ASSEMBLE
from benchmarks.report import Aim
from benchmarks.setting import LARGE, SMALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.measure import Series
    from benchmarks.peers import Peer

    Measured = Mapping[str, Series]


def of_calls(calls: Measured) -> Iterator[Aim]:
    for name in (SMALL, LARGE):
        call = f"{name}: {CALL}"
        yield _ratio(calls, f"{name}: library call / bare loop", (call, f"{name}: {SAME}"), 3)
    yield _ratio(
        calls, f"library call: {LARGE} / {SMALL}", (f"{LARGE}: {CALL}", f"{SMALL}: {CALL}"), 2
    )


def of_runs(runs: Measured, peers: Sequence[Peer]) -> Iterator[Aim]:
    for name in (SMALL, LARGE):
        dctx = f"{name}: {ASSEMBLE}"
        for peer in peers:
            what = f"{name}: {peer.name} / dctx"
            yield _ratio(runs, what, (f"{name}: {peer.name}", dctx), peer.times, True)
        memory = runs[dctx].memory / 1e6
        yield Aim(f"{name}: memory of dctx", memory, memory, 30, unit=" MB")
    yield _ratio(
        runs, f"process: {LARGE} / {SMALL}", (f"{LARGE}: {ASSEMBLE}", f"{SMALL}: {ASSEMBLE}"), 2
    )


def _ratio(
    measured: Measured, what: str, pair: tuple[str, str], limit: float, at_least: bool = False
) -> Aim:
    above, below = (measured[name] for name in pair)
    return Aim(what, above.median / below.median, above.least / below.least, limit, at_least)
