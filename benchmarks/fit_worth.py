"""Fits the weights of `director_ctx/history/digest/worth.py` to what agents really used again.

usage: python -m benchmarks.fit_worth DIR [--held-out]

DIR holds the sessions (see `benchmarks/survival`). Of each cut, every item that a compression would
have to choose from is a sample: was it used in a later call, before anything showed it again? Each
cut weighs the same, each session by the root of its cuts. Prints the table of the module; with
`--held-out` how much of what is needed survives in each repository by weights that were fitted to
all others.
"""

from __future__ import annotations

import argparse
from math import exp, sqrt
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.survival.__main__ import LEAST, cases_of, read_options
from benchmarks.survival.judge import RETAINED
from benchmarks.survival.methods import count, hybrid
from benchmarks.survival.real import real
from benchmarks.survival.runs import SESSIONS
from benchmarks.survival.spread import percentile
from benchmarks.survival.targets import cut_places
from benchmarks.survival.trial import attempt, fits
from director_ctx.history import formats
from director_ctx.history.digest import worth
from director_ctx.history.digest.read import read, text_of
from director_ctx.history.digest.worth import KINDS, SIGNS, SeenItems, kind, signs
from director_ctx.history.messages.message import ASSISTANT, CALL, measure
from director_ctx.history.messages.target import Aim
from director_ctx.history.messages.turns import turns
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.keep import protected

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from benchmarks.survival.runs import Run
    from director_ctx.history.messages.message import Message

NAMES = (*KINDS, *SIGNS, "base")
CUTS = (0.3, 0.45, 0.6, 0.75, 0.9, 1.0)
UNUSED = 6
"""Of items that were not used again, one of so many is a sample, and stands for all of them."""
ROUNDS, RIDGE = 8, 0.005
RATIOS = (0.05, 0.10, 0.20, 0.30)


class Sample(NamedTuple):
    repository: str
    run: str
    cut: int
    values: tuple[tuple[int, float], ...]
    """The signs that an item has, by their numbers."""
    used: bool
    weight: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_worth")
    parser.add_argument("data", type=Path)
    parser.add_argument("--held-out", action="store_true")
    options = parser.parse_args()
    samples = list(samples_of(options.data))
    if not samples:
        parser.error(f"{options.data} has no sessions/OWNER+REPOSITORY/*.jsonl")
    print(f"{len(samples):,} samples of {len({(one.run, one.cut) for one in samples})} cuts")
    if options.held_out:
        held_out(options.data, samples)
    for name, weight in fitted(samples).items():
        print(f'    "{name}": {weight:.2f},')


def samples_of(data: Path) -> Iterator[Sample]:
    for run in real(data):
        whole = messages(run, len(run.chat), run.window)
        for length in cut_places(run.chat, CUTS, run.window):
            yield from at(run, length, whole)


def messages(run: Run, length: int, window: int | None = None) -> list[Message]:
    """As a compression gets them; where a run goes on behind a compaction, both windows."""
    parts = [run.chat[:length]]
    if window is not None and length > window:
        parts = [run.chat[:window], run.chat[window:length]]
    found: list[Message] = []
    for part in parts:
        if part:
            found += formats.load(run.format).decode(run.written(part)).messages
    measure(found, count)
    return found


def at(run: Run, length: int, whole: Sequence[Message]) -> Iterator[Sample]:
    """The items of a run before a cut that are not in what stays anyway."""
    before = messages(run, length)
    if measure(before, count) < LEAST / 2:
        return
    rows = turns(before)
    seen = SeenItems(before, rows)
    safe = protected(before, Aim(count=count, config=ContextConfig()), rows)
    given = set(items(before[place] for place in safe))
    used = used_again(whole[len(before) :])
    for number, item in enumerate(seen.born):
        is_used = item in used
        if item in given or (not is_used and number % UNUSED):
            continue
        values = {kind(item): 1.0, **signs(item, seen), "base": 1.0}
        numbered = tuple((NAMES.index(name), value) for name, value in values.items() if value)
        weight = 1.0 if is_used else float(UNUSED)
        yield Sample(run.repository, run.name, length, numbered, is_used, weight)


def items(some: Iterable[Message]) -> Iterator[str]:
    for message in some:
        for block in message.blocks:
            yield from read(text_of(block)).items


def used_again(later: Sequence[Message]) -> set[str]:
    """What is put into a call before a tool or the user said it again; what an agent says itself, it
    has to have known.
    """
    used: set[str] = set()
    shown: set[str] = set()
    for message in later:
        for block in message.blocks:
            own = read(text_of(block)).items.keys()
            if block.kind == CALL:
                used |= own - shown
            elif message.role != ASSISTANT:
                shown |= own
    return used


def fitted(samples: Sequence[Sample]) -> dict[str, float]:
    """A logistic regression, by Newton's method."""
    of_cut: dict[tuple[str, int], float] = {}
    cuts: dict[str, set[int]] = {}
    for one in samples:
        cut = (one.run, one.cut)
        of_cut[cut] = of_cut.get(cut, 0.0) + one.weight
        cuts.setdefault(one.run, set()).add(one.cut)
    weighed = []
    for one in samples:
        share = sqrt(len(cuts[one.run])) / len(cuts[one.run]) / of_cut[one.run, one.cut]
        weighed.append((one.values, one.used, one.weight * share))
    total = sum(weight for _, _, weight in weighed)
    ridge = RIDGE * total / len(NAMES)
    weights = [0.0] * len(NAMES)
    for _ in range(ROUNDS):
        slope = [-ridge * weight for weight in weights]
        bend = [
            [ridge * (row == column) for column in range(len(NAMES))] for row in range(len(NAMES))
        ]
        for values, used, weight in weighed:
            likely = 1 / (1 + exp(-sum(weights[place] * value for place, value in values)))
            miss, spread = weight * (used - likely), weight * likely * (1 - likely)
            for place, value in values:
                slope[place] += miss * value
                row, scaled = bend[place], spread * value
                for other, second in values:
                    row[other] += scaled * second
        weights = [weight + step for weight, step in zip(weights, solved(bend, slope), strict=True)]
    return dict(zip(NAMES, weights, strict=True))


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


def weigh(weights: Mapping[str, float]) -> None:
    """Makes these the weights of this process."""
    for table in (KINDS, SIGNS):
        for name in table:
            table[name] = weights[name]
    worth.BASE = weights["base"]
    worth.by_form.cache_clear()


def held_out(data: Path, samples: Sequence[Sample]) -> None:
    """Every repository is judged by weights that were fitted to all others."""
    options = read_options(["--sets", SESSIONS])
    cases = list(cases_of(SESSIONS, data, options))
    shares: dict[float, list[tuple[str, float]]] = {ratio: [] for ratio in RATIOS}
    for repository in sorted({case.run.repository for case in cases}):
        weigh(fitted([one for one in samples if one.repository != repository]))
        for case in (case for case in cases if case.run.repository == repository):
            for ratio in RATIOS:
                if fits(case, ratio):
                    trial = attempt(case, "hybrid", hybrid, ratio)
                    shares[ratio].append((case.run.name, trial.share(RETAINED) or 0.0))
    for ratio, judged in shares.items():
        runs: dict[str, list[float]] = {}
        for name, share in judged:
            runs.setdefault(name, []).append(share)
        mean = fmean(fmean(values) for values in runs.values())
        worst = percentile([share for _, share in judged], 0.1)
        print(f"held out, {ratio:.0%}: bound {mean:.3f}, a tenth of cuts below {worst:.2f}")


if __name__ == "__main__":
    main()
