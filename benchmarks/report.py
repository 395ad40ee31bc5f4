"""Plain aligned tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.measure import Series


class Row(NamedTuple):
    """One line about one job, and what it is compared with."""

    name: str
    series: Series
    floor: Series
    prints: int = 0

    def cells(self) -> list[str]:
        series, memory = self.series, self.series.memory
        return [
            self.name,
            f"{series.median:.2f}",
            f"{series.least:.2f}",
            f"{series.median / self.floor.median:.2f}",
            f"{memory / 1e6:.1f}" if memory else "",
            f"{self.prints / 1e3:,.0f}" if self.prints else "",
        ]


class Aim(NamedTuple):
    """A ratio of medians, the same of the best samples, and what it should be. The medians decide."""

    what: str
    value: float
    best: float
    limit: float
    at_least: bool = False
    unit: str = "x"

    def cells(self) -> list[str]:
        met = self.value >= self.limit if self.at_least else self.value <= self.limit
        bound = f"at {'least' if self.at_least else 'most'} {self.limit:g}{self.unit}"
        return [
            self.what,
            f"{self.value:.2f}{self.unit}",
            f"{self.best:.2f}{self.unit}",
            bound,
            "met" if met else "MISSED",
        ]


def rows_table(title: str, rows: Sequence[Row]) -> str:
    return table(
        [title, "median ms", "min ms", "x floor", "MB", "prints KB"], [row.cells() for row in rows]
    )


def aims_table(aims: Sequence[Aim]) -> str:
    return table(["Aim", "of medians", "of minima", "aim", "result"], [aim.cells() for aim in aims])


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Columns as wide as needed: the first to the left, the others to the right. Empty columns are
    left out.
    """
    every = [list(heads), *map(list, lines)]
    columns = [column for column in zip(*every, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    texts = [_line(row, widths) for row in zip(*columns, strict=True)]
    return "\n".join([texts[0], "-" * len(texts[0]), *texts[1:]])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = cells
    right = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
    return "  ".join([first.ljust(widths[0]), *right])
