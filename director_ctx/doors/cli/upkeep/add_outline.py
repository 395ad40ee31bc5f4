"""`dctx add --from`: a whole outline, shown before it is written."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.base.text import counted, plain
from director_ctx.context.place import place_json
from director_ctx.doors.cli.shared.confirm import agreed
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.text_input import read_named
from director_ctx.doors.cli.shared.times import now
from director_ctx.doors.cli.shared.upkeep_troubles import complaints
from director_ctx.doors.cli.upkeep.changes import next_line
from director_ctx.project.project import load_project
from director_ctx.upkeep.add_outline import AddedOutline, add_outline, plan_outline
from director_ctx.upkeep.outline import KINDS, read_outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.project.reading.model import Place
    from director_ctx.upkeep.add_outline import Planned

    Lines = Iterator[tuple[str, str]]


def run(values: dict[str, Any]) -> int:
    if values["what"]:
        wanted = plain(values["what"][0])
        raise UsageProblem(
            f"There is nothing called {wanted!r} to add.",
            "It is `dctx add goal NAME`, `dctx add step NAME` or `dctx add task NAME`.",
        )
    if not values["outline"]:
        raise UsageProblem(
            "Add what?",
            "`dctx add goal NAME`, `dctx add step NAME`, `dctx add task NAME`, or `dctx add --from FILE`.",
        )
    project = load_project(root=values["root"])
    outline = read_outline(read_named(values["outline"], "--from"))
    planned = plan_outline(project, outline)
    if not values["json"]:
        put_lines(list(_shown(planned)))
    elif values["dry_run"]:
        put_json([_entry_json(item) for item in planned])
    is_new = any(entry.there is None for entry in planned)
    if not is_new or not agreed(values):
        return OK

    result = add_outline(project.root, outline, now())
    if values["json"]:
        put_json(_json(result))
    else:
        put_lines(list(_done(result)))
    return max(complaints(each) for each in result.upkeep)


def _shown(planned: Sequence[Planned]) -> Lines:
    """A line for each entry; what is there already without a mark."""
    for item in planned:
        entry = item.entry
        indent = "  " * KINDS.index(entry.kind)
        name = f"{entry.kind.capitalize()}: {plain(entry.name)}"
        if item.there:
            yield f"  {indent}{name} (is there: {item.there.ref})", "dim"
        elif entry.done:
            yield f"+ {indent}{name} (done)", "green"
        else:
            yield f"+ {indent}{name}", "green"
    yield _counted(planned), "bold"


def _counted(planned: Sequence[Planned]) -> str:
    counts: list[str] = []
    for kind in KINDS:
        new = [item for item in planned if item.entry.kind == kind and item.there is None]
        if new:
            counts.append(counted(len(new), kind))
    if not counts:
        return "Everything is there already; there is nothing to add."
    return f"To add: {', '.join(counts)}."


def _done(result: AddedOutline) -> Lines:
    refs = [place.ref for place in result.added]
    if len(refs) == 1:
        yield f"Added {refs[0]}.", "bold"
    else:
        yield f"Added {_counts(result.added)}: {refs[0]} to {refs[-1]}.", "bold"
    yield next_line(result.project), ""


def _counts(added: Sequence[Place]) -> str:
    counts: list[str] = []
    for depth, kind in enumerate(KINDS, start=1):
        count = [len(place.units) for place in added].count(depth)
        if count == 1:
            counts.append(f"1 {kind}")
        elif count:
            counts.append(f"{count} {kind}s")
    *others, last = counts
    if not others:
        return last
    return f"{', '.join(others)} and {last}"


def _entry_json(item: Planned) -> dict[str, Any]:
    return {
        "kind": item.entry.kind,
        "name": item.entry.name,
        "line": item.entry.line,
        "done": item.entry.done,
        "there": item.there.ref if item.there else None,
    }


def _json(result: AddedOutline) -> dict[str, Any]:
    return {
        "added": [place_json(result.project, place) for place in result.added],
        "there": [place_json(result.project, place) for place in result.there],
    }
