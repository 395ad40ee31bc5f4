"""The result: plain text, Markdown with its date, JSON, or every item that was lost."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from statistics import fmean
from typing import TYPE_CHECKING, Any

from benchmarks.report import table
from benchmarks.survival.going_on import KINDS as PARTS
from benchmarks.survival.items import KINDS
from benchmarks.survival.judge import RECOVERABLE, RETAINED
from benchmarks.survival.spread import percentile, spread
from benchmarks.survival.trial import lost

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.survival.trial import Trial

    Row = dict[str, Any]

_HEADS = {
    "method": "method",
    "asked": "asked",
    "reached": "reached",
    "seen": "visible",
    "most": "largest",
    "cuts": "cuts",
    "bound": "bound",
    "sure": "95 %",
    "least": "min",
    "tenth": "p10",
    "middle": "median",
    "worst": "p10 of cuts",
    "newest": "newest",
    "newest tenth": "newest p10",
    "hard": "not given",
    "safe": "+ recoverable",
    "atoms": "(items)",
    "going on": "going on",
    "over": "overshoot",
    "p50": "ms p50",
    "p95": "ms p95",
    "loads": "x loads",
    "valid": "valid",
}


def shown(trials: Sequence[Trial], shape: str) -> str:
    if shape == "lost":
        return "\n".join(_lost(trials))
    sets = {
        kind: [one for one in trials if one.case.run.kind == kind]
        for kind in dict.fromkeys(_kinds(trials))
    }
    if shape == "json":
        found = {
            kind: {
                "rows": rows(these),
                "kinds": by_kind(these),
                "going on": going_on(these),
                "repositories": by_repository(these),
            }
            for kind, these in sets.items()
        }
        return json.dumps(
            {"date": date.today().isoformat(), "sets": found}, indent=1, ensure_ascii=False
        )
    parts = [
        part for kind, these in sets.items() for part in _parts(kind, these, shape == "markdown")
    ]
    return "\n\n".join(parts)


def _kinds(trials: Sequence[Trial]) -> Iterator[str]:
    return (trial.case.run.kind for trial in trials)


def _parts(kind: str, trials: Sequence[Trial], markdown: bool) -> Iterator[str]:
    cases = {(one.case.run.name, one.case.moment.length): one.case for one in trials}.values()
    items = sum(len(case.moment.targets) for case in cases)
    given = sum(target.given for case in cases for target in case.moment.targets)
    runs = len({case.run.name for case in cases})
    tokens = sorted(case.tokens for case in cases)
    middle = tokens[len(tokens) // 2] if tokens else 0
    yield (
        f"{kind}, {date.today().isoformat()}: {runs} runs, {len(cases)} cuts of {middle:,} tokens in the middle, "
        f"{items} items used later, {given} of them in what no compression touches"
    )
    yield _table(_HEADS, [_cells(row) for row in rows(trials)], markdown)
    yield _table(*_grid("bound by kind", by_kind(trials), KINDS), markdown)
    yield _table(*_grid("going on by kind", going_on(trials), PARTS), markdown)
    repositories = by_repository(trials)
    yield _table(
        *_grid(
            "bound by repository",
            repositories,
            sorted({one for row in repositories.values() for one in row}),
        ),
        markdown,
    )


def rows(trials: Sequence[Trial]) -> list[Row]:
    return [_row(these) for these in _grouped(trials).values()]


def _grouped(trials: Sequence[Trial]) -> dict[tuple[str, float], list[Trial]]:
    groups: dict[tuple[str, float], list[Trial]] = {}
    for trial in trials:
        groups.setdefault((trial.method, trial.ratio), []).append(trial)
    return dict(sorted(groups.items(), key=lambda one: (one[0][0] != "hybrid", one[0])))


def _row(trials: Sequence[Trial]) -> Row:
    bound = spread(_each_run(trials, RETAINED))
    newest = spread(_mean_of_runs((trial.case.run.name, trial.newest) for trial in trials))
    took = [trial.milliseconds for trial in trials]
    return {
        "method": trials[0].method,
        "asked": trials[0].ratio,
        "reached": fmean(trial.reached for trial in trials),
        "seen": fmean(trial.seen for trial in trials),
        "most": max(max(trial.reached, trial.seen) for trial in trials),
        "cuts": len(trials),
        "bound": bound.mean,
        "sure": (bound.low, bound.high),
        "least": bound.least,
        "tenth": bound.tenth,
        "middle": bound.middle,
        "worst": percentile([trial.share(RETAINED) or 0.0 for trial in trials], 0.1),
        "newest": newest.mean,
        "newest tenth": newest.tenth,
        "hard": fmean(_each_run(trials, RETAINED, given=False) or [float("nan")]),
        "safe": fmean(_each_run(trials, RETAINED, RECOVERABLE)),
        "atoms": fmean(trial.atoms for trial in trials),
        "going on": fmean(_each_run_goes_on(trials)),
        "over": max(trial.overshoot for trial in trials),
        "p50": percentile(took, 0.5),
        "p95": percentile(took, 0.95),
        "loads": percentile([trial.milliseconds / trial.case.parsing for trial in trials], 0.5),
        "valid": fmean(not trial.trouble for trial in trials),
        "trouble": dict(Counter(trial.trouble for trial in trials if trial.trouble).most_common(3)),
    }


def _each_run(trials: Sequence[Trial], *wanted: str, given: bool = True) -> list[float]:
    """Each run counts once, however often it was cut."""
    shares = ((trial.case.run.name, trial.share(*wanted, given=given)) for trial in trials)
    return _mean_of_runs((name, share) for name, share in shares if share is not None)


def _each_run_goes_on(trials: Sequence[Trial]) -> list[float]:
    """Of each kind that there is, as much."""
    values = []
    for trial in trials:
        asked = [share.value for share in trial.going_on.values() if share.asked]
        if asked:
            values.append((trial.case.run.name, fmean(asked)))
    return _mean_of_runs(values) or [float("nan")]


def going_on(trials: Sequence[Trial]) -> dict[str, dict[str, float]]:
    """What whoever goes on has to know, by its kind."""
    shares: dict[str, dict[str, float]] = {}
    for key, these in _grouped(trials).items():
        by_kind: dict[str, list[float]] = {}
        for trial in these:
            for kind, share in trial.going_on.items():
                if share.asked:
                    by_kind.setdefault(kind, []).append(share.value)
        shares[_title(key)] = {kind: fmean(values) for kind, values in by_kind.items()}
    return shares


def _mean_of_runs(values: Iterable[tuple[str, float]]) -> list[float]:
    by_run: dict[str, list[float]] = {}
    for name, value in values:
        by_run.setdefault(name, []).append(value)
    return [fmean(numbers) for numbers in by_run.values()]


def by_kind(trials: Sequence[Trial]) -> dict[str, dict[str, float]]:
    return {
        _title(key): _shares(
            (target.item.kind, verdict) for one in these for target, verdict in one.verdicts
        )
        for key, these in _grouped(trials).items()
    }


def by_repository(trials: Sequence[Trial]) -> dict[str, dict[str, float]]:
    found = {}
    for key, these in _grouped(trials).items():
        names = dict.fromkeys(one.case.run.repository for one in these)
        parts = {name: [one for one in these if one.case.run.repository == name] for name in names}
        found[_title(key)] = {
            name: fmean(_each_run(part, RETAINED)) for name, part in parts.items()
        }
    return found


def _title(key: tuple[str, float]) -> str:
    return f"{key[0]} {key[1]:.0%}" if key[1] else key[0]


def _shares(verdicts: Iterator[tuple[str, str]]) -> dict[str, float]:
    all_of: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for kind, verdict in verdicts:
        all_of[kind] += 1
        kept[kind] += verdict == RETAINED
    return {kind: kept[kind] / all_of[kind] for kind in all_of}


def _cells(row: Row) -> list[str]:
    low, high = row["sure"]
    return [
        row["method"],
        f"{row['asked']:.0%}" if row["asked"] else "",
        *(f"{row[name]:.1%}" for name in ("reached", "seen", "most")),
        f"{row['cuts']}",
        f"{row['bound']:.3f}",
        f"{low:.2f}-{high:.2f}",
        *(
            f"{row[name]:.2f}"
            for name in ("least", "tenth", "middle", "worst", "newest", "newest tenth")
        ),
        f"{row['hard']:.3f}",
        f"{row['safe']:.4f}",
        f"{row['atoms']:.2f}",
        f"{row['going on']:.3f}",
        f"{row['over']:.1%}" if row["asked"] else "",
        f"{row['p50']:.0f}",
        f"{row['p95']:.0f}",
        f"{row['loads']:.1f}",
        f"{row['valid']:.0%}",
    ]


def _grid(
    title: str, found: dict[str, dict[str, float]], columns: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    used = [name for name in columns if any(name in row for row in found.values())]
    return [title, *used], [
        [name, *(f"{row[one]:.2f}" if one in row else "" for one in used)]
        for name, row in found.items()
    ]


def _table(heads: Any, lines: Sequence[Sequence[str]], markdown: bool) -> str:
    titles = list(heads.values()) if isinstance(heads, dict) else heads
    if not markdown:
        return table(titles, lines)
    marks = ["---", *["--:"] * (len(titles) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [titles, marks, *lines])


def _lost(trials: Sequence[Trial]) -> Iterator[str]:
    for trial, target in lost(trials):
        where, item = f"{trial.case.run.name}@{trial.case.moment.length}", target.item
        yield f"{trial.method} {trial.ratio:.0%} {where} {item.kind} {item.text!r}: {target.lines[0][:160]}"
