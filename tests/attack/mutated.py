"""Conversations of every format with one thing wrong in each: a field, the order, or the bytes
themselves.
"""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from hostile_histories import JUNK, SAMPLES, places
from talks import run as talk

from director_ctx.history.formats import FORMATS
from director_ctx.history.formats.document import read, write

ODD: tuple[Any, ...] = (
    *JUNK, -1, 10**400, 1e308, "", "\0", "\ud800", "\u202e", "\x1b]0;x\x07", "../../../etc/passwd", "x" * 100_000,
    "[… 10 of 20 characters cut: dctx:000000000000]", "dctx:000000000000#0", "(a+)+$", "%s%n{0}{{x}}",
    "2026-99-99T99:99",
)  # fmt: skip
DEEP = b"[" * 2_000
WRONG_BYTES = (
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r",
    b"\x1a",
    b"}{",
    b",,",
    b'"',
    DEEP,
)


def whole() -> list[bytes]:
    """What is mutated: the small samples, and a conversation with something to cut in every format."""
    long = read(json.dumps(talk(20)).encode())
    return [
        *(sample.read_bytes() for sample in SAMPLES),
        *(write(long, long.messages, form) for form in FORMATS),
    ]


def mutated(number: int, histories: list[bytes]) -> bytes:
    """The same for each number, on every machine."""
    chance = random.Random(number)
    data = histories[number % len(histories)]
    if chance.random() < 0.3:
        return with_wrong_bytes(data, chance)

    document = parsed(data)
    for _ in range(chance.randint(1, 4)):
        change(document, chance)
    return written(document, is_lines=data.count(b"\n{") > 1)


def parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return [json.loads(line) for line in data.splitlines() if line.endswith(b"}")]


def with_wrong_bytes(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    match chance.choice(("cut", "insert", "flip", "twice", "encode")):
        case "cut":
            return data[:place]
        case "insert":
            return data[:place] + chance.choice(WRONG_BYTES) + data[place:]
        case "flip":
            return (
                data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]
            )
        case "twice":
            return data + data[place:]
        case _:
            return data.decode().encode(
                chance.choice(("utf-16", "utf-16-be", "utf-8-sig", "utf-32"))
            )


def change(document: Any, chance: random.Random) -> None:
    """One value somewhere is another, or gone, or there twice."""
    ways = list(places(document))
    if not ways:
        return
    way = chance.choice(ways)
    around = document
    for key in way[:-1]:
        around = around[key]
    last = way[-1]

    kind = chance.choice(("replace", "replace", "remove", "repeat", "swap"))
    if kind == "remove":
        del around[last]
    elif kind == "repeat" and isinstance(around, list):
        around.insert(last, around[last])
    elif kind == "swap" and isinstance(around, list):
        other = chance.randrange(len(around))
        around[last], around[other] = around[other], around[last]
    else:
        around[last] = odd(chance)


def odd(chance: random.Random) -> Any:
    """A copy, because the next change may be inside of it."""
    return copy.deepcopy(chance.choice(ODD))


def written(document: Any, is_lines: bool) -> bytes:
    if is_lines and isinstance(document, list):
        return "\n".join(map(json.dumps, document)).encode()
    return json.dumps(document).encode()
