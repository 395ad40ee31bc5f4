"""Notes that are out of date, as `dctx doctor` shows them: how many, or each with what changed."""

from __future__ import annotations

from director_ctx.base.text import counted, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.notes.stale_notes import CodeChange, StaleNote
    from director_ctx.upkeep.doctor import Diagnosis

    Lines = Iterator[tuple[str, str]]

MOST_COMMITS_SHOWN = 3
MOST_NOTES_SHOWN = 5


def note_lines(diagnosis: Diagnosis) -> Lines:
    for note in diagnosis.stale.notes:
        yield from _stale_note(note)
    yield from _not_known(diagnosis.stale.why)
    yield from _old_folders(diagnosis)


def brief_note_lines(diagnosis: Diagnosis) -> Lines:
    """The notes by name, without what changed."""
    notes = diagnosis.stale.notes
    if notes:
        names = [plain(note.path) for note in notes[:MOST_NOTES_SHOWN]]
        line = f"Out of date: {', '.join(names)}"
        left = len(notes) - len(names)
        if left:
            line += f" and {counted(left, 'more note')}"
        yield line, "yellow"
        yield "  `dctx doctor --stale` shows what changed in the code since.", "dim"
    yield from _not_known(diagnosis.stale.doubt)
    yield from _old_folders(diagnosis)


def _old_folders(diagnosis: Diagnosis) -> Lines:
    for folder in diagnosis.old:
        since = f"{folder.goals_since} goals were completed since it was made"
        yield f"Out of date: .director/{folder.folder}/ ({since})", "yellow"


def _stale_note(note: StaleNote) -> Lines:
    """Everything it cites that is not what it was, each with the newest commits that made it so."""
    yield f"Out of date: {plain(note.path)}", "yellow"
    for change in note.changed:
        yield f"  {_became(change)}", ""
        for short, subject in change.commits[:MOST_COMMITS_SHOWN]:
            yield f"    {plain(short)} {plain(subject)}", "dim"
        if len(change.commits) > MOST_COMMITS_SHOWN:
            yield "    and older ones", "dim"


def _became(change: CodeChange) -> str:
    """`a.py changed`, `a.py vanished`, `a.py is now b.py`."""
    if change.moved_to:
        return f"{plain(change.path)} is now {plain(change.moved_to)}"
    return f"{plain(change.path)} {change.what}"


def _not_known(why: str) -> Lines:
    if why:
        yield f"Whether notes are out of date is not fully known: {plain(why)}", "dim"
