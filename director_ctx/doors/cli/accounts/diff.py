"""`dctx diff`: what changed between two contexts that agents were given."""

from __future__ import annotations

from director_ctx.assembling.told.changes import context_change, context_change_in_short
from director_ctx.assembling.told.compare import (
    ADDED,
    CHANGED,
    GONE,
    Comparison,
    SectionDifference,
)
from director_ctx.base.errors import OK
from director_ctx.doors.cli.contexts.budget import cuts_in_words
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines, put_table, put_unstyled
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.memory.runs.choose import choose_two
from director_ctx.memory.runs.storage import read_runs
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.assembling.told.changes import SectionChange
    from director_ctx.memory.runs.run import Run, RunSection

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def run(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    runs = read_runs(root)
    old, new = choose_two(runs, values["agent"], values["old"], values["new"])
    if values["summary"]:
        change = context_change_in_short(old, new)
    else:
        change = context_change(root, old, new)

    if values["json"]:
        put_json(change.as_json())
    else:
        _show(old, new, change.comparison)
        put_lines(list(_lines(change.sections)))
    return OK


def _show(old: Run, new: Run, comparison: Comparison) -> None:
    titles = [(_title(old), "bold"), (_title(new), "bold")]
    rows = [_row(difference) for difference in comparison.sections]
    put_lines(titles)
    put_table(["Section", "What", ">Before", ">After", ">Growth"], rows)
    put_unstyled(_remarks(old, new, comparison))


def _title(run: Run) -> str:
    task = ""
    if run.task:
        task = f", task {run.task}"
    return f"{run.id}  {run.agent}{task}, {run.used:,} tokens, {local_time(run.time)}"


def _row(difference: SectionDifference) -> list[str]:
    before = _tokens(difference.old)
    after = _tokens(difference.new)
    growth = ""
    if before != after:
        growth = f"{after - before:+,}"
    return [
        difference.tag,
        difference.what,
        f"{before:,}" if difference.old else "-",
        f"{after:,}" if difference.new else "-",
        growth,
    ]


def _tokens(section: RunSection | None) -> int:
    """How many it has; 0 where it is not in that context."""
    if section is None:
        return 0
    return section.tokens


def _remarks(old: Run, new: Run, comparison: Comparison) -> Iterator[str]:
    if old.counter != new.counter:
        yield f"Counted by {old.counter} before and by {new.counter} after: the numbers do not compare."
    if (old.limit, old.window) != (new.limit, new.window):
        yield f"Limit before: {old.limit:,} of {old.window:,}. Limit after: {new.limit:,} of {new.window:,}."
    if old.reductions != new.reductions:
        cut_before = cuts_in_words(old) or "nothing"
        cut_after = cuts_in_words(new) or "nothing"
        yield f"Cut before: {cut_before}. Cut after: {cut_after}."
    if old.sha256 == new.sha256:
        yield "The two are identical, byte for byte."
    elif comparison.first:
        again = f"after {comparison.same_tokens:,} tokens that are the same"
        yield f"First difference: section {comparison.first}, {again}."
        if comparison.moved:
            yield "The sections are the same, in another order."


def _lines(changed: Sequence[SectionChange]) -> Iterator[tuple[str, str]]:
    for section in changed:
        difference = section.difference
        # A section that only stands elsewhere has the same lines.
        if difference.what not in (CHANGED, ADDED, GONE):
            continue
        yield "", ""
        yield f"{difference.tag}: {difference.what}", "bold"
        if section.why:
            yield section.why, "dim"
        for line in section.lines:
            yield line, _STYLES.get(line[:1], "")
