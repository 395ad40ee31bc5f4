"""usage: python -m benchmarks [--quick] [--no-peers] [--rounds N]"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import aims, counting, histories, hooks, library, mcp, parts, processes, store
from benchmarks.install import Missing, install_dctx
from benchmarks.measure import take_turns
from benchmarks.modules import modules_loaded
from benchmarks.peers import find_peers
from benchmarks.report import Row, aims_table, rows_table
from benchmarks.setting import SMALL, headline, prepare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.measure import Series
    from benchmarks.peers import Peer
    from benchmarks.report import Aim
    from benchmarks.setting import Setting

ROUNDS, QUICK = 60, 8
CALLS = 4
"""Library calls take so little time that each round may have several."""


def main() -> None:
    options = read_options()
    rounds = max(1, options.rounds)
    try:
        note("installing dctx into .bench/")
        install_dctx()
    except Missing as error:
        raise SystemExit(f"dctx cannot be installed: {error}") from error
    peers = [] if options.no_peers else find_peers(note)
    with tempfile.TemporaryDirectory(prefix="dctx-bench-") as place:
        note("making the example and the generated project")
        setting = prepare(Path(place))
        show(headline(rounds, peers))
        calls = measure_calls(setting, rounds * CALLS)
        runs = measure_runs(setting, rounds, peers)
        counted = measure_counts(setting, rounds)
        note("measuring hooks")
        hooked = hooks.measure(setting.place, setting.roots[SMALL], setting.environment, rounds)
        note("measuring the server of tools")
        served = mcp.measure(setting.roots, rounds, mcp.own_sdk())
        note("measuring the store")
        stored = store.measure(setting.place, setting.roots[SMALL], setting.environment, rounds)
        note("measuring the six parts")
        stored += parts.measure(setting.roots[SMALL], rounds * CALLS)
        note("measuring conversations")
        stored += histories.measure(
            setting.place, setting.environment, rounds, note, alone=options.no_peers
        )
        show_modules(setting)
        show(
            aims_table(
                [
                    *aims.of_calls(calls),
                    *aims.of_runs(runs, peers),
                    *hooks.aims(hooked),
                    *mcp.aims(served),
                    *counted,
                    *stored,
                ]
            )
        )


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Ratios: dctx, its floors and its peers."
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=ROUNDS,
        metavar="N",
        help=f"how many rounds (default: {ROUNDS})",
    )
    parser.add_argument(
        "--quick", action="store_const", const=QUICK, dest="rounds", help=f"{QUICK} rounds"
    )
    parser.add_argument(
        "--no-peers", action="store_true", help="neither install nor run other tools"
    )
    return parser.parse_args()


def measure_calls(setting: Setting, rounds: int) -> dict[str, Series]:
    """The library in this interpreter, which is warm by now."""
    note("measuring library calls")
    jobs = {
        f"{name}: {title}": job
        for name, root in setting.roots.items()
        for title, job in library.jobs(root, setting.floors[name]).items()
    }
    calls = take_turns(jobs, rounds)
    floors = {name: calls[f"{name}: {library.SAME}"] for name in setting.roots}
    show(
        rows_table(
            "Library, warm",
            [Row(name, calls[name], floors[name.partition(":")[0]]) for name in jobs],
        )
    )
    return calls


def measure_runs(setting: Setting, rounds: int, peers: Sequence[Peer]) -> dict[str, Series]:
    """Fresh processes."""
    note("measuring processes")
    environment = setting.environment
    commands = [processes.start_of_python(setting.place)]
    for name, root in setting.roots.items():
        commands += processes.commands(name, root, setting.floors[name], peers)
    runs = take_turns({one.key: one.job(environment) for one in commands}, rounds)
    start = runs[processes.PASS]
    show(
        rows_table(
            "Whole process",
            [Row(one.key, runs[one.key], start, one.size(environment)) for one in commands],
        )
    )
    return runs


def measure_counts(setting: Setting, rounds: int) -> list[Aim]:
    """Estimates against exact counts, and exact counts against the bare engine."""
    note("measuring counts")
    ours, plain = counting.errors()
    show(counting.errors_table(ours, plain))
    runs = counting.measure(setting.place, setting.environment, rounds)
    show(counting.runs_table(runs))
    return list(counting.aims(ours, plain, runs))


def show_modules(setting: Setting) -> None:
    for name, root in setting.roots.items():
        loaded = modules_loaded(processes.PYTHON, root, processes.ARGUMENTS, setting.environment)
        show(f"{name}: {processes.ASSEMBLE} loads {loaded}")


def show(text: str) -> None:
    print(text, end="\n\n", flush=True)


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
