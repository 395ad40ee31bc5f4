"""A conversation as a page tells it: an entry for each thing said or done, calls with their results,
with its tokens and how full the window was after it. Secrets are hidden, and long texts are begun.
"""

from __future__ import annotations

from collections import Counter

from director_ctx.base.one_line import line
from director_ctx.base.record import Record
from director_ctx.base.secrets import redact
from director_ctx.base.text import visible
from director_ctx.history.messages.message import measure
from director_ctx.history.sessions.levels import beside_messages, compactions, levels
from director_ctx.history.sessions.render import ANSWERED, CALLED, SUMMARY, is_context
from director_ctx.history.sessions.spending import Subjects, common_folder, spending_of, title
from director_ctx.history.sessions.transcript import block_number, row_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Count, Message
    from director_ctx.history.sessions.levels import LevelMark
    from director_ctx.history.sessions.render import Row
    from director_ctx.history.sessions.transcript import WholeTranscript

    Json = dict[str, Any]

LONGEST, BEGINNING, AROUND = 3_000, 160, 240
"""Characters that are shown of what somebody said, of what is folded, and on either side of a word that
was searched for.
"""
_MARGIN = 400
"""A secret that begins in what is shown may end behind it."""
SAID, FOLDED = "said", "folded"
SPOKEN = ("user", "assistant", SUMMARY)


class Entry(Record):
    """One thing that was said or done."""

    rows: tuple[Row, ...]
    """A call stands with its result."""
    archived: bool
    about: tuple[str, ...]
    """Where it stands in the tree of what the tokens went to."""
    turn: int
    """How many times the user had spoken."""
    level: int

    @property
    def number(self) -> int:
        return self.rows[0].message

    @property
    def tokens(self) -> int:
        return sum(row.block.tokens for row in self.rows if row.block)

    @property
    def kind(self) -> str:
        return SAID if self.about[0] in SPOKEN else FOLDED


class Told(Record):
    """A conversation in entries, and how it filled its window."""

    entries: tuple[Entry, ...]
    filled: tuple[tuple[int, int], ...]
    """The number of each message, and the tokens in the window after it."""
    compacted: tuple[int, ...]
    """The numbers of messages that came first after a compaction."""
    beside: int
    """Tokens that were in the window before anything was said."""

    def tree(self, with_archived: bool) -> Json:
        """Where its tokens went."""
        return spending_of(
            (row, entry.about)
            for entry in self.entries
            if with_archived or not entry.archived
            for row in entry.rows
        )


def told(transcript: WholeTranscript, marks: Sequence[LevelMark], count: Count) -> Told:
    numbers: list[int] = []
    messages: list[Message] = []
    for row, _ in transcript.rows:
        if row.source and (not numbers or numbers[-1] != row.message):
            numbers.append(row.message)
            messages.append(row.source)
    measure(messages, count)
    after = levels(messages, marks)
    level_of = dict(zip(numbers, after, strict=True))
    return Told(
        entries=tuple(_entries(transcript, level_of)),
        filled=tuple(level_of.items()),
        compacted=tuple(numbers[place] for place in compactions(messages, marks)),
        beside=beside_messages(messages, marks),
    )


def _entries(transcript: WholeTranscript, level_of: dict[int, int]) -> Iterator[Entry]:
    folder = transcript.session.folder
    elsewhere = common_folder((row for row, _ in transcript.rows), folder)
    subjects = Subjects(folder, elsewhere)
    results = _results(transcript.rows)
    shown_with_call: set[int] = set()
    turn = 0
    level = 0
    newest = 0
    for row, archived in transcript.rows:
        about = subjects.path(row)
        if id(row.block) in shown_with_call:
            continue
        if about == ("user",):
            turn += 1
        rows = [row]
        if row.role == CALLED and row.block and row.block.call in results:
            result = results[row.block.call]
            rows.append(result)
            shown_with_call.add(id(result.block))
        # Results of calls that were made together come in any order: down to here, all of them stand.
        least = level if row.message < newest else 0
        level = max(level_of.get(rows[-1].message, 0), least)
        newest = max(newest, rows[-1].message)
        yield Entry(tuple(rows), archived, about, turn, level)


def _results(rows: Sequence[tuple[Row, bool]]) -> dict[str, Row]:
    """By its call, the result that is shown with it; an id that is used twice tells nothing."""
    answers = [(row.block.call, row) for row, _ in rows if row.role == ANSWERED and row.block]
    times = Counter(call for call, _ in answers)
    return {call: row for call, row in answers if call and times[call] == 1}


def entry_json(entry: Entry, words: str = "") -> Json:
    """What is shown of it until somebody opens it; with the place of words that it was searched for."""
    first = entry.rows[0]
    result = entry.rows[1] if len(entry.rows) > 1 else None
    text, whole = _begun(entry)
    about = entry.about[-1] if len(entry.about) > 2 else ""
    shown = about if about and entry.kind == FOLDED else text
    return {
        "number": entry.number,
        "kind": entry.kind,
        "role": entry.about[0],
        "title": title(entry.about[:1]),
        "tool": entry.about[1] if len(entry.about) > 1 else "",
        "about": about,
        "turn": entry.turn,
        "time": first.source.when if first.source else "",
        "tokens": entry.tokens,
        "level": entry.level,
        "archived": entry.archived,
        "text": text,
        "whole": whole,
        "around": _around(entry, words) if words and words not in shown.lower() else "",
        "error": bool(result and result.block and result.block.error),
        "also": result.message if result else 0,
        "call_id": first.block.call if first.block else "",
    }


def _begun(entry: Entry) -> tuple[str, bool]:
    row = entry.rows[0]
    if entry.kind == SAID:
        text = shown_text(row.text[: LONGEST + _MARGIN])
        return text[:LONGEST], len(row.text) <= LONGEST
    begun = line(_own_text(row)[: BEGINNING + _MARGIN], BEGINNING + _MARGIN)
    return shown_text(begun)[:BEGINNING], False


def _own_text(row: Row) -> str:
    """Of a call without its tool, which has a place of its own."""
    return row.block.text if row.role == CALLED and row.block else row.text


def _around(entry: Entry, words: str) -> str:
    """What stands before and behind words in small letters, in what is not shown of an entry."""
    for row in entry.rows:
        place = row.text.lower().find(words)
        if place < 0:
            continue
        # Secrets are hidden before it is cut, or half of one would be none.
        start = max(0, place - AROUND - _MARGIN)
        shown = shown_text(row.text[start : place + len(words) + AROUND + _MARGIN])
        place = shown.lower().find(words)
        if place < 0:
            continue
        begins = max(0, place - AROUND)
        piece = shown[begins : place + len(words) + AROUND].strip()
        return f"\N{HORIZONTAL ELLIPSIS} {piece} \N{HORIZONTAL ELLIPSIS}"
    return ""


def shown_text(text: str) -> str:
    """Without what must not be shown, without what no page can hold, and in the order it was written in."""
    return redact(visible(text))


def row_json(row: Row, most: int) -> Json:
    """All that a block says, or as much as a page can take."""
    block = row.block
    text = _own_text(row)
    return {
        "number": row.message,
        "role": row.role,
        "tool": shown_text(block.tool) if block else "",
        "tokens": block.tokens if block else 0,
        "error": bool(block and block.error),
        "time": row.source.when if row.source else "",
        "from_client": row.role not in (CALLED, ANSWERED, SUMMARY) and is_context(row),
        "text": shown_text(text[: most + _MARGIN])[:most],
        "left_out": max(0, len(text) - most),
    }


def cut_test(
    transcript: WholeTranscript, cut: Collection[tuple[int, int]]
) -> Callable[[Entry], bool]:
    """Whether something of an entry is among these places of a receipt: message and block."""
    place_of = row_places(transcript)

    def is_cut(entry: Entry) -> bool:
        return any((place_of(row), block_number(row)) in cut for row in entry.rows)

    return is_cut


def has_text(entry: Entry, text: str) -> bool:
    """Whether it stands in it; in small letters, as it has to be."""
    return any(text in row.text.lower() for row in entry.rows)
