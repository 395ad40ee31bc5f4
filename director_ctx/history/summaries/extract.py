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
    Note,
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
    found = [*_again(previous, target, count), *notes(messages, previous)]
    kept = _within(_newest_of_each(found), target, count)
    text = _written(kept)
    while kept and count(text) > target:
        kept = kept[: len(kept) * 9 // 10]
        text = _written(kept)
    return text


def _again(previous: str, target: int, count: Callable[[str], int]) -> list[Note]:
    """The notes of an earlier summary, older than everything else."""
    if not previous.strip():
        return []
    found, section = [], ""
    for row in previous.splitlines():
        if row.startswith("## "):
            section = row[3:].strip()
        elif section in SECTIONS and row.startswith("- "):
            found.append((section, row[2:]))
        elif row.strip() and section != EARLIER and section not in SECTIONS:
            return [Note(EARLIER, _cut(quoted(previous.strip()), target // 2, count), -1, 9)]
        elif row.strip():
            found.append((EARLIER, quoted_line(row)))
    kept = [(section, text) for section, text in found if section not in _FRESH]
    return [
        Note(section, text, place - len(kept), 9 if section == EARLIER else 3)
        for place, (section, text) in enumerate(kept)
    ]


def _cut(text: str, most: int, count: Callable[[str], int]) -> str:
    """Whole lines from the beginning, as many as there is room for."""
    while count(text) > most:
        lines = text.splitlines()
        if len(lines) < 2:
            return text[: most * 3]
        text = "\n".join(lines[: len(lines) * 9 // 10])
    return text


def _newest_of_each(found: Iterable[Note]) -> list[Note]:
    """A note that says the same as one before it; a file once, by its newest account."""
    kept: dict[tuple[str, str], Note] = {}
    for one in found:
        name = one.text.rpartition(" (")[0] if one.section == FILES else one.text
        kept[one.section, name] = one
    return list(kept.values())


def _within(found: Sequence[Note], target: int, count: Callable[[str], int]) -> list[Note]:
    """What matters most and is newest, as much as there is room for; most important first."""
    ranked = sorted(found, key=lambda one: (-one.weight, -one.order))
    room = target - sum(count(f"\n## {section}\n\n") for section in {one.section for one in found})
    kept = []
    for one in ranked:
        short = (
            one
            if len(one.text) <= target or one.section == EARLIER
            else one.replace(text=line(one.text, target))
        )
        cost = count(f"- {short.text}\n")
        if cost <= room:
            kept.append(short)
            room -= cost
    return kept


def _written(kept: Sequence[Note]) -> str:
    """In the order of the headings, and under each in the order of time."""
    parts = []
    for section in (EARLIER, *SECTIONS):
        own = sorted((one for one in kept if one.section == section), key=lambda one: one.order)
        if own:
            lines = (one.text if section == EARLIER else f"- {as_text(one.text)}" for one in own)
            parts.append(f"## {section}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n" if parts else ""


def excerpt(summary: str, most: int, wanted: Sequence[str] = FIRST) -> str:
    """The newest of these sections, in so many characters; what is open leaves half of them to the
    others.
    """
    sections: dict[str, list[str]] = {}
    for row in summary.splitlines():
        if row.startswith("## "):
            found = sections.setdefault(row[3:].strip(), [])
        elif row.startswith("- ") and sections:
            found.append(row)
    parts, room = [], most
    for name in wanted:
        rows = []
        least = most // 2 if name == OPEN and len(wanted) > 1 else 0
        for row in reversed(sections.get(name, [])):
            if len(row) + 1 > room - least - len(name) - 6:
                break
            rows.append(row)
            room -= len(row) + 1
        if rows:
            parts.append(f"{name}:\n" + "\n".join(reversed(rows)))
            room -= len(name) + 6
    return "\n\n".join(parts)
