"""usage: python -m benchmarks.survival.folds: what weights are fitted to, and judged on."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.survival.runs import Run

FIT, JUDGED = "fit", "judged"
FOLDS = (FIT, JUDGED)


def folds(repositories: Iterable[str]) -> dict[str, str]:
    """Whole repositories, sorted by a hash of their names: the first half is for fitting."""
    ordered = sorted(set(repositories), key=lambda name: sha256(name.encode()).hexdigest())
    return {
        name: FIT if place < len(ordered) // 2 else JUDGED for place, name in enumerate(ordered)
    }


def of_fold(runs: list[Run], fold: str | None, repositories: Iterable[str]) -> list[Run]:
    where = folds(repositories)
    return [run for run in runs if fold in (None, where.get(run.repository, fold))]


def main() -> None:
    import sys
    from pathlib import Path

    from benchmarks.survival.__main__ import data_folder
    from benchmarks.survival.runs import MINI, load

    data = data_folder(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    for name, fold in folds(run.repository for run in load(data, MINI)).items():
        print(f"{fold:<7} {name}")


if __name__ == "__main__":
    main()
