"""The summary that needs no model: what is worth a note, under headings, as much of it as the
target has room for.

Deterministic: the same conversation, earlier summary and target give the same text. An earlier
summary of this kind is read again, note by note; any other is quoted in front, so that its headings
are none of ours.
"""

from __future__ import annotations

from director_ctx.base.one_line import line
from director_ctx.history.messages.quoted import as_text, quoted, quoted_line
from director_ctx.history.summaries.notes import (
    DECIDED,
    FILES,
    LAST,
    OPEN,
    SECTIONS,
    TROUBLE,
    SummaryNote,
    notes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.history.messages.message import Count, Message

EARLIER = "Earlier"
_EARLIER_WEIGHT = 9
"""More than any note of the conversation has."""
FIRST = (OPEN, DECIDED, LAST, TROUBLE, FILES)
"""What a session needs first when it goes on."""
_FRESH = (OPEN, LAST)
"""What is true only of the newest part; errors that are still open come with its notes."""


def extract(
    messages: Sequence[Message],
    previous: str,
    target: int,
    count: Count,
) -> str:
    """At most `target` tokens."""
    every = [*_earlier_notes(previous, target, count), *notes(messages, previous)]
    selected = _within(_newest_of_each(every), target, count)
    text = _written(selected)
    # Lines that are counted one by one may be more together.
    while selected and count(text) > target:
        selected = selected[: len(selected) * 9 // 10]
        text = _written(selected)
    return text


def _earlier_notes(
    previous: str,
    target: int,
    count: Count,
) -> list[SummaryNote]:
    """The notes of an earlier summary, older than everything else."""
    if not previous.strip():
        return []
    lines = _noted_lines(previous)
    if lines is None:
        text = _cut(quoted(previous.strip()), target // 2, count)
        return [SummaryNote(EARLIER, text, -1, _EARLIER_WEIGHT)]

    still_true = [(section, text) for section, text in lines if section not in _FRESH]
    notes_before: list[SummaryNote] = []
    for order, (section, text) in enumerate(still_true, -len(still_true)):
        weight = 3
        if section == EARLIER:
            weight = _EARLIER_WEIGHT
        note = SummaryNote(section, text, order, weight)
        notes_before.append(note)
    return notes_before


def _noted_lines(previous: str) -> list[tuple[str, str]] | None:
    """The notes of a summary of ours, each with its section; None for any other summary."""
    lines: list[tuple[str, str]] = []
    section = ""
    for row in previous.splitlines():
        if row.startswith("## "):
            section = row[3:].strip()
        elif section in SECTIONS and row.startswith("- "):
            lines.append((section, row[2:]))
        elif not row.strip():
            continue
        elif section == EARLIER or section in SECTIONS:
            lines.append((EARLIER, quoted_line(row)))
        else:
            return None
    return lines


def _cut(text: str, most: int, count: Count) -> str:
    """Whole lines from the beginning, as many as there is room for."""
    while count(text) > most:
        lines = text.splitlines()
        if len(lines) < 2:
            return text[: most * 3]
        fewer = lines[: len(lines) * 9 // 10]
        text = "\n".join(fewer)
    return text


def _newest_of_each(every: Iterable[SummaryNote]) -> list[SummaryNote]:
    """A note that says the same as one before it; a file once, by its newest account."""
    newest: dict[tuple[str, str], SummaryNote] = {}
    for note in every:
        name = note.text
        if note.section == FILES:
            # Behind the path stands how often it was read, which is another number each time.
            name, _, _ = note.text.rpartition(" (")
        newest[note.section, name] = note
    return list(newest.values())


def _within(
    every: Sequence[SummaryNote],
    target: int,
    count: Count,
) -> list[SummaryNote]:
    """What matters most and is newest, as much as there is room for; most important first."""
    room = target
    for section in {note.section for note in every}:
        room -= count(f"\n## {section}\n\n")
    selected: list[SummaryNote] = []
    for note in sorted(every, key=lambda note: (-note.weight, -note.order)):
        short = note
        if len(note.text) > target and note.section != EARLIER:
            short = note.replace(text=line(note.text, target))
        cost = count(f"- {short.text}\n")
        # A shorter one further down may still find room.
        if cost <= room:
            selected.append(short)
            room -= cost
    return selected


def _written(selected: Sequence[SummaryNote]) -> str:
    """In the order of the headings, and under each in the order of time."""
    parts: list[str] = []
    for section in (EARLIER, *SECTIONS):
        own = [note for note in selected if note.section == section]
        if not own:
            continue
        own.sort(key=lambda note: note.order)
        lines: list[str] = []
        for note in own:
            if section == EARLIER:
                lines.append(note.text)
            else:
                lines.append(f"- {as_text(note.text)}")
        body = "\n".join(lines)
        parts.append(f"## {section}\n\n{body}")
    if not parts:
        return ""
    return "\n\n".join(parts) + "\n"


def excerpt(summary: str, most: int, names: Sequence[str] = FIRST) -> str:
    """The newest of these sections, in so many characters; what is open leaves half of them to the
    others.
    """
    sections = _sections(summary)
    parts: list[str] = []
    room = most
    for name in names:
        heading = len(name) + 6
        for_rows = room - heading
        if name == OPEN and len(names) > 1:
            for_rows -= most // 2
        rows = _newest(sections.get(name, []), for_rows)
        if not rows:
            continue
        body = "\n".join(rows)
        parts.append(f"{name}:\n{body}")
        room -= heading + len(body) + 1
    return "\n\n".join(parts)


def _sections(summary: str) -> dict[str, list[str]]:
    """The notes under each heading."""
    sections: dict[str, list[str]] = {}
    section: list[str] | None = None
    for row in summary.splitlines():
        if row.startswith("## "):
            name = row[3:].strip()
            section = sections.setdefault(name, [])
        elif row.startswith("- ") and section is not None:
            section.append(row)
    return sections


def _newest(rows: Sequence[str], most: int) -> list[str]:
    """As many from the end as fit into so many characters."""
    newest: list[str] = []
    room = most
    for row in reversed(rows):
        room -= len(row) + 1
        if room < 0:
            break
        newest.append(row)
    return newest[::-1]
