"""usage: python -m benchmarks.survival --data DIR [--quick] [--sets A,B] [--all] [--peers] [--controls] [--json
| --markdown]
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.survival import controls, peers, tables
from benchmarks.survival.folds import FOLDS, of_fold
from benchmarks.survival.known import known
from benchmarks.survival.methods import AT_RATIO, CLEARED, CLIPPED, SIMPLE, hybrid
from benchmarks.survival.real import real
from benchmarks.survival.runs import CLAUDE, MINI, REAL, SESSIONS, SHOP, folder, load
from benchmarks.survival.sessions import sessions
from benchmarks.survival.shop import shopping
from benchmarks.survival.trial import RATIOS, SHARES, Case, attempt, cases, fits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.survival.runs import Run
    from benchmarks.survival.trial import Trial
    from director_ctx.history.messages.message import Message

LATE = (0.50, 0.60, 0.70, 0.80, 0.90)
LONG = 100_000
"""Tokens of a Claude Code session before the cut, so that a twentieth of it is something."""
WINDOW = (0.4, 0.6, 0.8, 1.0)
"""Of what lies between two compactions of a real session: the last cut is the real one."""
LEAST = 20_000
"""Tokens of such a session before the cut."""
PLACES = {CLAUDE: (LATE, LONG), SESSIONS: (WINDOW, LEAST)}
"""Where runs of a set are cut, and behind how many tokens."""
SETS = (SESSIONS, MINI, CLAUDE, SHOP, *REAL[1:])
USUAL = (SESSIONS, MINI)


def main() -> None:
    options = read_options()
    data = data_folder(options.data)
    others = peers.find(note) if options.peers else None
    trials: list[Trial] = []
    for kind in options.sets:
        found = list(cases_of(kind, data, options))
        trials += [trial for case in found for trial in tried(case, options, others)]
        if options.controls:
            note(controls.sentence(kind, found, 0.2))
    if others is not None:
        others.close()
    print(tables.shown(trials, options.shape))


def cases_of(kind: str, data: Path, options: argparse.Namespace) -> Iterator[Case]:
    coding, runs = runs_of(MINI, data), runs_of(kind, data)
    everyone = known(coding + runs)
    chosen = of_fold(runs, options.fold, {run.repository for run in coding})
    shares, least = PLACES.get(kind, (SHARES, 0))
    for run in chosen[:: 3 if options.quick else 1]:
        note(f"{kind}: {run.name}")
        yield from cases(run, everyone, shares, least)


def runs_of(kind: str, data: Path) -> list[Run]:
    if kind == CLAUDE:
        return list(sessions(list(load(data, MINI))))
    if kind == SESSIONS:
        return list(real(data))
    return list(shopping()) if kind == SHOP else list(load(data, kind))


def tried(case: Case, options: argparse.Namespace, others: peers.Peers | None) -> Iterator[Trial]:
    def ours(messages: Sequence[Message], target: int) -> list[Message]:
        return hybrid(messages, target, case.conversation.native)

    for ratio in options.ratios:
        if fits(case, ratio):
            yield attempt(case, "hybrid", ours, ratio)
            if options.all:
                yield from (attempt(case, name, method, ratio) for name, method in AT_RATIO.items())
    if options.all:
        simple = {name: attempt(case, name, method) for name, method in SIMPLE.items()}
        yield from simple.values()
        for name in (CLEARED, CLIPPED):
            same_size = simple[name].reached
            if fits(case, same_size):
                again = attempt(case, f"hybrid, as: {name}", ours, same_size)
                yield again._replace(ratio=0.0)
    if others is not None:
        yield from peers.attempts(case, others, options.ratios, note)


def read_options(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.survival", description="What survives a compression."
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="finished runs (default: $DCTX_TRAJECTORIES)"
    )
    parser.add_argument(
        "--sets",
        type=lambda text: text.split(","),
        default=USUAL,
        metavar="A,B",
        help=",".join(SETS),
    )
    parser.add_argument("--ratios", type=_ratios, default=RATIOS, metavar="5,10", help="in percent")
    parser.add_argument(
        "--fold", choices=FOLDS, help="the half of the repositories to fit to, or to judge on"
    )
    parser.add_argument("--quick", action="store_true", help="every third run")
    parser.add_argument("--all", action="store_true", help="simple methods as well")
    parser.add_argument(
        "--peers", action="store_true", help="LangChain's and headroom's own code as well"
    )
    parser.add_argument("--controls", action="store_true", help="says whether the judge judges")
    parser.add_argument("--json", dest="shape", action="store_const", const="json", default="text")
    parser.add_argument("--markdown", dest="shape", action="store_const", const="markdown")
    parser.add_argument(
        "--lost", dest="shape", action="store_const", const="lost", help="every lost item instead"
    )
    options = parser.parse_args(given)
    options.sets = SETS if list(options.sets) == ["all"] else options.sets
    return options


def _ratios(text: str) -> tuple[float, ...]:
    return tuple(float(one) / 100 for one in text.split(","))


def data_folder(given: Path | None) -> Path:
    data = given or Path(os.environ.get("DCTX_TRAJECTORIES", ""))
    if not any(folder(data, kind).is_dir() for kind in (MINI, SESSIONS)):
        hint = "Say where with --data DIR or DCTX_TRAJECTORIES; benchmarks/survival/README.md says what belongs there."
        raise SystemExit(f"There are no runs in {data}. {hint}")
    return data


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
