"""How upkeep is shown: what was done, which lines changed, what could not be written."""

from __future__ import annotations

from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.upkeep_troubles import complaints
from director_ctx.project.tasks.next import next_task
from director_ctx.upkeep.as_json import upkeep_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.upkeep.rewrite import Rewrite
    from director_ctx.upkeep.tasks import Upkeep

    Lines = Iterator[tuple[str, str]]


def present(values: dict[str, Any], done: Upkeep, headline: str, where: str = "") -> int:
    """The result on stdout, troubles on stderr; 1 if a record could not be written."""
    if values["json"]:
        put_json(upkeep_json(done))
    else:
        head = [(headline, "bold")]
        if where:
            head.append((where, ""))
        put_lines([*head, *_files(done), (next_line(done.project), "")])
    return complaints(done)


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


def next_line(project: Project) -> str:
    """The task that is next, now that something was done."""
    upcoming = next_task(project)
    if upcoming.task and upcoming.task.place.task:
        place = upcoming.task.place
        return f"Next: {place.ref}  {project.title(upcoming.task.place.task)}"
    return f"Next: nothing; {upcoming.why}"
