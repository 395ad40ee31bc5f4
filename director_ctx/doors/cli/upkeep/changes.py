"""How upkeep is shown: what was done, which lines changed, what could not be written."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.record import as_dict
from director_ctx.base.text import plain
from director_ctx.context.place import place_json, task_json
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.tasks.next import next_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.upkeep.records.source import Edit
    from director_ctx.upkeep.rewrite import Rewrite
    from director_ctx.upkeep.tasks import Upkeep

    Lines = Iterator[tuple[str, str]]


def now() -> str:
    """The local time as records have it."""
    from time import localtime, strftime

    return strftime("%Y-%m-%d %H:%M", localtime())


def present(values: dict[str, Any], done: Upkeep, headline: str) -> int:
    """The result on stdout, troubles on stderr; 1 if a record could not be written."""
    if values["json"]:
        put_json(upkeep_json(done))
    else:
        put_lines([(headline, "bold"), *_files(done), *_upcoming(done)])
    return complaints(done)


def complaints(done: Upkeep) -> int:
    for warning in done.warnings:
        say(f"warning: {warning}")
    for one in done.failed:
        say(
            f"{one.path} could not be changed: {one.why}.",
            "Mend that; then `dctx state sync` brings it in line.",
        )
    return FAILED if done.failed else OK


def upkeep_json(done: Upkeep) -> dict[str, Any]:
    return {
        "place": place_json(done.project, done.place),
        "renamed": dict(zip(("from", "to"), map(plain, done.renamed), strict=True))
        if done.renamed
        else None,
        "changed": [
            {"path": plain(one.path), "lines": [_edit_json(edit) for edit in one.edits]}
            for one in done.rewrites
        ],
        "failed": [as_dict(one) for one in done.failed],
        "warnings": list(done.warnings),
        "next": _next_json(done),
    }


def _edit_json(edit: Edit) -> dict[str, Any]:
    old, new = (
        None if text is None else "\n".join(map(plain, text.split("\n")))
        for text in (edit.old, edit.new)
    )
    return {"line": edit.line, "old": old, "new": new}


def _next_json(done: Upkeep) -> dict[str, Any] | None:
    upcoming = next_task(done.project).task
    return task_json(done.project, upcoming.place, upcoming.readiness) if upcoming else None


def _files(done: Upkeep) -> Lines:
    if done.renamed:
        yield f"  {plain(done.renamed[1])}", ""
    for one in done.rewrites:
        yield f"  {plain(one.path)}", "dim"


def changes(rewrites: tuple[Rewrite, ...]) -> Lines:
    """Each changed line, before and after."""
    for one in rewrites:
        yield plain(one.path), "bold"
        for edit in sorted(one.edits, key=lambda edit: edit.line):
            for mark, text, style in (("-", edit.old, "red"), ("+", edit.new, "green")):
                for line in text.split("\n") if text is not None else ():
                    yield f"  {edit.line:>4} {mark} {plain(line)}".rstrip(), style


def _upcoming(done: Upkeep) -> Lines:
    upcoming = next_task(done.project)
    if upcoming.task and upcoming.task.place.task:
        place = upcoming.task.place
        yield f"Next: {place.ref}  {done.project.title(upcoming.task.place.task)}", ""
    else:
        yield f"Next: nothing; {upcoming.why}", ""
