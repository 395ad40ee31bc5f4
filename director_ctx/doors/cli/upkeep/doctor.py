"""`dctx doctor`: what disagrees, what is odd, what is worth checking."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, UsageProblem
from director_ctx.base.text import plain
from director_ctx.doors.cli.contexts.status import became, not_known
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.times import now
from director_ctx.doors.cli.upkeep.changes import changes
from director_ctx.project.project import Project, load_project
from director_ctx.upkeep.as_json import diagnosis_json, repair_json, rewritten_paths
from director_ctx.upkeep.doctor import Diagnosis, diagnose
from director_ctx.upkeep.repair import Repair, repair, would_repair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.notes.evidence import StaleNote

    Lines = Iterator[tuple[str, str]]

MOST_COMMITS_SHOWN = 3


def run(values: dict[str, Any]) -> int:
    if values["dry_run"] and not values["fix"]:
        raise UsageProblem("--dry-run belongs to --fix.", "`dctx doctor` alone changes nothing.")
    root = load_project(root=values["root"]).root
    if values["dry_run"]:
        return _rehearse(root, values["json"])
    mended = Repair((), (), ())
    if values["fix"]:
        mended = repair(root, now())
    # Read anew: what was mended does not disagree any more.
    diagnosis = diagnose(Project(root))
    if values["json"]:
        put_json(diagnosis_json(diagnosis, mended))
    else:
        put_lines(list(_lines(diagnosis, mended)))

    _failures(mended)
    stale = diagnosis.stale
    if values["stale"] and stale.why:
        say(f"Notes may be out of date without it showing: {stale.why}.", stale.remedy)

    if diagnosis.problems or mended.failed:
        return FAILED
    # Out of date is no mistake, so a check in CI fails for it only where it is asked to.
    if values["stale"] and (diagnosis.is_stale or stale.why):
        return FAILED
    return OK


def _rehearse(root: str, as_json: bool) -> int:
    """What `--fix` would do."""
    planned = would_repair(root, now())
    if as_json:
        put_json(repair_json(planned))
    else:
        put_lines(list(_planned_lines(planned)))
    return _failures(planned)


def _planned_lines(planned: Repair) -> Lines:
    for text in planned.done:
        yield f"{text}.", ""
    yield from changes(planned.rewrites)
    if planned.done or planned.rewrites:
        yield "Nothing was changed; without --dry-run this would be.", "bold"
    else:
        yield "Nothing to mend.", "bold"


def _failures(mended: Repair) -> int:
    for failure in mended.failed:
        say(f"{failure.path} could not be changed: {failure.why}.")
    if mended.failed:
        return FAILED
    return OK


def _lines(diagnosis: Diagnosis, mended: Repair) -> Lines:
    for text in mended.done:
        yield f"Fixed: {text}.", "green"
    yield from changes(mended.rewrites)
    count = len(rewritten_paths(mended))
    if count:
        records = "1 record" if count == 1 else f"{count} records"
        yield f"Brought in line: {records}.", "green"
    if not diagnosis.problems:
        yield "Nothing disagrees.", "bold"
    for problem in diagnosis.problems:
        yield f"{_where(problem.path, problem.line)}: {problem.says}", ""
        yield f"  {problem.advice}", "dim"
    yield from _worth_checking(diagnosis)
    yield from _stale(diagnosis)


def _where(path: str, line: int) -> str:
    if not line:
        return path
    return f"{path}:{line}"


def _worth_checking(diagnosis: Diagnosis) -> Lines:
    if diagnosis.worth_checking:
        yield "", ""
        yield "Worth checking:", "bold"
    for problem in diagnosis.worth_checking:
        yield f"  {_where(problem.path, problem.line)}: {plain(problem.says)}", ""
        yield f"    {plain(problem.advice)}", "dim"


def _stale(diagnosis: Diagnosis) -> Lines:
    if diagnosis.is_stale or diagnosis.stale.why:
        yield "", ""
    for note in diagnosis.stale.notes:
        yield from _stale_note(note)
    yield from not_known(diagnosis.stale)
    for folder in diagnosis.old:
        since = f"{folder.goals_since} goals were completed since it was made"
        yield f"Stale: .director/{folder.folder}/ ({since})", "yellow"


def _stale_note(note: StaleNote) -> Lines:
    """Everything it cites that is not what it was, each with the newest commits that made it so."""
    yield f"Stale: {plain(note.path)}", "yellow"
    for change in note.changed:
        yield f"  {became(change)}", ""
        for short, subject in change.commits[:MOST_COMMITS_SHOWN]:
            yield f"    {plain(short)} {plain(subject)}", "dim"
        if len(change.commits) > MOST_COMMITS_SHOWN:
            yield "    and older ones", "dim"
