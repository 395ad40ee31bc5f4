"""Fits the weights of `director_ctx/context/estimate.py` to exact counts of whatever text a machine has.

usage: python -m benchmarks.fit_estimate KIND=FOLDER [KIND=FOLDER ...]

KIND is a word such as notes, code or prose. One file in three, by the hash of its name, is held out and only
measured; of the kind `example`, every file, because the benchmark states the error on it. Prints the two tables of the
module, and the error of each kind.
"""

from __future__ import annotations

import base64
import json
import os
import random
import sys
from typing import TYPE_CHECKING, NamedTuple

from director_ctx.context.budget import count_chars
from director_ctx.context.estimate import TABLE
from director_ctx.digest import text_digest
from director_ctx.outside.tokenizers import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ASCII = (
    *("l", "lllll", "llllllll", "u", "d", "p", "r", "n", "t", "x"),
    *("ss", "sl", "sp", "sd", "ps", "pl", "pr", "pd", "pn", "rl", "ln", "ns", "ul", "ud", "up", "dl"),
)
BEYOND = tuple("LEGCAISKZHM")
NAMES = (*ASCII, *BEYOND)
"""Classes, and the meetings of two that help most: found by adding one at a time, then taking away."""
TEXT = (".md", ".txt", ".rst", ".py", ".js", ".h", ".rs", ".json", ".yaml", ".css", ".utf-8")
MOST_FILES, MOST_CHARS, LEAST_CHARS = 300, 60_000, 300
MATTERS = {"director": 3, "notes": 3, "nasty": 0.7}
"""How much a kind weighs, if not 1."""
ROUNDS, TOLERANCE = 12, 0.05
"""Times that the weights are fitted, and the relative error from which on a file pulls no harder."""


class Sample(NamedTuple):
    kind: str
    held: bool
    parts: list[int]
    exact: int
    chars: int


def main() -> None:
    count = load("o200k_base")
    texts = [*nasty()]
    for argument in sys.argv[1:]:
        kind, _, folder = argument.partition("=")
        texts += [(kind, path, text) for path, text in files(folder)]
    samples = [sample(kind, path, text, count) for kind, path, text in texts]
    weights = fit([one for one in samples if not one.held])
    for title, names in (("ASCII", ASCII), ("BEYOND", BEYOND)):
        print(f"{title} = {{" + ", ".join(f'"{name}": {weights[NAMES.index(name)]:.3f}' for name in names) + "}")
    for kind in dict.fromkeys(one.kind for one in samples):
        print(errors(kind, [one for one in samples if one.kind == kind and one.held], weights))


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
        table = "".join(f"| {chance.randrange(1000)} | {chance.random():.3f} | yes |\n" for _ in range(80))
        rows = [{"id": chance.randrange(10**9), "v": [chance.random() for _ in range(5)]} for _ in range(60)]
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


def sample(kind: str, path: str, text: str, count: Callable[[str], int]) -> Sample:
    made_of = text.encode("utf-8", "surrogatepass").translate(TABLE)
    parts = [made_of.count(name.encode()) for name in NAMES]
    held = int(text_digest(path)[:8], 16) % 3 == 0 or kind == "example"
    return Sample(kind, held, parts, count(text), count_chars(text))


def fit(samples: Sequence[Sample]) -> list[float]:
    """Least relative squares, with less weight for what is far off, and no weight below zero."""
    kinds = [one.kind for one in samples]
    base = [MATTERS.get(kind, 1) / kinds.count(kind) for kind in kinds]
    weights, pull = [0.0] * len(NAMES), base
    for _ in range(ROUNDS):
        weights = solve(samples, pull, weights)
        off = [abs(total(one, weights) - one.exact) / one.exact for one in samples]
        pull = [share * min(1, TOLERANCE / max(error, 1e-9)) for share, error in zip(base, off, strict=True)]
    return weights


def solve(samples: Sequence[Sample], pull: Sequence[float], start: Sequence[float]) -> list[float]:
    """Coordinate descent on the normal equations: each weight in turn as good as it can be, or zero."""
    size = range(len(NAMES))
    square = [[0.0] * len(NAMES) for _ in size]
    right = [0.0] * len(NAMES)
    for one, strength in zip(samples, pull, strict=True):
        relative = [part / one.exact for part in one.parts]
        for row in size:
            if relative[row]:
                right[row] += strength * relative[row]
                for column in size:
                    square[row][column] += strength * relative[row] * relative[column]
    weights = list(start)
    for _ in range(3000):
        for row in size:
            if square[row][row]:
                rest = sum(square[row][column] * weights[column] for column in size) - square[row][row] * weights[row]
                weights[row] = max(0.0, (right[row] - rest) / square[row][row])
    return weights


def total(one: Sample, weights: Sequence[float]) -> float:
    return sum(part * weight for part, weight in zip(one.parts, weights, strict=True))


def errors(kind: str, samples: Sequence[Sample], weights: Sequence[float]) -> str:
    ours = [abs(total(one, weights) - one.exact) / one.exact for one in samples]
    plain = [abs(one.chars - one.exact) / one.exact for one in samples]
    shown = [f"{sum(off) / len(off):.1%} at worst {max(off):.1%}" for off in (ours, plain)]
    return f"{kind}: {len(samples)} files held out, off by {shown[0]}; chars/4 by {shown[1]}"


if __name__ == "__main__":
    main()
