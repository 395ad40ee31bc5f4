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
    from collections.abc import Callable, Iterable, Sequence

    from director_ctx.history.messages.message import Message

EARLIER = "Earlier"
FIRST = (OPEN, DECIDED, LAST, TROUBLE, FILES)
"""What a session needs first when it goes on."""
_FRESH = (OPEN, LAST)
"""What is true only of the newest part; errors that are still open come with its notes."""


def extract(
    messages: Sequence[Message], previous: str, target: int, count: Callable[[str], int]
) -> str:
    """At most `target` tokens."""
    every = [*_again(previous, target, count), *notes(messages, previous)]
    kept = _within(_newest_of_each(every), target, count)
    text = _written(kept)
    while kept and count(text) > target:
        kept = kept[: len(kept) * 9 // 10]
        text = _written(kept)
    return text


def _again(previous: str, target: int, count: Callable[[str], int]) -> list[SummaryNote]:
    """The notes of an earlier summary, older than everything else."""
    if not previous.strip():
        return []
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
        else:  # It is none of ours.
            text = _cut(quoted(previous.strip()), target // 2, count)
            return [SummaryNote(EARLIER, text, -1, 9)]

    kept = [(section, text) for section, text in lines if section not in _FRESH]
    earlier: list[SummaryNote] = []
    for order, (section, text) in enumerate(kept, -len(kept)):
        weight = 9 if section == EARLIER else 3
        earlier.append(SummaryNote(section, text, order, weight))
    return earlier


def _cut(text: str, most: int, count: Callable[[str], int]) -> str:
    """Whole lines from the beginning, as many as there is room for."""
    while count(text) > most:
        lines = text.splitlines()
        if len(lines) < 2:
            return text[: most * 3]
        text = "\n".join(lines[: len(lines) * 9 // 10])
    return text


def _newest_of_each(every: Iterable[SummaryNote]) -> list[SummaryNote]:
    """A note that says the same as one before it; a file once, by its newest account."""
    kept: dict[tuple[str, str], SummaryNote] = {}
    for note in every:
        name = note.text
        if note.section == FILES:
            name = note.text.rpartition(" (")[0]
        kept[note.section, name] = note
    return list(kept.values())


def _within(
    every: Sequence[SummaryNote], target: int, count: Callable[[str], int]
) -> list[SummaryNote]:
    """What matters most and is newest, as much as there is room for; most important first."""
    room = target
    for section in {note.section for note in every}:
        room -= count(f"\n## {section}\n\n")
    kept: list[SummaryNote] = []
    for note in sorted(every, key=lambda note: (-note.weight, -note.order)):
        short = note
        if len(note.text) > target and note.section != EARLIER:
            short = note.replace(text=line(note.text, target))
        cost = count(f"- {short.text}\n")
        if cost <= room:
            kept.append(short)
            room -= cost
    return kept


def _written(kept: Sequence[SummaryNote]) -> str:
    """In the order of the headings, and under each in the order of time."""
    parts: list[str] = []
    for section in (EARLIER, *SECTIONS):
        own = [note for note in kept if note.section == section]
        if not own:
            continue
        own.sort(key=lambda note: note.order)
        lines = [note.text for note in own]
        if section != EARLIER:
            lines = [f"- {as_text(text)}" for text in lines]
        parts.append(f"## {section}\n\n" + "\n".join(lines))
    if not parts:
        return ""
    return "\n\n".join(parts) + "\n"


def excerpt(summary: str, most: int, wanted: Sequence[str] = FIRST) -> str:
    """The newest of these sections, in so many characters; what is open leaves half of them to the
    others.
    """
    sections: dict[str, list[str]] = {}
    section: list[str] | None = None
    for row in summary.splitlines():
        if row.startswith("## "):
            section = sections.setdefault(row[3:].strip(), [])
        elif row.startswith("- ") and section is not None:
            section.append(row)

    parts: list[str] = []
    room = most
    for name in wanted:
        for_others = most // 2 if name == OPEN and len(wanted) > 1 else 0
        heading = len(name) + 6
        rows: list[str] = []
        for row in reversed(sections.get(name, [])):
            if len(row) + 1 > room - for_others - heading:
                break
            rows.append(row)
            room -= len(row) + 1
        if rows:
            parts.append(f"{name}:\n" + "\n".join(reversed(rows)))
            room -= heading
    return "\n\n".join(parts)
