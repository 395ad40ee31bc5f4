"""The summary that needs no model: the hand-over, then what else is worth a note, under headings, as
much of it as the target has room for.

Deterministic: the same conversation, earlier summary and target give the same text. An earlier
summary of this kind is read again, note by note; any other is quoted behind the hand-over, so that
its headings are none of ours.
"""

from __future__ import annotations

from director_ctx.base.one_line import line
from director_ctx.history.digest.digest_message import users_words
from director_ctx.history.handover.handover import (
    ERROR,
    HEADINGS,
    OPEN,
    Handover,
    joined,
)
from director_ctx.history.handover.running import handover_of
from director_ctx.history.handover.write import read_handover, written
from director_ctx.history.messages.message import TEXT
from director_ctx.history.messages.quoted import as_text, quoted, quoted_line
from director_ctx.history.messages.stubs import stands_for_others
from director_ctx.history.summaries.notes import (
    LAST,
    SECTIONS,
    SummaryNote,
    newest_of_each,
    notes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Count, Message

EARLIER = "Earlier"
_EARLIER_WEIGHT = 9
"""More than any note of the conversation has."""
_SHARE_OF_HANDOVER = 2 / 3
"""Of the target, where the notes need the rest."""


def extract(
    messages: Sequence[Message],
    previous: str,
    target: int,
    count: Count,
) -> str:
    """At most `target` tokens."""
    noted = notes(messages, previous)
    beside = [*_earlier_notes(previous, target, count), *noted]
    beside = newest_of_each(note for note in beside if note.section != OPEN)
    handover = joined(_earlier(messages, previous), handover_of(messages))
    errors = tuple(note.text.removeprefix(ERROR) for note in noted if note.section == OPEN)
    handover = handover.replace(errors=errors[::-1])

    needed_beside = count(_written(beside))
    room = max(int(target * _SHARE_OF_HANDOVER), target - needed_beside)
    first = written(handover, room, count)
    # Lines that are counted one by one may be more together.
    selected = _within(beside, target - count(first), count)
    text = _together(first, selected)
    while selected and count(text) > target:
        selected = selected[: len(selected) * 9 // 10]
        text = _together(first, selected)
    return text


def _together(first: str, selected: Sequence[SummaryNote]) -> str:
    return "\n".join(filter(None, (first, _written(selected))))


def _earlier(messages: Sequence[Message], previous: str) -> Handover:
    """What an earlier summary of ours hands over, and what the user said of what digests without a
    hand-over stand for.
    """
    is_ours = _noted_lines(previous) is not None
    earlier = read_handover(previous) if is_ours else Handover()
    requests: list[str] = []
    for message in messages:
        for block in message.blocks:
            is_digest = block.kind == TEXT and stands_for_others(block.text)
            if is_digest and not read_handover(block.text).requests:
                words = users_words(block.text).strip()
                if words:
                    requests.append(words)
    return earlier.replace(requests=(*earlier.requests, *requests))


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

    still_true = [(section, text) for section, text in lines if section != LAST]
    return [
        SummaryNote(section, text, order, _EARLIER_WEIGHT if section == EARLIER else 3)
        for order, (section, text) in enumerate(still_true, -len(still_true))
    ]


def _noted_lines(previous: str) -> list[tuple[str, str]] | None:
    """The notes of a summary of ours, each with its section; None for any other summary."""
    lines: list[tuple[str, str]] = []
    section = ""
    for row in previous.splitlines():
        if row.startswith("## "):
            section = row[3:].strip()
        elif section in SECTIONS and row.startswith("- "):
            lines.append((section, row[2:]))
        elif not row.strip() or section in HEADINGS:
            # The hand-over is read by itself.
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


def _within(
    every: Sequence[SummaryNote],
    target: int,
    count: Count,
) -> list[SummaryNote]:
    """What matters most and is newest, as much as there is room for; most important first."""
    sections = {note.section for note in every}
    room = target - sum(count(f"\n## {section}\n\n") for section in sections)
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
        own.sort(key=lambda note: note.order)
        is_quoted = section == EARLIER
        lines = [note.text if is_quoted else f"- {as_text(note.text)}" for note in own]
        if lines:
            parts.append("\n".join((f"## {section}\n", *lines)))
    return "\n\n".join(parts) + "\n" if parts else ""
