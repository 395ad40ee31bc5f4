"""`dctx task remove` and `task move`: of a goal, a step or a task, shown before it is done."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.times import now
from director_ctx.doors.cli.shared.upkeep_troubles import complaints
from director_ctx.doors.cli.upkeep.changes import changes
from director_ctx.memory.plans.follow_moved import follow_moved
from director_ctx.project.project import load_project
from director_ctx.upkeep.arranging import arrange
from director_ctx.upkeep.arranging.arrange import arranged_json, way_back
from director_ctx.upkeep.arranging.places import LABELS, UnitTarget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from director_ctx.upkeep.arranging.arrange import Arranged

    Lines = Iterator[tuple[str, str]]


def remove(values: dict[str, Any]) -> int:
    """Asked about at a terminal: what is removed is out of the plan."""

    def act(root: str) -> Arranged:
        return arrange.remove(root, values["ref"], now())

    root = load_project(root=values["root"]).root
    if values["dry_run"] or not values["yes"]:
        _show_removal(arrange.would(root, act), values)
    if values["dry_run"]:
        return OK
    if not values["yes"] and not says_yes("Remove it?"):
        say("Nothing was removed.")
        return OK
    return _carry_out(values, root, act)


def _show_removal(preview: Arranged, values: dict[str, Any]) -> None:
    if not values["json"]:
        put_lines(list(_removal(preview)))
    elif values["dry_run"]:
        # Whoever is asked gets the JSON of what was done, and no other.
        put_json(arranged_json(preview))


def move(values: dict[str, Any]) -> int:
    target = UnitTarget(
        to=values["to"] or "", before=values["before"] or "", after=values["after"] or ""
    )

    def act(root: str) -> Arranged:
        return arrange.move(root, values["ref"], target, now(), values["title"])

    # What can be undone by the same command needs no question.
    root = load_project(root=values["root"]).root
    if values["dry_run"]:
        preview = arrange.would(root, act)
        if values["json"]:
            put_json(arranged_json(preview))
        else:
            put_lines([*_headline(preview), *_renamed(preview), *changes(preview.rewrites)])
            put_lines([("Nothing was changed; this is what would be.", "bold")])
        return OK
    return _carry_out(values, root, act)


def _carry_out(values: dict[str, Any], root: str, act: Callable[[str], Arranged]) -> int:
    done = act(root)
    trouble = follow_moved(done, _reason(done))
    if trouble:
        say(f"warning: the plan's history lacks this: {trouble}")
    if values["json"]:
        put_json(arranged_json(done))
    else:
        put_lines([*_headline(done), *_renamed(done), *_rewritten(done)])
    if not done.now:
        kept = plain(done.archived)
        target = plain(way_back(done))
        say(f"to have it again: move {kept} to {target}, then `dctx doctor --fix`")
    return complaints(done)


def _reason(done: Arranged) -> str:
    kind = _kind(done).capitalize()
    if not done.now:
        return f"{kind} {done.ref} removed: {done.title}"
    if done.now != done.ref:
        return f"{kind} {done.ref} is {done.now} now"
    return f"{kind} {done.ref} renamed"


def _kind(done: Arranged) -> str:
    return LABELS[len(done.ref.split("/"))]


def _headline(done: Arranged) -> Lines:
    kind = _kind(done)
    title = plain(done.title)
    names = list(done.change.names.values())
    if not done.now:
        yield f"Removed {kind} {done.ref}  {title}; it is kept in {plain(done.archived)}", "bold"
        return
    if names:
        yield f"Renamed {kind} {done.ref}: {title} is {plain(names[0][1])} now", "bold"
    if done.now != done.ref:
        yield f"Moved {kind} {done.ref}  {title}: it is {done.now} now", "bold"
    elif not names:
        yield (
            f"{kind.capitalize()} {done.ref}  {title} is there already; nothing was changed.",
            "bold",
        )


def _renamed(done: Arranged) -> Lines:
    for renaming in done.renamed:
        _, _, name = renaming.new.rpartition("/")
        folder_before = renaming.old.rpartition("/")[0]
        folder_now = renaming.new.rpartition("/")[0]
        if folder_before != folder_now:
            name = renaming.new
        yield f"  {plain(renaming.old)} -> {plain(name)}", ""


def _rewritten(done: Arranged) -> Lines:
    for rewrite in done.rewrites:
        yield f"  {plain(rewrite.path)}", "dim"


def _removal(preview: Arranged) -> Lines:
    """What is about to be removed, and what follows."""
    kind = _kind(preview)
    yield f"Remove {kind} {preview.ref}  {plain(preview.title)}", "bold"
    yield "  its files go to .director/.dctx/archive/", ""
    yield from _renamed(preview)
    yield from changes(preview.rewrites)
    for warning in preview.warnings:
        yield f"  {warning}", "yellow"
