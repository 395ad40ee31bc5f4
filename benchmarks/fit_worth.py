"""Fits the weights of `director_ctx/history/digest/worth.py` to what agents really used again.

usage: python -m benchmarks.fit_worth DIR

DIR holds the runs (see `benchmarks/survival`). Only the repositories of the fold for fitting are
read; the others are what `python -m benchmarks.survival --fold judged` judges. Of each cut, every
item that a compression would have to choose from is a sample: was it used in a later call, before
anything showed it again? Prints the table of the module.
"""

from __future__ import annotations

import sys
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.survival.folds import FIT, of_fold
from benchmarks.survival.methods import count
from benchmarks.survival.runs import MINI, load
from benchmarks.survival.sessions import sessions
from benchmarks.survival.targets import cut_places
from benchmarks.survival.trial import SHARES
from director_ctx.history import formats
from director_ctx.history.digest.scan import Scan, items, text_of
from director_ctx.history.digest.worth import WEIGHTS, signs
from director_ctx.history.messages.message import CALL, measure
from director_ctx.history.messages.target import Aim
from director_ctx.history.messages.turns import turns
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.keep import protected

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.survival.runs import Run
    from director_ctx.history.messages.message import Message

    Sample = tuple[list[tuple[int, float]], bool]
    """The signs that an item has, by their numbers, and whether it was used again."""

NAMES = (*WEIGHTS, "base")
LATE = (0.50, 0.60, 0.70, 0.80, 0.90)
SHORTER = 60_000
"""Tokens of sessions that are fitted to, so that more than one repository has some."""
ROUNDS, RIDGE = 8, 2.0


def main() -> None:
    coding = list(load(Path(sys.argv[1]), MINI))
    repositories = {run.repository for run in coding}
    long = list(sessions(coding, 4, SHORTER))
    runs: list[tuple[Run, Sequence[float]]] = [
        (run, SHARES) for run in of_fold(coding, FIT, repositories)
    ]
    runs += [(run, LATE) for run in of_fold(long, FIT, repositories)]
    samples = [
        sample
        for run, shares in runs
        for length in cut_places(run.chat, shares)
        for sample in at(run, length)
    ]
    print(f"{len(samples):,} items, {sum(used for _, used in samples):,} of them used again")
    for name, weight in zip(NAMES, fitted(samples), strict=True):
        print(f"{name!r}: {weight:.2f}")


def at(run: Run, length: int) -> Iterator[Sample]:
    """The items of a run before a cut that are not in what stays anyway."""
    before, whole = messages(run, length), messages(run, len(run.chat))
    rows = turns(before)
    scan = Scan(before, rows)
    safe = protected(before, Aim(count=count, config=ContextConfig()), rows)
    given = set(found(before[place] for place in safe))
    used = used_again(whole[len(before) :])
    for item in {**scan.last_seen, **scan.last_used}:
        if item not in given:
            named = signs(item, scan)
            yield (
                [(NAMES.index(name), value) for name, value in named.items() if value]
                + [(len(WEIGHTS), 1.0)],
                item in used,
            )


def messages(run: Run, length: int) -> list[Message]:
    made = formats.load(run.format).decode(run.written(run.chat[:length])).messages
    measure(made, count)
    return made


def found(some: Iterable[Message]) -> Iterator[str]:
    for message in some:
        for block in message.blocks:
            for line in text_of(block).split("\n"):
                yield from items(line.strip())


def used_again(later: list[Message]) -> set[str]:
    used: set[str] = set()
    shown: set[str] = set()
    for message in later:
        for block in message.blocks:
            own = {item for line in text_of(block).split("\n") for item in items(line.strip())}
            if block.kind == CALL:
                used |= own - shown
            shown |= own
    return used


def fitted(samples: list[Sample]) -> list[float]:
    """A logistic regression, by Newton's method."""
    weights = [0.0] * len(NAMES)
    for _ in range(ROUNDS):
        slope = [-RIDGE * weight for weight in weights]
        bend = [
            [RIDGE * (row == column) for column in range(len(NAMES))] for row in range(len(NAMES))
        ]
        for features, used in samples:
            likely = 1 / (1 + exp(-sum(weights[place] * value for place, value in features)))
            miss, spread = used - likely, likely * (1 - likely)
            for place, value in features:
                slope[place] += miss * value
                row, scaled = bend[place], spread * value
                for other, second in features:
                    row[other] += scaled * second
        weights = [weight + step for weight, step in zip(weights, solved(bend, slope), strict=True)]
    return weights


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a system of linear equations, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place in range(len(rows)):
        best = max(range(place, len(rows)), key=lambda number: abs(rows[number][place]))
        rows[place], rows[best] = rows[best], rows[place]
        head = [value / rows[place][place] for value in rows[place]]
        rows[place] = head
        for number, row in enumerate(rows):
            if number != place:
                rows[number] = [
                    value - row[place] * over for value, over in zip(row, head, strict=True)
                ]
    return [row[-1] for row in rows]


if __name__ == "__main__":
    main()
