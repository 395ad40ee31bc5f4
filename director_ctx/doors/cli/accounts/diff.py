"""`dctx diff`: what changed between two contexts that agents were given."""

from __future__ import annotations

from director_ctx.assembling.locks.compare import (
    ADDED,
    CHANGED,
    GONE,
    SAME,
    Comparison,
    SectionDifference,
    changed_lines,
    compare,
    difference_json,
)
from director_ctx.base.errors import OK, DctxError
from director_ctx.base.record import Record
from director_ctx.doors.cli.contexts.budget_history import cuts, of_agent, run_json
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines, put_table, put_unstyled
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.memory.runs.storage import read_runs, read_text
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.memory.runs.run import Run, RunSection

_NOT_KEPT = "The text is no longer kept; only the last contexts are kept in full."
_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_HISTORY = "See `dctx budget --history`."


class Changed(Record):
    """One section, with the lines that changed if both texts are still kept."""

    difference: SectionDifference
    lines: tuple[str, ...] = ()
    why: str = ""


def run(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    old, new = choose(read_runs(root), values["agent"], values["old"], values["new"])
    comparison = compare(old.sections, new.sections)
    changed: list[Changed] = []
    if not values["summary"]:
        changed = [_changed(root, difference) for difference in comparison.sections]

    if values["json"]:
        put_json(_json(old, new, comparison, changed))
    else:
        _show(old, new, comparison)
        put_lines(list(_lines(changed)))
    return OK


def _show(old: Run, new: Run, comparison: Comparison) -> None:
    put_lines([(_title(old), "bold"), (_title(new), "bold")])
    rows = [_row(difference) for difference in comparison.sections]
    put_table(["Section", "What", ">Before", ">After", ">Growth"], rows)
    put_unstyled(_remarks(old, new, comparison))


def choose(
    runs: Sequence[Run], agent: str | None, old: str | None, new: str | None
) -> tuple[Run, Run]:
    """The two runs that are meant: the newest and the one before it, unless they are named."""
    known = of_agent(runs, agent)
    if not known:
        whose = f" for {agent}" if agent else ""
        raise DctxError(f"No context{whose} is on record yet.", "`dctx assemble` puts one there.")

    first = find(known, old) if old else None
    # The newest of the agent that the older one is for.
    agent = (first or known[-1]).agent
    last = find(known, new) if new else _newest(known, agent)
    if first is None:
        first = _before(known, last)

    if first == last:
        raise DctxError(
            f"{last.id} is the newest context for {last.agent}.", f"Name an older one. {_HISTORY}"
        )
    return first, last


def find(runs: Sequence[Run], name: str) -> Run:
    """The run with this id, or the only one whose id begins like that."""
    matches = [run for run in runs if run.id == name]
    if not matches and name:
        matches = [run for run in runs if run.id.startswith(name)]
    if not matches:
        raise DctxError(f"There is no run {name!r} on record.", _HISTORY)
    if len(matches) > 1:
        ids = ", ".join(run.id for run in matches[:5])
        raise DctxError(f"{name!r} could be any of {ids}.", "Write more of it.")
    return matches[0]


def _newest(runs: Sequence[Run], agent: str) -> Run:
    own = [run for run in runs if run.agent == agent]
    return own[-1]


def _before(runs: Sequence[Run], last: Run) -> Run:
    own = [run for run in runs if run.agent == last.agent]
    if len(own) < 2:
        raise DctxError(f"{last.id} is the only context for {last.agent} on record.", _HISTORY)
    return own[-2]


def _changed(root: str, difference: SectionDifference) -> Changed:
    if difference.what == SAME:
        return Changed(difference)
    old = _text(root, difference.old)
    new = _text(root, difference.new)
    if old is None or new is None:
        return Changed(difference, why=_NOT_KEPT)
    lines = tuple(line.expandtabs(4) for line in changed_lines(old, new))
    return Changed(difference, lines)


def _text(root: str, told: RunSection | None) -> str | None:
    """The text of a section; None where it is no longer kept."""
    if told is None:
        return ""
    return read_text(root, told.sha256)


def _title(run: Run) -> str:
    task = f", task {run.task}" if run.task else ""
    return f"{run.id}  {run.agent}{task}, {run.used:,} tokens, {local_time(run.time)}"


def _row(difference: SectionDifference) -> list[str]:
    old = difference.old.tokens if difference.old else None
    new = difference.new.tokens if difference.new else None
    growth = (new or 0) - (old or 0)
    return [
        difference.tag,
        difference.what,
        "-" if old is None else f"{old:,}",
        "-" if new is None else f"{new:,}",
        f"{growth:+,}" if growth else "",
    ]


def _remarks(old: Run, new: Run, comparison: Comparison) -> Iterator[str]:
    if old.counter != new.counter:
        yield f"Counted by {old.counter} before and by {new.counter} after: the numbers do not compare."
    if (old.limit, old.window) != (new.limit, new.window):
        yield f"Limit before: {old.limit:,} of {old.window:,}. Limit after: {new.limit:,} of {new.window:,}."
    if old.reductions != new.reductions:
        yield f"Cut before: {cuts(old) or 'nothing'}. Cut after: {cuts(new) or 'nothing'}."
    if old.sha256 == new.sha256:
        yield "The two are identical, byte for byte."
    elif comparison.first:
        again = f"after {comparison.same_tokens:,} tokens that are the same"
        yield f"First difference: section {comparison.first}, {again}."
        if comparison.moved:
            yield "The sections are the same, in another order."


def _lines(changed: Sequence[Changed]) -> Iterator[tuple[str, str]]:
    for section in changed:
        difference = section.difference
        if difference.what not in (CHANGED, ADDED, GONE):
            continue
        yield "", ""
        yield f"{difference.tag}: {difference.what}", "bold"
        if section.why:
            yield section.why, "dim"
        for line in section.lines:
            yield line, _STYLES.get(line[:1], "")


def _json(old: Run, new: Run, comparison: Comparison, changed: Sequence[Changed]) -> dict[str, Any]:
    diffs: dict[str, dict[str, Any]] = {}
    for section in changed:
        lines = None if section.why else list(section.lines)
        diffs[section.difference.tag] = {"diff": lines}

    sections = []
    for difference in comparison.sections:
        # Without the texts, as with --summary, there is no such key.
        diff = diffs.get(difference.tag, {})
        sections.append({**difference_json(difference), **diff})
    return {
        "old": run_json(old),
        "new": run_json(new),
        "identical": old.sha256 == new.sha256,
        "first_difference": comparison.first or None,
        "same_tokens": comparison.same_tokens,
        "sections": sections,
    }
