"""The page: from the start of `dctx ui` to its first page, and each page once it is warm, beside a bare
program of Starlette and uvicorn that serves the same bytes; what a hundred open pages hear of
changes; and the memory of the server after thousands of them.

usage: python -m benchmarks.ui [--rounds N] [--heard N] [--changes N]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.measure import Job, take_turns, timed
from benchmarks.report import Aim, Row, aims_table, rows_table, table
from benchmarks.sites import AT_ONCE, BARE_PROGRAM, DCTX, addresses, fill, next_mark, site, stream
from director_ctx.doors.ui.serving.looking import look_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from http.client import HTTPResponse

    from benchmarks.measure import Series
    from benchmarks.sites import Site

ROUNDS = 20
STREAMS = 100
HEARD = 20
"""Changes that all of them are told, at the pace of the server: two looks a second."""
FEW, MANY = 200, 3_600
NAME = "example"
NOW = f"/{NAME}/now"
OURS, BARE = "dctx ui", "bare"
START = "start to the first page"
START_AIM, MEMORY_AIM = 3, 1.15


def measure(root: Path, rounds: int) -> dict[str, Series]:
    """Starts, and requests to servers that are warm, take turns."""
    with ExitStack() as stack:
        ours = stack.enter_context(site(DCTX, root))
        pages = addresses(ours, NAME)
        kept = root.parent / "pages"
        kept.mkdir()
        for name, address in pages.items():
            (kept / f"{name}.html").write_bytes(ours.page(address))
        bare_command = (sys.executable, "-c", BARE_PROGRAM, str(kept))
        bare = stack.enter_context(site(bare_command, root))

        jobs = {
            f"{START}: {BARE}": started(bare_command, root),
            f"{START}: {OURS}": started(DCTX, root),
        }
        for name, address in pages.items():
            jobs[f"{name}: {BARE}"] = asked(bare, f"/{name}")
            jobs[f"{name}: {OURS}"] = asked(ours, address)
        return take_turns(jobs, rounds)


def started(command: Sequence[str], root: Path) -> Job:
    def run() -> None:
        with site(command, root) as server:
            assert server.enter()

    return Job(lambda: timed(run))


def asked(server: Site, address: str) -> Job:
    return Job(lambda: timed(partial(server.page, address)))


def page_rows(series: Mapping[str, Series]) -> Iterator[Row]:
    for name, samples in series.items():
        page, _, _ = name.rpartition(": ")
        yield Row(name, samples, series[f"{page}: {BARE}"])


def changing(root: Path) -> Callable[[], str]:
    """Each call changes a file as a whole, and tells how the project is then."""
    numbers = count()
    ideas, beside = root / ".director" / "IDEAS.md", root / "ideas-beside.md"

    def change() -> str:
        beside.write_text(f"# Ideas\n\n- Number {next(numbers)}\n")
        os.replace(beside, ideas)
        return look_at(str(root))

    return change


def not_heard(root: Path, changes: int) -> int:
    """How often one of many open pages was not told how the project is after a change."""
    change = changing(root)
    lost = 0
    last_told = []
    with ExitStack() as stack:
        server = stack.enter_context(site(DCTX, root))
        server.enter()
        ears = [stack.enter_context(stream(server, f"/{NAME}/events")) for _ in range(STREAMS)]
        for ear in ears:
            next_mark(ear)
        for _ in range(changes):
            mark = change()
            begin = perf_counter()
            marks = [next_mark(ear) for ear in ears]
            last_told.append((perf_counter() - begin) * 1_000)
            lost += STREAMS - marks.count(mark)
    line = [f"{changes} changes", f"{median(last_told):.0f}", f"{max(last_told):.0f}"]
    heads = [f"Until the last of {STREAMS} streams has heard", "median ms", "max ms"]
    print(table(heads, [line]), end="\n\n", flush=True)
    return lost


def wait_for(ear: HTTPResponse, mark: str) -> None:
    """Until an open page has heard it; what it hears of conversations in between is no matter."""
    heard = ""
    while heard != mark:
        heard = next_mark(ear)
        assert heard, "A change was not told."


def memory(root: Path, changes: int) -> tuple[float, float]:
    """MB of a server after a few changes and after many; an open page fetches itself after each."""
    change = changing(root)
    sizes = {}
    with site(AT_ONCE, root) as server:
        server.enter()
        with stream(server, f"/{NAME}/events?talk=1") as ear:
            next_mark(ear)
            for number in range(1, changes + 1):
                mark = change()
                wait_for(ear, mark)
                server.page(NOW)
                if number in (FEW, changes):
                    sizes[number] = server.memory()
    few, many = sizes[FEW], sizes[changes]
    heads = ["Memory of the server", "MB"]
    lines = [[f"after {FEW} changes", f"{few:.1f}"], [f"after {changes:,} changes", f"{many:.1f}"]]
    print(table(heads, lines), end="\n\n", flush=True)
    return few, many


def aims(series: Mapping[str, Series], lost: int, sizes: tuple[float, float]) -> Iterator[Aim]:
    ours, bare = series[f"{START}: {OURS}"], series[f"{START}: {BARE}"]
    yield Aim(
        f"{START}: {OURS} / {BARE}",
        ours.median / bare.median,
        ours.least / bare.least,
        START_AIM,
    )
    yield Aim(f"{STREAMS} streams: events that were dropped", lost, lost, 0, unit="")
    few, many = sizes
    grown = many / few
    yield Aim("memory: after many changes / after few", grown, grown, MEMORY_AIM)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--heard", type=int, default=HEARD, help="Changes that streams are told.")
    parser.add_argument("--changes", type=int, default=MANY, help="Changes that memory is for.")
    values = parser.parse_args()
    if values.changes <= FEW:
        parser.error(f"--changes: more than {FEW}.")
    with tempfile.TemporaryDirectory(prefix="dctx-ui-") as place:
        # Where servers say where they run.
        os.environ["HOME"] = place
        root = Path(place).resolve() / NAME
        fill(root)
        series = measure(root, values.rounds)
        print(rows_table("Pages", list(page_rows(series))), end="\n\n", flush=True)
        lost = not_heard(root, values.heard)
        sizes = memory(root, values.changes)
        print(aims_table(list(aims(series, lost, sizes))))


if __name__ == "__main__":
    main()
