"""Counting: how far off the estimates are, and what an exact count costs beside the bare engine."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import exact
from benchmarks.generate import director_files
from benchmarks.install import DCTX, REPOSITORY
from benchmarks.measure import Job, launch, take_turns
from benchmarks.prose import note
from benchmarks.report import Aim, Row, rows_table, table
from director_ctx.context.settings.budget import count_chars
from director_ctx.context.tokens.estimate import estimate
from director_ctx.context.tokens.tokenizers import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.measure import Sample, Series

FILES, BYTES = 58, 300_000
"""The folder whose exact count is timed: as many files and bytes as a real one had."""
SHORTEST = 300
"""Characters. A file shorter than this says nothing about an estimate."""
BARE, FRESH, AGAIN, PLAIN = (
    "bare engine",
    "dctx tokens, first run",
    "dctx tokens, again",
    "dctx tokens, chars/4",
)
BUILD, BUILD_AGAIN = "dctx assemble, chars/4", "dctx assemble, exact, again"
ENCODING = "o200k_base"


class Error(NamedTuple):
    """How far off a count is over some files: the mean, what nine in ten stay within, and the
    worst.
    """

    mean: float
    usual: float
    worst: float

    def cells(self, name: str) -> list[str]:
        return [name, *(f"{share:.1%}" for share in self)]


def errors() -> tuple[Error, Error]:
    """Of the estimate and of chars/4, on the Markdown of both projects.

    The estimate's weights were fitted to neither, but its classes were chosen with an eye on both.
    """
    example = REPOSITORY / "examples" / "reading-list" / ".director"
    texts = [path.read_text(encoding="utf-8") for path in sorted(example.rglob("*.md"))]
    texts += [text for path, text in director_files().items() if path.endswith(".md")]
    texts = [text for text in texts if len(text) >= SHORTEST]
    return off(estimate, texts), off(count_chars, texts)


def off(count: Callable[[str], int], texts: Sequence[str]) -> Error:
    judge = load(ENCODING)
    shares = sorted(abs(count(text) - judge(text)) / judge(text) for text in texts)
    return Error(sum(shares) / len(shares), shares[len(shares) * 9 // 10], shares[-1])


def errors_table(ours: Error, plain: Error) -> str:
    head = ["Off by, on Markdown of .director/", "mean", "nine in ten", "at worst"]
    return table(head, [ours.cells("estimate"), plain.cells("chars/4")])


def make_folder(place: Path) -> Path:
    """The example, with notes to bring it to a real size."""
    root = place / "counted"
    shutil.copytree(REPOSITORY / "examples" / "reading-list", root)
    there = [path for path in (root / ".director").rglob("*") if path.is_file()]
    many = FILES - len(there)
    room = BYTES - sum(path.stat().st_size for path in there)
    for number in range(many):
        (root / ".director" / "research" / f"NOTE-{number:02}.md").write_text(
            note(f"Note {number}", room // many)
        )
    return root


def measure(place: Path, environment: Mapping[str, str], rounds: int) -> dict[str, Series]:
    """Fresh processes; the first run finds no counts that were kept, the others find all."""
    root, kept, none = make_folder(place), place / "kept", place / "none"
    dctx, python = str(DCTX / "bin" / "dctx"), str(DCTX / "bin" / "python")
    tokens, build, option = (
        (dctx, "tokens", ".director"),
        (dctx, "assemble", "builder"),
        ("--counter", ENCODING),
    )

    def job(words: Sequence[str], cache: Path) -> Job:
        return Job(lambda: launch(root, words, {**environment, "XDG_CACHE_HOME": str(cache)}))

    def afresh() -> Sample:
        shutil.rmtree(none, ignore_errors=True)
        return job((*tokens, *option), none).run()

    jobs = {
        BARE: job((python, exact.__file__, ".director"), kept),
        FRESH: Job(afresh),
        PLAIN: job(tokens, kept),
        AGAIN: job((*tokens, *option), kept),
        BUILD: job(build, kept),
        BUILD_AGAIN: job((*build, *option), kept),
    }
    return take_turns(jobs, rounds)


def runs_table(runs: Mapping[str, Series]) -> str:
    floors = {FRESH: BARE, AGAIN: PLAIN, BUILD_AGAIN: BUILD}
    rows = [Row(name, series, runs[floors.get(name, name)]) for name, series in runs.items()]
    return rows_table(f"Exact counts of {FILES} files, {BYTES // 1000} KB", rows)


def aims(ours: Error, plain: Error, runs: Mapping[str, Series]) -> Iterator[Aim]:
    closer = plain.mean / ours.mean
    yield Aim("error: chars/4 / estimate", closer, plain.worst / ours.worst, 2, at_least=True)
    for above, below, limit in ((FRESH, BARE, 1.1), (AGAIN, PLAIN, 2), (BUILD_AGAIN, BUILD, 2)):
        one, other = runs[above], runs[below]
        yield Aim(f"{above} / {below}", one.median / other.median, one.least / other.least, limit)
