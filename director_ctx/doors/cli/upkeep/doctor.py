"""`dctx doctor`: what disagrees, what is odd, what is worth checking."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, UsageProblem
from director_ctx.base.text import counted, plain
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.times import now
from director_ctx.doors.cli.upkeep.changes import changes
from director_ctx.doors.cli.upkeep.doctor_notes import brief_note_lines, note_lines
from director_ctx.project.notes.freshness import REMEDY
from director_ctx.project.project import Project, load_project
from director_ctx.upkeep.as_json import diagnosis_json, repair_json, rewritten_paths
from director_ctx.upkeep.by_remedy import Remedy, by_remedy, place_of
from director_ctx.upkeep.doctor import Diagnosis, diagnose
from director_ctx.upkeep.repair import Repair, repair, would_repair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.upkeep.doctor import Finding
    from director_ctx.upkeep.suspicions import Suspicion

    Lines = Iterator[tuple[str, str]]

MOST_SENTENCES = 3
MOST_PLACES = 3
MOST_REMEDIES = 12
"""Shown of each; `--verbose` shows everything."""


def run(values: dict[str, Any]) -> int:
    if values["dry_run"] and not values["fix"]:
        raise UsageProblem("--dry-run belongs to --fix.", "`dctx doctor` alone changes nothing.")
    if values["conversation"]:
        # Looking at a folder loads nothing of conversations.
        from director_ctx.doors.cli.conversations.check import check

        return check(values)
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
        put_lines([*_fixed(mended), *_lines(diagnosis, values["verbose"], values["stale"])])

    _failures(mended)
    stale = diagnosis.stale
    if values["stale"] and stale.why:
        say(f"Notes may be out of date without it showing: {stale.why}.", REMEDY)

    if diagnosis.problems or mended.failed:
        return FAILED
    # Out of date is no mistake, so a check in CI fails for it only where it is asked to.
    if values["stale"] and (diagnosis.is_stale or stale.why):
        return FAILED
    return OK


def _rehearse(root: str, as_json: bool) -> int:
    """What `--fix` would do."""
    planned = would_repair(Project(root), now())
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


def _fixed(mended: Repair) -> Lines:
    for text in mended.done:
        yield f"Fixed: {text}.", "green"
    yield from changes(mended.rewrites)
    count = len(rewritten_paths(mended))
    if count:
        yield f"Brought in line: {counted(count, 'record')}.", "green"


def _lines(diagnosis: Diagnosis, is_verbose: bool, with_notes: bool) -> Lines:
    show = _remedies
    if is_verbose:
        show = _each

    if not diagnosis.problems:
        yield "Nothing disagrees.", "bold"
    yield from show(diagnosis.problems)
    yield from _titled("Worth checking:", list(show(diagnosis.worth_checking)))
    questions = []
    for question in diagnosis.questions:
        questions.append((f"{question.path}:{question.line}: {question.text}", ""))
    yield from _titled("Open questions:", questions)

    notes = brief_note_lines
    if is_verbose or with_notes:
        notes = note_lines
    yield from _titled("", list(notes(diagnosis)))


def _titled(title: str, lines: list[tuple[str, str]]) -> Lines:
    """Lines below an empty one; indented where they have a title."""
    if not lines:
        return
    yield "", ""
    if not title:
        yield from lines
        return
    yield title, "bold"
    for text, style in lines:
        yield f"  {text}", style


def _each(findings: Sequence[Finding | Suspicion]) -> Lines:
    """Every place with what it says and what to do."""
    for finding in findings:
        yield f"{place_of(finding)}: {plain(finding.says)}", ""
        yield f"  {plain(finding.advice)}", "dim"


def _remedies(findings: Sequence[Finding | Suspicion]) -> Lines:
    """Every remedy once, below what it is for."""
    remedies = by_remedy(findings)
    for remedy in remedies[:MOST_REMEDIES]:
        yield from _remedy(remedy)

    left = 0
    for remedy in remedies[MOST_REMEDIES:]:
        left += _places_of(remedy)
    if left:
        yield f"And {counted(left, 'more place')}: `dctx doctor --verbose` shows them.", "bold"


def _remedy(remedy: Remedy) -> Lines:
    shown = remedy.complaints
    # A line that says that there is one more would be as long as that one.
    if len(shown) > MOST_SENTENCES + 1:
        shown = shown[:MOST_SENTENCES]
    for complaint in shown:
        yield f"{_places(complaint.places)}: {plain(complaint.says)}", ""

    left: list[str] = []
    for complaint in remedy.complaints[len(shown) :]:
        left += complaint.places
    if left:
        yield f"{len(left):,} more in {_files(left)}: `dctx doctor --verbose` shows them", ""
    yield f"  {plain(remedy.advice)}", "dim"


def _places_of(remedy: Remedy) -> int:
    return sum(len(complaint.places) for complaint in remedy.complaints)


def _places(places: Sequence[str]) -> str:
    """The first few places, and how many there are."""
    first, *others = places
    shown = [first]
    for place in others[: MOST_PLACES - 1]:
        shown.append(_beside(place, first))

    line = ", ".join(shown)
    left = len(places) - len(shown)
    if left:
        line += f" and {left:,} more"
    return line


def _beside(place: str, first: str) -> str:
    """A place without the folders that it has in common with the first."""
    folders = first.split("/")
    parts = place.split("/")
    common = 0
    while common < min(len(folders), len(parts)) - 1 and folders[common] == parts[common]:
        common += 1
    if not common:
        return place
    return "/".join(("…", *parts[common:]))


def _files(places: Sequence[str]) -> str:
    """`3 files`."""
    files = set()
    for place in places:
        path, colon, line = place.rpartition(":")
        is_line = bool(colon) and line.isdigit()
        files.add(path if is_line else place)
    return counted(len(files), "file")
