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
    for failure in done.failed:
        say(
            f"{failure.path} could not be changed: {failure.why}.",
            "Mend that; then `dctx state sync` brings it in line.",
        )
    return FAILED if done.failed else OK


def upkeep_json(done: Upkeep) -> dict[str, Any]:
    renamed = None
    if done.renamed:
        old, new = done.renamed
        renamed = {"from": plain(old), "to": plain(new)}

    changed = []
    for rewrite in done.rewrites:
        lines = [_edit_json(edit) for edit in rewrite.edits]
        changed.append({"path": plain(rewrite.path), "lines": lines})

    return {
        "place": place_json(done.project, done.place),
        "renamed": renamed,
        "changed": changed,
        "failed": [as_dict(failure) for failure in done.failed],
        "warnings": list(done.warnings),
        "next": _next_json(done),
    }


def _edit_json(edit: Edit) -> dict[str, Any]:
    return {"line": edit.line, "old": _plain_text(edit.old), "new": _plain_text(edit.new)}


def _plain_text(text: str | None) -> str | None:
    if text is None:
        return None
    return "\n".join(map(plain, text.split("\n")))


def _next_json(done: Upkeep) -> dict[str, Any] | None:
    upcoming = next_task(done.project).task
    if not upcoming:
        return None
    return task_json(done.project, upcoming.place, upcoming.readiness)


def _files(done: Upkeep) -> Lines:
    if done.renamed:
        _, new_path = done.renamed
        yield f"  {plain(new_path)}", ""
    for rewrite in done.rewrites:
        yield f"  {plain(rewrite.path)}", "dim"


def changes(rewrites: tuple[Rewrite, ...]) -> Lines:
    """Each changed line, before and after."""
    for rewrite in rewrites:
        yield plain(rewrite.path), "bold"
        for edit in sorted(rewrite.edits, key=lambda edit: edit.line):
            yield from _marked(edit.line, "-", edit.old, "red")
            yield from _marked(edit.line, "+", edit.new, "green")


def _marked(number: int, mark: str, text: str | None, style: str) -> Lines:
    if text is None:
        return
    for line in text.split("\n"):
        yield f"  {number:>4} {mark} {plain(line)}".rstrip(), style


def _upcoming(done: Upkeep) -> Lines:
    upcoming = next_task(done.project)
    if upcoming.task and upcoming.task.place.task:
        place = upcoming.task.place
        yield f"Next: {place.ref}  {done.project.title(upcoming.task.place.task)}", ""
    else:
        yield f"Next: nothing; {upcoming.why}", ""
