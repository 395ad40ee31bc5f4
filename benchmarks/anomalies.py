"""usage: python -m benchmarks.anomalies [--cases N] [--no-peers]

Results of tools in which one row of 500 is unlike the others: does it survive at a tenth of the
characters? `ends` is the same by head, tail and lines that signal something; `digest` is a conversation
of 40 turns with such a result in its middle, at a tenth of its tokens. Beside headroom's own code on some
of the texts, at the size that it comes to.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.structured import WORDS
from benchmarks.survival.methods import count, hybrid
from director_ctx.history.formats import openai_chat
from director_ctx.history.messages.message import measure
from director_ctx.history.results.long_text import clipped
from director_ctx.history.results.shorten import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.survival.peers import Peers

    Row = dict[str, Any]

ROWS = 500
SHARE = 10
"""One part in so many is left."""
STUB = 100
"""Characters that the stub takes of it."""
CASES = 100
TURNS, LINES_OF_CODE = 40, 40
"""Of the conversation that has such a result in its middle; of the code that the others show."""
REGIONS = ("north", "south", "east", "west")


class Case(NamedTuple):
    """A result with one row that is unlike the others."""

    text: str
    call: str
    name: str
    """What tells the row from the others."""
    odd: str
    """What is odd about it; empty where something is missing."""


def _rows(chance: random.Random) -> list[Row]:
    rows: list[Row] = []
    for number in range(ROWS):
        rows.append(
            {
                "id": number + 1,
                "name": f"{chance.choice(WORDS)}-{chance.randrange(10**6):06}",
                "status": "ok",
                "ms": chance.randint(10, 90),
                "region": chance.choice(REGIONS),
                "message": " ".join(chance.choices(WORDS, k=chance.randint(2, 6))),
            }
        )
    return rows


def _other_status(row: Row, chance: random.Random) -> str:
    row["status"] = chance.choice(("held", "failed", "partial", "OK"))
    return str(row["status"])


def _missing_key(row: Row, chance: random.Random) -> str:
    del row[chance.choice(("status", "region", "message"))]
    return ""


def _extra_key(row: Row, chance: random.Random) -> str:
    row[chance.choice(("note", "parent", "warning"))] = "seen twice"
    return "seen twice"


def _outlier(row: Row, chance: random.Random) -> str:
    row["ms"] = chance.choice((-1, 0, 4_000, 98_123, 10**9))
    return str(row["ms"])


def _error_text(row: Row, chance: random.Random) -> str:
    row["message"] = chance.choice(
        (
            "connection refused by upstream 7",
            "KeyError: 'amount'",
            "permission denied",
            "could not parse the date",
            "exit status 137",
        )
    )
    return str(row["message"])


def _other_type(row: Row, chance: random.Random) -> str:
    row["ms"] = chance.choice(("n/a", "unknown", "-"))
    return str(row["ms"])


KINDS: dict[str, Callable[[Row, random.Random], str]] = {
    "status": _other_status,
    "missing key": _missing_key,
    "extra key": _extra_key,
    "outlier": _outlier,
    "error text": _error_text,
    "type": _other_type,
}


def _written(write: Callable[[list[Row]], str], call: str) -> Callable[[random.Random, str], Case]:
    """Rows in one form, of which one is changed."""

    def make(chance: random.Random, kind: str) -> Case:
        rows = _rows(chance)
        row = chance.choice(rows)
        odd = KINDS[kind](row, chance)
        return Case(write(rows), call, row["name"], odd)

    return make


def _by_key(rows: list[Row]) -> str:
    return json.dumps({f"order-{row['id']}": row for row in rows})


def _csv(rows: list[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _markdown(rows: list[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    for row in rows:
        lines.append(f"| {' | '.join(str(row.get(name, '')) for name in names)} |")
    return "\n".join(lines)


def _log(rows: list[Row]) -> str:
    lines: list[str] = []
    for number, row in enumerate(rows):
        message = row.get("message", "")
        pairs = " ".join(f"{key}={value}" for key, value in row.items() if key != "message")
        moment = f"2026-03-01T10:{number // 60 % 60:02}:{number % 60:02}.{number:03}Z"
        lines.append(f"{moment} INFO [worker-{number % 4}] {pairs} {message}".rstrip())
    return "\n".join(lines)


ROW_FORMS: dict[str, Callable[[random.Random, str], Case]] = {
    "JSON, one line": _written(json.dumps, "fetch_orders {}"),
    "JSON, pretty": _written(
        lambda rows: json.dumps({"orders": rows}, indent=2), "fetch_orders {}"
    ),
    "JSON, by key": _written(_by_key, "fetch_orders {}"),
    "JSON lines": _written(lambda rows: "\n".join(map(json.dumps, rows)), "bash cat orders.jsonl"),
    "CSV": _written(_csv, "bash cat orders.csv"),
    "Markdown table": _written(_markdown, "query {}"),
    "log": _written(_log, "bash docker logs shop"),
}


class Runner(NamedTuple):
    """How a runner of tests writes."""

    call: str
    begin: str
    passed: str
    failed: str
    other: str
    """A test that was not run."""
    block: str
    """What it says of a failure; it may stand before the line of the test, or at the end."""
    at_end: bool
    end: str


RUNNERS = {
    "pytest": Runner(
        "bash pytest -v",
        "============ test session starts ============\nplatform linux -- Python 3.12\ncollected 500 items\n",
        "tests/test_shop.py::test_{name} PASSED [ {percent:2}%]",
        "tests/test_shop.py::test_{name} FAILED [ {percent:2}%]",
        "tests/test_shop.py::test_{name} SKIPPED ({odd}) [ {percent:2}%]",
        "================= FAILURES =================\n_________ test_{name} _________\n\n    def test_{name}():\n"
        ">       assert total(order) == 17\nE       AssertionError: {odd}\n\ntests/test_shop.py:88: AssertionError\n"
        "========== short test summary info ==========\nFAILED tests/test_shop.py::test_{name} - AssertionError: {odd}",
        True,
        "======= {counts} in 4.20s =======",
    ),
    "jest": Runner(
        "bash npx jest --verbose",
        "FAIL src/shop.test.ts\n  orders",
        "    ✓ adds {name} ({percent} ms)",
        "    ✕ adds {name} ({percent} ms)",
        "    ○ skipped adds {name} {odd}",
        "\n  ● orders \u203a adds {name}\n\n    expect(received).toBe(expected)\n\n    {odd}\n\n"
        "      at Object.<anonymous> (src/shop.test.ts:41:7)\n",
        True,
        "Tests:       {counts}, 500 total\nTime:        3.1 s",
    ),
    "go test": Runner(
        "bash go test -v ./...",
        "",
        "=== RUN   Test{name}\n--- PASS: Test{name} (0.0{percent}s)",
        "=== RUN   Test{name}\n    shop_test.go:88: {odd}\n--- FAIL: Test{name} (0.0{percent}s)",
        "=== RUN   Test{name}\n    shop_test.go:12: {odd}\n--- SKIP: Test{name} (0.00s)",
        "",
        True,
        "FAIL\nFAIL\tshop/orders\t4.2s",
    ),
    "cargo": Runner(
        "bash cargo test",
        "running 500 tests",
        "test orders::{name} ... ok",
        "test orders::{name} ... FAILED",
        "test orders::{name} ... ignored, {odd}",
        "\nfailures:\n\n---- orders::{name} stdout ----\n"
        "thread 'orders::{name}' panicked at src/shop.rs:41:9:\n{odd}\n\n"
        "failures:\n    orders::{name}\n",
        True,
        "test result: FAILED. {counts}; finished in 1.20s",
    ),
}


def _tests(runner: Runner, chance: random.Random, kind: str) -> Case:
    names = [f"{chance.choice(WORDS)}_{number}" for number in range(ROWS)]
    name = chance.choice(names)
    odd = f"left {chance.randrange(10**4)} lamps, right {chance.randrange(10**4)}"
    lines = [runner.begin]
    for number, each in enumerate(names):
        form = runner.passed
        if each == name:
            form = runner.failed if kind == "failed" else runner.other
        lines.append(form.format(name=each, percent=number // 5, odd=odd))
    counts = "499 passed, 1 skipped"
    if kind == "failed":
        counts = "1 failed, 499 passed"
        lines.append(runner.block.format(name=name, odd=odd))
    lines.append(runner.end.format(counts=counts))
    return Case("\n".join(lines), runner.call, name, odd)


def _html(chance: random.Random, kind: str) -> Case:
    """One paragraph among navigation, or a row of a table that is unlike the others."""
    links = [
        f'<li><a href="/{chance.choice(WORDS)}/{n}">{chance.choice(WORDS)} {n}</a></li>'
        for n in range(ROWS // 2)
    ]
    name = f"{chance.choice(WORDS)}-{chance.randrange(10**6):06}"
    odd = " ".join(chance.choices(WORDS, k=20))
    menu = "<ul>" + "\n".join(links[: ROWS // 4]) + "</ul>"
    beside = "<ul>" + "\n".join(links[ROWS // 4 :]) + "</ul>"
    opens, closes = ("<nav>", "</nav>") if kind == "nav" else ('<div class="menu">', "</div>")
    paragraph = f"<p>{name} {odd}.</p>"
    text = (
        f"<!doctype html><html><head><title>Shop</title><style>{'.a{color:red}' * 50}</style></head><body>"
        f"{opens}{menu}{closes}<div>{paragraph}</div><footer>{beside}</footer>"
        f"<script>{'var a=1;' * 90}</script></body></html>"
    )
    return Case(text, "fetch http://shop.test/", name, odd)


class Form(NamedTuple):
    """A form, the kinds of anomalies in it, and how a case is made."""

    kinds: Sequence[str]
    make: Callable[[random.Random, str], Case]


def _runs_of(runner: Runner) -> Callable[[random.Random, str], Case]:
    return lambda chance, kind: _tests(runner, chance, kind)


FORMS: dict[str, Form] = {
    **{name: Form(tuple(KINDS), make) for name, make in ROW_FORMS.items()},
    **{name: Form(("failed", "skipped"), _runs_of(runner)) for name, runner in RUNNERS.items()},
    "HTML": Form(("nav", "menu"), _html),
}


def case(form: str, kind: str, seed: int) -> Case:
    """Always the same for the same seed."""
    return FORMS[form].make(random.Random(f"{form} {kind} {seed}"), kind)


def survives(made: Case, left: str) -> bool:
    """Whether the row can be told, and what is odd about it stands near it."""
    at = left.find(made.name)
    while at >= 0:
        near = left[max(0, at - 300) : at + 600]
        if made.odd in near:
            return True
        at = left.find(made.name, at + 1)
    return False


def left_of(made: Case, share: float = 1 / SHARE) -> str:
    room = int(len(made.text) * share) - STUB
    return shortened(made.text, room, made.call).text


def in_digest(made: Case, seed: int, share: float = 1 / SHARE) -> str:
    """What a digest of a conversation says that has the result in its middle."""
    chance = random.Random(seed)
    name, _, arguments = made.call.partition(" ")
    chat: list[Row] = [{"role": "user", "content": "Why are the orders of last night not right?"}]
    for number in range(TURNS):
        call = (name, arguments, made.text)
        if number != TURNS // 2:
            call = ("bash", f"cat src/{chance.choice(WORDS)}_{number}.py", _code(chance))
        chat += _turn(number, *call)
    before = openai_chat.decode(chat).messages
    after = hybrid(before, int(measure(before, count) * share))
    return "\n".join(block.text for message in after for block in message.blocks)


def _turn(number: int, tool: str, command: str, text: str) -> list[Row]:
    call = {
        "id": f"c{number}",
        "type": "function",
        "function": {"name": tool, "arguments": json.dumps({"command": command})},
    }
    return [
        {"role": "assistant", "content": f"Step {number}.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": text},
    ]


def _code(chance: random.Random) -> str:
    lines: list[str] = []
    for _ in range(LINES_OF_CODE):
        name, part, thing = chance.choices(WORDS, k=3)
        lines.append(
            f"    {name}_{thing} = self.{part}.load_{thing}(limit={chance.randrange(999)})"
        )
    return "\n".join(lines)


def main() -> None:
    options = _options()
    peers = None
    if not options.no_peers:
        from benchmarks.survival import peers as others

        peers = others.find(lambda words: print(words, file=sys.stderr))
    print(
        f"{'form':16} {'anomaly':12} {'kept at 10 %':>13} {'ends':>5} {'left':>5} {'ms':>5} {'digest':>8}",
        end="",
    )
    print(f"   {'headroom':>9} {'left':>6} {'dctx there':>11}" if peers else "")
    for name, form in FORMS.items():
        for kind in form.kinds:
            _print_row(name, kind, options.cases, peers)
    if peers:
        peers.close()


def _print_row(name: str, kind: str, cases: int, peers: Peers | None) -> None:
    kept = by_ends = left = size = digests = told = 0
    took = 0.0
    for seed in range(cases):
        made = case(name, kind, seed)
        begin = time.process_time()
        short = left_of(made)
        took += time.process_time() - begin
        kept += survives(made, short)
        by_ends += survives(made, clipped(made.text, len(made.text) // SHARE))
        left += len(short)
        size += len(made.text)
        # A whole conversation takes longer to make.
        if seed < max(1, cases // 10):
            digests += 1
            told += survives(made, in_digest(made, seed))
    milliseconds = took / cases * 1000
    print(f"{name:16} {kind:12} {kept:6}/{cases:<6} {by_ends:5} ", end="")
    print(f"{left / size:5.2f} {milliseconds:5.1f} {told:4}/{digests:<3}", end="")
    print(_beside(name, kind, max(1, cases // 10), peers) if peers else "", flush=True)


def _beside(name: str, kind: str, cases: int, peers: Peers) -> str:
    """headroom on some of the same texts, and dctx at the size that it comes to."""
    theirs = ours = left = size = 0
    for seed in range(cases):
        made = case(name, kind, seed)
        answer = peers.ask("headroom", _chat(made), 0)
        if "chat" not in answer:
            return f"   {answer['why_not'][:40]}"
        shown = str(answer["chat"][2]["content"])
        theirs += survives(made, shown)
        ours += survives(made, left_of(made, len(shown) / len(made.text)))
        left += len(shown)
        size += len(made.text)
    return f"   {theirs:4}/{cases:<4} {left / size:6.2f} {ours:6}/{cases:<4}"


def _chat(made: Case) -> list[dict[str, Any]]:
    """A result in the middle of a run: what is newest, others leave alone."""
    name, _, arguments = made.call.partition(" ")
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps({"command": arguments})},
    }
    chat: list[dict[str, Any]] = [
        {"role": "user", "content": "How is the shop?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": made.text},
    ]
    for number in range(6):
        chat.append({"role": "assistant", "content": f"Step {number} is done."})
        chat.append({"role": "user", "content": "Go on."})
    return chat


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--no-peers", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
