"""Fits the weights of `director_ctx/context/tokens/estimate.py` to exact counts of whatever text a
machine has.

usage: python -m benchmarks.fit_estimate KIND=FOLDER [KIND=FOLDER ...]

KIND is a word such as notes, code or prose. One file in three, by the hash of its name, is held out
and only measured; of the kind `example`, every file, because the benchmark states the error on it.
To these come the makers of `benchmarks/structured.py`, some seeds of each; others are held out.
Prints the two tables of the module, the error of each kind, and how far below and above the made
texts are estimated at worst.

The patterns were found by trying some 350 and taking away, one at a time, the one that was missed
least.
"""

from __future__ import annotations

import base64
import json
import os
import random
import sys
from collections import Counter
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.structured import structured
from director_ctx.base.hashing import text_digest
from director_ctx.context.settings.budget import count_chars
from director_ctx.context.tokens.estimate import ASCII, BEYOND, classify
from director_ctx.context.tokens.estimate import count as places
from director_ctx.context.tokens.tokenizers import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

NAMES = (*ASCII, *BEYOND)
TEXT = (".md", ".txt", ".rst", ".py", ".js", ".h", ".rs", ".json", ".yaml", ".css", ".utf-8")
MOST_FILES, MOST_CHARS, LEAST_CHARS = 300, 60_000, 300
SEEDS, HELD_SEEDS = range(8), range(100, 108)
MADE = "made: "
"""Begins the kinds that come from makers."""
MATTERS = {"director": 3.0, "notes": 3.0, "nasty": 0.3}
EACH_MAKER = 0.05
"""How much a kind weighs, if not 1."""
ROUNDS, TOLERANCE, RIDGE = 8, 0.05, 1e-6
"""Times that the weights are fitted; the relative error from which on a file pulls no harder; what
holds back a weight that few files speak for.
"""


class Sample(NamedTuple):
    kind: str
    held: bool
    parts: list[int]
    exact: int
    chars: int


def main() -> None:
    count = load("o200k_base")
    made = [
        (seed, kind, text)
        for seed in (*SEEDS, *HELD_SEEDS)
        for kind, text in structured(seed).items()
    ]
    samples = [sample(MADE + kind, text, count, seed in HELD_SEEDS) for seed, kind, text in made]
    texts = [*nasty()]
    for argument in sys.argv[1:]:
        kind, _, folder = argument.partition("=")
        texts += [(kind, path, text) for path, text in files(folder)]
    samples += [
        sample(kind, text, count, kind == "example" or one_in_three(path))
        for kind, path, text in texts
    ]
    weights = fit([one for one in samples if not one.held])
    for title, names in (("ASCII", ASCII), ("BEYOND", BEYOND)):
        print(
            f"{title} = {{"
            + ", ".join(f'"{name}": {weights[NAMES.index(name)]:.3f}' for name in names)
            + "}"
        )
    for kind in dict.fromkeys(one.kind for one in samples):
        held = [one for one in samples if one.kind == kind and one.held]
        print((span if kind.startswith(MADE) else errors)(kind, held, weights))


def files(folder: str) -> Iterator[tuple[str, str]]:
    """Some of the texts below a folder, always the same ones."""
    paths = [os.path.join(around, name) for around, _, names in os.walk(folder) for name in names]
    paths = sorted((path for path in paths if path.endswith(TEXT)), key=text_digest)
    for path in paths[: 2 * MOST_FILES]:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read(MOST_CHARS)
        except (OSError, UnicodeDecodeError):
            continue
        if len(text) >= LEAST_CHARS:
            yield path, text


def nasty() -> Iterator[tuple[str, str, str]]:
    """What nobody writes by hand, and what estimates are most wrong about."""
    for seed in range(3):
        chance = random.Random(seed)
        noise = chance.randbytes(3000)
        table = "".join(
            f"| {chance.randrange(1000)} | {chance.random():.3f} | yes |\n" for _ in range(80)
        )
        rows = [
            {"id": chance.randrange(10**9), "v": [chance.random() for _ in range(5)]}
            for _ in range(60)
        ]
        texts = (
            base64.b64encode(noise).decode(), noise.hex(), "-" * 80 + "\n" + "=" * 200 + "\n" + "word " * 20,
            "| a | b | c |\n|---|---|---|\n" + table, json.dumps(rows, separators=(",", ":")),
            "\n".join(f"{chance.randrange(10**6):06},{chance.random()}" for _ in range(100)),
            " " * chance.randrange(4000) + "x", "https://example.org/a/b?c=d&e=%20%41\n" * 40,
            "\N{GRINNING FACE}\N{PARTY POPPER} ok " * 50, "SELECT * FROM TABLE WHERE ID IN (1,2,3);\n" * 30,
            "    return x\n        if y:\n" * 60, "0xDEADBEEF " * 60, "|---" * 300 + "|\n", "|:--|--:|\n" * 60,
            "\u251c\u2500\u2500 src\n\u2502   \u251c\u2500\u2500 a.py\n" * 40, "a" * 1000 + "\n" + "b" * 1000,
            "\u2192 \u2713 \u201cx\u201d \u2014 yes \u2264 5 \u2022 no\n" * 40, "([{}])<>;:,!?@$%^&" * 50, "\n" * 300,
        )  # fmt: skip
        for number, text in enumerate(texts):
            yield "nasty", f"{number} of {seed}", text


def one_in_three(path: str) -> bool:
    return int(text_digest(path)[:8], 16) % 3 == 0


def sample(kind: str, text: str, count: Callable[[str], int], held: bool) -> Sample:
    classes = classify(text)
    return Sample(
        kind, held, [places(name, classes) for name in NAMES], count(text), count_chars(text)
    )


def fit(samples: Sequence[Sample]) -> list[float]:
    """Least relative squares, with less weight for what is far off, unless it was made; and no
    weight below zero.
    """
    kinds = Counter(one.kind for one in samples)
    base = [
        MATTERS.get(one.kind, EACH_MAKER if one.kind.startswith(MADE) else 1) / kinds[one.kind]
        for one in samples
    ]
    weights, pull = [0.0] * len(NAMES), base
    for _ in range(ROUNDS):
        weights = solve(samples, pull, weights)
        pull = [share * trust(one, weights) for share, one in zip(base, samples, strict=True)]
    return weights


def trust(one: Sample, weights: Sequence[float]) -> float:
    off = abs(total(one, weights) - one.exact) / one.exact
    return 1 if one.kind.startswith(MADE) else min(1, TOLERANCE / max(off, 1e-9))


def solve(samples: Sequence[Sample], pull: Sequence[float], start: Sequence[float]) -> list[float]:
    """Coordinate descent on the normal equations: each weight in turn as good as it can be, or
    zero.
    """
    size = range(len(NAMES))
    square = [[RIDGE * (row == column) for column in size] for row in size]
    right = [0.0] * len(NAMES)
    for one, strength in zip(samples, pull, strict=True):
        there = [(row, part / one.exact) for row, part in enumerate(one.parts) if part]
        for row, share in there:
            right[row] += strength * share
            for column, other in there:
                square[row][column] += strength * share * other
    weights = list(start)
    for _ in range(2000):
        for row in size:
            rest = sum(map(mul, square[row], weights)) - square[row][row] * weights[row]
            weights[row] = max(0.0, (right[row] - rest) / square[row][row])
    return weights


def total(one: Sample, weights: Sequence[float]) -> float:
    return sum(part * weight for part, weight in zip(one.parts, weights, strict=True))


def errors(kind: str, samples: Sequence[Sample], weights: Sequence[float]) -> str:
    ours = [abs(total(one, weights) - one.exact) / one.exact for one in samples]
    plain = [abs(one.chars - one.exact) / one.exact for one in samples]
    shown = [f"{sum(off) / len(off):.1%} at worst {max(off):.1%}" for off in (ours, plain)]
    return f"{kind}: {len(samples)} files held out, off by {shown[0]}; chars/4 by {shown[1]}"


def span(kind: str, samples: Sequence[Sample], weights: Sequence[float]) -> str:
    ours = [total(one, weights) / one.exact - 1 for one in samples]
    return f"{kind}: {min(ours):+.0%} to {max(ours):+.0%}"


if __name__ == "__main__":
    main()
