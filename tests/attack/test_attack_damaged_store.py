"""Stores whose bytes were mangled, and writers that are killed: what is read, what is said, and
what is lost.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Result, write
from guarded import guarded

Run = Callable[..., Result]
Figure = Callable[[str, str], None]

STORE = ".director/.dctx/store.db"
PAGE = 4096
MANGLED, RECORDS = 160, 80
COMMANDS = (
    "plan show", "vars show", "history list", "store show", "restore short.json",
)  # fmt: skip
JSON = b'0123456789"[]{},:abcdefnotrius$~='
PLAN = {
    "overall_goal": "Hold",
    "current_phase": "Fire",
    "phases": [
        {
            "phase_name": "Fire",
            "status": "pending",
            "tasks": [{"task_id": 1, "description": "Stand", "status": "pending"}],
        }
    ],
}


@pytest.fixture
def root(tmp_path: Path, dctx: Run) -> Path:
    """A project whose store has something in every table."""
    root = write(tmp_path, {"VISION.md": "# Vision\nHarm nobody.\n"})
    (root / "plan.json").write_text(json.dumps(PLAN))
    said = [
        {"role": ("user", "assistant")[turn % 2], "content": f"Größe {turn} " * 60}
        for turn in range(20)
    ]
    (root / "said.json").write_text(json.dumps(said))
    assert dctx("plan", "update", "plan.json", "--reason", "first", cwd=root).code == 0
    for number in range(4):
        dctx("vars", "set", f"node{number}.größe", f"é {number}", "--reason", "why", cwd=root)
    dctx("history", "import", "said.json", cwd=root)
    dctx("history", "summarize", "--yes", cwd=root)
    (root / "short.json").write_text(
        dctx("compress", "said.json", "--set", "window_size=2", cwd=root).out
    )
    with closing(sqlite3.connect(root / STORE)) as store:
        assert store.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    return root


def bytes_anywhere(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 30)):
        data[chance.randrange(len(data))] = chance.randrange(256)


def the_head(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 6)):
        data[chance.randrange(100)] = chance.randrange(256)


def the_end(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def a_page(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data) // PAGE) * PAGE
    data[start : start + PAGE] = chance.randbytes(PAGE)


def two_pages(data: bytearray, chance: random.Random) -> None:
    one, other = (
        slice(start := chance.randrange(len(data) // PAGE) * PAGE, start + PAGE) for _ in range(2)
    )
    data[one], data[other] = data[other], data[one]


def names_of_tables(data: bytearray, chance: random.Random) -> None:
    """Into what is no UTF-8: SQLite then says so, in words that are none either."""
    for _ in range(chance.randint(1, 40)):
        data[chance.randrange(3 * PAGE)] = chance.randrange(128, 256)


def letters(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 200)):
        place = chance.randrange(len(data))
        if 32 < data[place] < 127:
            data[place] = 255


def single_bits(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 60)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


WAYS = (bytes_anywhere, the_head, the_end, a_page, two_pages, names_of_tables, letters, single_bits)


def put(root: Path, data: bytes) -> None:
    for end in ("-wal", "-shm", "-journal"):
        (root / f"{STORE}{end}").unlink(missing_ok=True)
    (root / STORE).write_bytes(data)


def is_well_refused(done: Result) -> bool:
    return done.code == 0 or (
        done.code == 1 and done.err.startswith("dctx: ") and "\n  hint: " in done.err
    )


def test_a_mangled_store_is_read_or_refused_in_a_sentence_and_left_as_it_is(
    root: Path, dctx: Run, figure: Figure
) -> None:
    whole = (root / STORE).read_bytes()
    wrong, changed, refused = [], [], 0
    for number in range(MANGLED):
        chance = random.Random(number)
        data = bytearray(whole)
        WAYS[number % len(WAYS)](data, chance)
        put(root, bytes(data))
        for words in COMMANDS:
            before = (root / STORE).read_bytes()
            with guarded():
                done = dctx(*words.split(), cwd=root)
            refused += done.code == 1
            if not is_well_refused(done):
                wrong.append((number, words, done))
            if done.code == 1 and (root / STORE).read_bytes() != before:
                changed.append((number, words))
    tried = MANGLED * len(COMMANDS)
    figure("Mangled stores: tracebacks, hangs, exit 3", f"{len(wrong)} of {tried} commands")
    assert refused > tried / 10
    assert wrong == []
    assert changed == []


def test_a_store_with_mangled_words_in_it_gives_back_nothing_else_than_was_put_in(
    root: Path, dctx: Run
) -> None:
    """Not the file is damaged but a text in it, so that only dctx can know."""
    put(root, (root / STORE).read_bytes())
    with closing(sqlite3.connect(root / STORE, isolation_level=None)) as store:
        [(outline, content)] = store.execute(
            "SELECT outline, content FROM dctx_compressions"
        ).fetchall()
    as_it_was = (root / "said.json").read_bytes()
    wrong = []
    for number in range(RECORDS):
        chance = random.Random(number)
        column, text = (("outline", outline), ("content", content))[number % 2]
        data = bytearray(text.encode())
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.choice(JSON)
        with closing(sqlite3.connect(root / STORE, isolation_level=None)) as store:
            store.execute(
                "UPDATE dctx_compressions SET outline = ?, content = ?", (outline, content)
            )
            store.execute(f"UPDATE dctx_compressions SET {column} = ?", (data.decode(),))
        with guarded():
            restored = dctx("restore", "short.json", cwd=root)
            listed = dctx("restore", "--list", cwd=root)
        if restored.code == 0 and restored.out.encode() != as_it_was:
            wrong.append((number, "something else"))
        wrong += [(number, done.err) for done in (restored, listed) if not is_well_refused(done)]
    assert wrong == []
