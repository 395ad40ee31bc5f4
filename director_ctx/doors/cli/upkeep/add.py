"""`dctx add`: a goal, a step, a task, an idea, or a whole outline."""

from __future__ import annotations

from shlex import quote

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.base.text import counted, plain
from director_ctx.context.place import place_json
from director_ctx.doors.cli.shared.confirm import agreed
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.text_input import read_named
from director_ctx.doors.cli.shared.times import now
from director_ctx.doors.cli.shared.upkeep_troubles import complaints
from director_ctx.doors.cli.upkeep.changes import next_line, present
from director_ctx.project.project import load_project
from director_ctx.upkeep.add import add_idea, add_unit
from director_ctx.upkeep.add_outline import add_outline, plan_outline
from director_ctx.upkeep.outline import KINDS, STEP, TASK, read_outline
from director_ctx.upkeep.templates import NewItem, checked_name, checked_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place
    from director_ctx.upkeep.add_outline import AddedOutline, Planned

    Lines = Iterator[tuple[str, str]]

IDEA, OUTLINE = "idea", "--from"
_BELONGS = {
    "about": KINDS,
    "needs": (STEP, TASK),
    "goal": (STEP, TASK),
    "step": (TASK,),
    "size": (TASK,),
    "dry_run": (OUTLINE,),
}
"""What each option can be given with."""
SIZES = ("small", "medium", "large")
HINT = "dctx add goal NAME, dctx add step NAME, dctx add task NAME, dctx add idea TEXT, or dctx add --from FILE."


def run(values: dict[str, Any]) -> int:
    kind = values["kind"]
    if not kind and not values["outline"]:
        raise UsageProblem("Add what?", HINT)
    if kind and values["outline"]:
        raise UsageProblem("--from takes everything from the file.", "Leave out the other words.")
    if kind and kind not in (*KINDS, IDEA):
        raise UsageProblem(f"There is nothing called {plain(kind)!r} to add.", HINT)
    for name, kinds in _BELONGS.items():
        if values[name] and (kind or OUTLINE) not in kinds:
            option = f"--{name.replace('_', '-')}"
            raise UsageProblem(
                f"{option} does not belong to `dctx add {kind or OUTLINE}`.",
                f"It belongs to {' and '.join(f'`dctx add {one}`' for one in kinds)}.",
            )
    if not kind:
        return _outline(values)

    title = " ".join(values["title"])
    if len(values["title"]) > 1:
        raise UsageProblem(
            f"Put {'the text' if kind == IDEA else 'the title'} in quotes.",
            f"dctx add {kind} {quote(title)}",
        )
    if kind == IDEA:
        return _idea(values, title)
    return _unit(values, kind, title)


def _idea(values: dict[str, Any], text: str) -> int:
    if not text.strip():
        raise UsageProblem(
            "The idea is empty.",
            "Give it in quotes, such as dctx add idea 'Send the list by mail'.",
        )
    idea = add_idea(load_project(root=values["root"]).root, text, now())
    if values["json"]:
        put_json({"when": idea.when, "text": idea.text})
        return OK
    first, *more = idea.text.split("\n")
    below = [(f"{'':18}{plain(line)}".rstrip(), "") for line in more]
    put_lines(
        [
            ("Written down in .director/IDEAS.md:", "bold"),
            (f"{idea.when}  {plain(first)}", ""),
            *below,
        ]
    )
    return OK


def _unit(values: dict[str, Any], kind: str, title: str) -> int:
    if values["size"] and values["size"] not in SIZES:
        raise UsageProblem(
            f"--size: there is no {values['size']!r}.", "Choose one of: " + ", ".join(SIZES)
        )
    root = load_project(root=values["root"]).root
    new = NewItem(
        name=checked_name(title),
        about=checked_text("--about", values["about"]),
        needs=checked_text("--needs", values["needs"]),
        size=values["size"] or "",
        goal=values["goal"],
        step=values["step"],
    )
    result = add_unit(root, kind, new, now())
    place = result.place
    assert place

    # The smallest unit of its place is the one that was added.
    headline = f"Added {place.ref}  {plain(new.name)}: {plain(place.units[-1].path)}"
    return present(values, result, headline, _parents(result.project, place))


def _parents(project: Project, place: Place) -> str:
    """Where it went, in words; nothing for a goal."""
    if place.step is None:
        return ""
    parents = f"  in goal {place.goal.number} ({project.title(place.goal)})"
    if place.task:
        parents += f", step {place.step.number} ({project.title(place.step)})"
    return parents


def _outline(values: dict[str, Any]) -> int:
    """Shown before it is written."""
    project = load_project(root=values["root"])
    outline = read_outline(read_named(values["outline"], OUTLINE))
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
