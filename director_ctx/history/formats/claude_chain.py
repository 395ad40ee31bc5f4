"""Which lines of a Claude Code session the model reads: from the newest back, by parents, to the
last compaction. And what stands before a damaged line that the chain hung on: the client finds no
way there any more, and the file still has it.
"""

from __future__ import annotations

import re

from director_ctx.base.claude_code_lines import (
    CHAINED,
    FROM_MODEL,
    FROM_SYSTEM,
    PARENT,
    PARENT_BEFORE,
    SAID,
    is_compaction,
    is_sidechain,
    is_summary,
    kind_of,
    message_of,
    parent_of,
    uuid_of,
)
from director_ctx.base.record import Record
from director_ctx.base.system.waiting import still_wanted
from director_ctx.history.formats.parts import as_list, type_of, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from director_ctx.base.json_bytes import Lines as RawLines

    Line = dict[str, Any]

_NAMED_PARENT = re.compile(rb'"%s":\s*"([^"\\]+)"' % PARENT.encode())


class Chain(Record):
    """The lines that the model reads, and what is odd about them."""

    line_numbers: list[int]
    """In the order of the file."""
    notes: tuple[str, ...]
    torn_at: int | None = None
    """The line whose parent is not in the file, if the chain ends with one."""


class _Session:
    """The lines of a session by their numbers in the file, and the number of each by its uuid: of
    lines with one uuid the last stands for it, as for the client, and the others hang on nothing.
    """

    def __init__(self, document: Sequence[Any]) -> None:
        every = {number: line for number, line in enumerate(document) if isinstance(line, dict)}
        self.number_of: dict[str, int] = {}
        for number, line in every.items():
            uuid = uuid_of(line)
            if uuid is not None:
                self.number_of[uuid] = number
        self.lines: dict[int, Line] = {}
        for number, line in every.items():
            uuid = uuid_of(line)
            if uuid is None or self.number_of[uuid] == number:
                self.lines[number] = line
        self.twins = len(every) - len(self.lines)

    def walk_back(
        self, newest: int, summary_after: dict[str, int]
    ) -> tuple[set[int], int | None, tuple[str, ...]]:
        """The parents of a line; the last of them, if its own is not there; and what is odd."""
        chain: set[int] = set()
        last = newest
        number: int | None = newest
        while number is not None and number not in chain:
            still_wanted()
            chain.add(number)
            last = number
            parent = parent_of(self.lines[number])
            if not isinstance(parent, str):
                return chain, None, ()
            # After a compaction the next line may still name the one before it.
            summary = summary_after.get(parent)
            is_after = summary is not None and summary < number
            number = summary if is_after else self.number_of.get(parent)
        where = "to a line that is not there" if number is None else "in a circle"
        note = f"The parents of the newest line lead {where}; what the model read begins there."
        return chain, last if number is None else None, (note,)

    def parallel_lines(self, chain: set[int], cut: int) -> set[int]:
        """Lines beside the chain: of calls that were made at once, only the last has the next line
        behind it.
        """
        answers = {_id_of_answer(self.lines[number]) for number in chain} - {""}
        answered: set[str] = set()
        for number in chain:
            answered.update(_ids_in(self.lines[number], "tool_result", "tool_use_id"))

        calls: set[str] = set()
        parallel: set[int] = set()
        for number, line in self.lines.items():
            still_wanted()
            if number < cut or kind_of(line) not in SAID:
                continue
            in_answer = _id_of_answer(line) in answers and self._hangs_on(line, chain)
            if number in chain or in_answer:
                calls.update(_ids_in(line, "tool_use", "id"))
                parallel.add(number)
                continue
            # A second result of the same call would be refused.
            results = set(_ids_in(line, "tool_result", "tool_use_id"))
            if results and results <= calls and not results & answered:
                answered |= results
                parallel.add(number)
        return parallel

    def _hangs_on(self, line: Line, chain: set[int]) -> bool:
        """Whether its parents lead to the chain; those of a copy of the session in the same file do
        not.
        """
        passed: set[int] = set()
        number = self.number_of.get(str(parent_of(line)))
        # Parents may lead in a circle, or to a line that a later one of its name has replaced.
        while number is not None and number in self.lines and number not in passed:
            if number in chain:
                return True
            passed.add(number)
            number = self.number_of.get(str(parent_of(self.lines[number])))
        return False


def chain_of(document: Sequence[Any]) -> Chain:
    """The lines of a session that the model reads."""
    session = _Session(document)
    lines = session.lines
    if not session.number_of:
        # Where no line has a name, their order is all there is.
        return Chain([number for number, line in lines.items() if kind_of(line) in SAID], ())
    still_wanted()
    named = [
        number
        for number, line in lines.items()
        if kind_of(line) in CHAINED and uuid_of(line) is not None
    ]
    # It does not end with a sub-agent, unless all of it is one's.
    own = [number for number in named if not is_sidechain(lines[number])]
    if not named:
        return Chain([], ())

    cut, summary_after = _last_compaction(lines)
    walked, torn_at, notes = session.walk_back((own or named)[-1], summary_after)
    chain = walked | session.parallel_lines(walked, cut) | set(summary_after.values())
    line_numbers = sorted(number for number in chain if number >= cut)
    if session.twins:
        what, them = "1 line has", "it"
        if session.twins > 1:
            what, them = f"{session.twins} lines have", "them"
        notes += (f"{what} the uuid of a later one, and the model does not read {them}.",)
    notes += tuple(_notes_on_others(lines, set(line_numbers), cut, torn_at))
    return Chain(line_numbers, notes, torn_at)


def _last_compaction(lines: dict[int, Line]) -> tuple[int, dict[str, int]]:
    """The number of its line, and for the line before it the summary that took its place."""
    cut = 0
    before = ""
    summary_after: dict[str, int] = {}
    for number, line in lines.items():
        if is_compaction(line) and kind_of(line) == FROM_SYSTEM:
            cut = number
            before = str(line.get(PARENT_BEFORE) or "")
            summary_after = {}
        elif before and is_summary(line) and not summary_after:
            summary_after = {before: number}
    return cut, summary_after


def _id_of_answer(line: Line) -> str:
    """The id that all lines of one answer share; empty for what is no answer."""
    message = message_of(line)
    if kind_of(line) != FROM_MODEL or message is None:
        return ""
    return word(message, "id")


def _ids_in(line: Line, part_type: str, key: str) -> Iterator[str]:
    """What the parts of this type in a line have under a key."""
    message = message_of(line) or {}
    for part in as_list(message.get("content")):
        if type_of(part) == part_type:
            yield str(part.get(key, ""))


def _notes_on_others(
    lines: dict[int, Line], read: set[int], cut: int, torn_at: int | None
) -> Iterator[str]:
    """What is said of messages that the model does not read."""
    before_gap = 0 if torn_at is None else torn_at
    counts = {
        "from before the last compaction": 0,
        "from before that line": 0,
        "on other branches": 0,
    }
    for number, line in lines.items():
        if kind_of(line) in SAID and number not in read:
            place = 0 if number < cut else 1 if number < before_gap else 2
            counts[list(counts)[place]] += 1
    for where, count in counts.items():
        if count == 1:
            yield f"1 message {where} stays in the file as it is."
        elif count:
            yield f"{count} messages {where} stay in the file as they are."


# Before damaged lines


def lines_before_gaps(
    document: Sequence[Any], chain: Chain, raw: RawLines, broken: Sequence[int]
) -> list[int]:
    """Their numbers in order; none where the chain is whole, or nothing damaged stands before its
    end. `broken` are the numbers of the damaged lines, in order.
    """
    read = set(chain.line_numbers)
    beyond: set[int] = set()
    if chain.torn_at is None:
        return []
    session = _Session(document)
    of_agent = is_sidechain(session.lines[chain.torn_at])
    torn: int | None = chain.torn_at
    before_all = chain.torn_at
    while torn is not None:
        gaps = [number for number in broken if number < min(torn, before_all)]
        if not gaps:
            break
        before_all = gaps[-1]
        newest = _newest_before(session, raw, before_all, of_agent, beyond | read)
        if newest is None:
            break
        walked, torn, _ = session.walk_back(newest, {})
        beyond |= walked
    return sorted((beyond | session.parallel_lines(beyond, 0)) - read)


def _newest_before(
    session: _Session, raw: RawLines, gap: int, of_agent: bool, known: Collection[int]
) -> int | None:
    """The line that the damaged one hung on: what is left of it says so, else it is the nearest."""

    def may_go_on(number: int) -> bool:
        line = session.lines.get(number)
        if line is None or number in known or uuid_of(line) is None:
            return False
        return kind_of(line) in CHAINED and is_sidechain(line) == of_agent

    named = _NAMED_PARENT.search(raw.data, *raw.spans[gap])
    parent = gap
    if named is not None:
        parent = session.number_of.get(named[1].decode("utf-8", "replace"), gap)
    if parent < gap and may_go_on(parent):
        return parent
    return next(filter(may_go_on, range(gap - 1, -1, -1)), None)
