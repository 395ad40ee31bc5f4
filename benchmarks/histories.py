"""Long conversations: reading, checking, shortening and writing them beside `json.loads` and other
projects' own code.

usage: python -m benchmarks.histories [--quick] [--no-peers]
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.history_once import way_through
from benchmarks.install import REPOSITORY
from benchmarks.measure import Job, clean_environment, launch, take_turns, timed
from benchmarks.report import Aim, Row, aims_table, rows_table
from benchmarks.survival import peers
from benchmarks.survival.methods import count
from benchmarks.survival.runs import MINI, load
from benchmarks.survival.sessions import sessions
from benchmarks.survival.transcript import written
from director_ctx.history.formats import openai_chat
from director_ctx.history.messages.message import measure as measured
from director_ctx.history.messages.target import Aim as Target
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from benchmarks.measure import Sample, Series
    from director_ctx.history.messages.message import Message

    Say = Callable[[str], None]

SIZES, QUICK = (1_000, 10_000, 100_000), (1_000, 10_000)
CHEAP = ("sliding_window", "clear")
FORMATS = ("openai-chat", "claude-code")
CLEARED = 20_000
"""Messages that both sides clear."""
REAL = 6
"""Real runs that are enough to tell."""
TRAJECTORIES = "DCTX_TRAJECTORIES"
_WORDS = (
    "value index header stream reader parse result buffer offset limit error return yield "
    "class import self"
).split()


def measure(
    place: Path,
    environment: Mapping[str, str],
    rounds: int,
    say: Say,
    alone: bool = False,
) -> list[Aim]:
    """Prints what it measured; the ratios are for the table of all."""
    sizes, rounds = (QUICK if rounds < 20 else SIZES), 2
    files = {(form, size): generated(place, form, size) for form in FORMATS for size in sizes}
    aims = [*_pipelines(files, sizes, rounds), *_memory(files, sizes[-1], environment)]
    others = None if alone else peers.find(say)
    if others is not None:
        aims += _clearing(others, rounds)
    aims += _hybrid(others, rounds, say)
    if others is not None:
        others.close()
    return aims


def generated(place: Path, form: str, size: int) -> Path:
    """A history of so many messages, the same every time."""
    chat, random = [{"role": "user", "content": "Mend the reader."}], Random(size)
    while len(chat) < size:
        chat += _turn(random, len(chat), "→" if form == "claude-code" else "\t")
    path = place / f"{form}-{size}.json"
    if form == "claude-code":
        path.write_text(
            "".join(json.dumps(line) + "\n" for line in written(chat)), encoding="utf-8"
        )
    else:
        path.write_text(json.dumps({"messages": chat}), encoding="utf-8")
    return path


def _turn(random: Random, number: int, sign: str) -> list[dict[str, Any]]:
    """A file that is read, of 1.5 to 6 KB, numbered as that client does it."""
    words = random.choices(_WORDS, k=random.randrange(130, 520))
    numbered = range(0, len(words), 4)
    lines = "\n".join(
        f"{n:6d}{sign}    {words[n]}_{n} = {words[n - 1]}({n}, {number})" for n in numbered
    )
    given = {
        "file_path": f"/work/src/{words[0]}_{number % 97}.py",
        "offset": number % 900,
        "limit": len(words),
    }
    function = {"name": "Read", "arguments": json.dumps(given)}
    call = {"id": f"toolu_{number:024d}", "type": "function", "function": function}
    said = " ".join(words[:12])
    return [
        {"role": "assistant", "content": f"Now {said}.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": lines},
    ]


# The way through


def parse(data: bytes, form: str) -> object:
    return (
        [json.loads(line) for line in data.splitlines()]
        if form == "claude-code"
        else json.loads(data)
    )


def _pipelines(
    files: Mapping[tuple[str, int], Path], sizes: tuple[int, ...], rounds: int
) -> Iterator[Aim]:
    for form in FORMATS:
        found: dict[int, dict[str, Series]] = {}
        for size in sizes:
            data = files[form, size].read_bytes()
            jobs = {"json.loads": Job(_timed(parse, data, form))}
            jobs |= {name: Job(_timed(way_through, data, name)) for name in CHEAP}
            found[size] = take_turns(jobs, rounds if size > QUICK[-1] else 2 * rounds)
            rows = [Row(name, found[size][name], found[size]["json.loads"]) for name in jobs]
            print(
                rows_table(f"{form}, {size:,} messages, {len(data) / 1e6:.1f} MB", rows),
                end="\n\n",
                flush=True,
            )
        for name in CHEAP:
            for size in sizes:
                above, below = found[size][name], found[size]["json.loads"]
                what = f"{form}, {size:,}: read + check + {name} + write / json.loads"
                yield Aim(what, above.median / below.median, above.least / below.least, 6)
            yield _growth(form, name, found)


def _timed(call: Callable[[bytes, str], object], data: bytes, name: str) -> Callable[[], Sample]:
    return functools.partial(timed, functools.partial(call, data, name))


def _growth(form: str, name: str, found: Mapping[int, Mapping[str, Series]]) -> Aim:
    """How much faster than `json.loads` the time grows with the size, as exponents."""
    small, large = min(found), max(found)

    def exponent(name: str, value: Callable[[Series], float]) -> float:
        return math.log(value(found[large][name]) / value(found[small][name])) / math.log(
            large / small
        )

    def faster(value: Callable[[Series], float]) -> float:
        return exponent(name, value) - exponent("json.loads", value)

    what = f"{form}: growth of {name} - growth of json.loads"
    return Aim(
        what,
        faster(lambda series: series.median),
        faster(lambda series: series.least),
        0.05,
        unit="",
    )


# Memory


def _memory(
    files: Mapping[tuple[str, int], Path], size: int, environment: Mapping[str, str]
) -> Iterator[Aim]:
    for form in FORMATS:
        path = files[form, size]
        for name in CHEAP:
            command = [sys.executable, "-m", "benchmarks.history_once", str(path), name]
            peak = launch(REPOSITORY, command, environment).memory
            ratio = peak / path.stat().st_size
            yield Aim(f"{form}, {size:,}: memory of {name} / input", ratio, ratio, 5)


# Beside others


def _clearing(others: peers.Peers, rounds: int) -> Iterator[Aim]:
    chat, random = [{"role": "user", "content": "Mend the reader."}], Random(0)
    while len(chat) < CLEARED:
        chat += _turn(random, len(chat), "\t")
    messages = openai_chat.decode(chat).messages
    measured(messages, count)
    ours = take_turns({"clear": Job(lambda: timed(lambda: _cleared(messages)))}, rounds)["clear"]
    theirs = [
        others.ask("langchain clear", chat).get("milliseconds", 0.0) for _ in range(rounds + 1)
    ]
    if all(theirs):
        what = f"{CLEARED:,} messages: clear / LangChain's"
        yield Aim(what, ours.median / median(theirs), ours.least / min(theirs), 1)


def _cleared(messages: list[Message]) -> list[Message]:
    return shrink(messages, "clear", Target(count=count, config=ContextConfig()))


def _hybrid(others: peers.Peers | None, rounds: int, say: Say) -> Iterator[Aim]:
    """On real runs, each as its client writes it down; the median of the runs decides."""
    real = list(load(Path(os.environ.get(TRAJECTORIES, "nowhere")), MINI))
    if not real:
        say(f"hybrid on real runs is skipped: say where they are with {TRAJECTORIES}")
        return
    if others is not None:
        others.ask("headroom", real[0].chat[:4])  # so that what it loads is not counted
    for kind, runs in (
        (MINI, real[:: max(1, len(real) // REAL)]),
        ("claude-code", list(sessions(real, 1))),
    ):
        parsed, passed = [], []
        for run in runs:
            text = [json.dumps(line) for line in run.written(run.chat)]
            whole = "\n".join(text) if kind == "claude-code" else f"[{','.join(text)}]"
            bytes_ = whole.encode()
            jobs = {
                "json.loads": Job(_timed(parse, bytes_, kind)),
                "hybrid": Job(_timed(way_through, bytes_, "hybrid")),
            }
            series = take_turns(jobs, 8 * rounds)
            parsed.append(series["hybrid"].median / series["json.loads"].median)
            if others is not None and "milliseconds" in (told := others.ask("headroom", run.chat)):
                passed.append(series["hybrid"].median / told["milliseconds"])
        yield Aim(
            f"{kind}: read + check + hybrid + write / json.loads", median(parsed), min(parsed), 25
        )
        if passed:
            yield Aim(
                f"{kind}: read + check + hybrid + write / headroom's first pass, worst run",
                max(passed),
                min(passed),
                1,
            )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.histories")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dctx-bench-") as folder:
        place = Path(folder)
        (place / "empty").mkdir()
        environment = clean_environment(place / "empty")
        say = functools.partial(print, file=sys.stderr, flush=True)
        rounds = 1 if options.quick else 60
        print(aims_table(measure(place, environment, rounds, say, options.no_peers)))


if __name__ == "__main__":
    main()
