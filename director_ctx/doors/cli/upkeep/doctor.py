"""`dctx doctor`: what disagrees, what is odd, what is worth checking."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.record import as_dict
from director_ctx.base.text import plain
from director_ctx.doors.cli.contexts.status import became, not_known, stale_json
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.upkeep.changes import now
from director_ctx.project.project import Project, load_project
from director_ctx.upkeep.doctor import Diagnosis, diagnose
from director_ctx.upkeep.repair import Repair, repair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.notes.evidence import StaleNote

    Lines = Iterator[tuple[str, str]]

MOST_COMMITS_SHOWN = 3


def run(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    mended = repair(root, now()) if values["fix"] else Repair((), (), ())
    found = diagnose(Project(root))
    if values["json"]:
        put_json(doctor_json(found, mended))
    else:
        put_lines(list(_lines(found, mended)))
    for one in mended.failed:
        say(f"{one.path} could not be changed: {one.why}.")
    if values["stale"] and found.stale.why:
        say(f"Notes may be out of date without it showing: {found.stale.why}.", found.stale.remedy)
    return (
        FAILED
        if found.problems or (values["stale"] and (found.is_stale or found.stale.why))
        else OK
    )


def doctor_json(found: Diagnosis, mended: Repair) -> dict[str, Any]:
    return {
        "ok": not found.problems,
        "problems": [as_dict(one) for one in found.problems],
        "worth_checking": [as_dict(one) for one in found.worth_checking],
        **stale_json(found.stale),
        "old": [as_dict(one) for one in found.old],
        "fixed": [*mended.done, *dict.fromkeys(plain(one.path) for one in mended.rewrites)],
    }


def _lines(found: Diagnosis, mended: Repair) -> Lines:
    for text in (
        *mended.done,
        *dict.fromkeys(f"{plain(one.path)} was brought in line" for one in mended.rewrites),
    ):
        yield f"Fixed: {text}.", "green"
    if not found.problems:
        yield "Nothing disagrees.", "bold"
    for one in found.problems:
        yield f"{_where(one.path, one.line)}: {one.says}", ""
        yield f"  {one.advice}", "dim"
    yield from _worth_checking(found)
    yield from _stale(found)


def _where(path: str, line: int) -> str:
    return f"{path}:{line}" if line else path


def _worth_checking(found: Diagnosis) -> Lines:
    if found.worth_checking:
        yield "", ""
        yield "Worth checking:", "bold"
    for one in found.worth_checking:
        yield f"  {_where(one.path, one.line)}: {plain(one.says)}", ""
        yield f"    {plain(one.advice)}", "dim"


def _stale(found: Diagnosis) -> Lines:
    if found.is_stale or found.stale.why:
        yield "", ""
    for note in found.stale.notes:
        yield from _stale_note(note)
    yield from not_known(found.stale)
    for one in found.old:
        yield (
            f"Stale: .director/{one.folder}/ ({one.goals_since} goals were completed since it was made)",
            "yellow",
        )


def _stale_note(note: StaleNote) -> Lines:
    """Everything it cites that is not what it was, each with the newest commits that made it so."""
    yield f"Stale: {plain(note.path)}", "yellow"
    for change in note.changed:
        yield f"  {became(change)}", ""
        for short, subject in change.commits[:MOST_COMMITS_SHOWN]:
            yield f"    {plain(short)} {plain(subject)}", "dim"
        if len(change.commits) > MOST_COMMITS_SHOWN:
            yield "    and older ones", "dim"
