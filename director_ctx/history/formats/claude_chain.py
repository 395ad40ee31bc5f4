"""Which lines of a Claude Code session the model reads: from the newest back, by parents, to the
last compaction.
"""

from __future__ import annotations

from director_ctx.base.claude_code_lines import (
    CHAINED,
    FROM_MODEL,
    FROM_SYSTEM,
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
    from collections.abc import Iterator, Sequence
    from typing import Any

    Lines = dict[int, dict[str, Any]]
    """By their numbers in the file."""
    Numbers = dict[str, int]
    """The number of each line, by its uuid."""


class Chain(Record):
    """The lines that the model reads, and what is odd about them."""

    line_numbers: list[int]
    """In the order of the file."""
    notes: tuple[str, ...]
    torn_at: int | None = None
    """The line whose parent is not in the file, if the chain ends with one."""


class ChainWalk(Record):
    """The way from a line back by its parents."""

    numbers: set[int]
    torn_at: int | None = None
    notes: tuple[str, ...] = ()


def chain_of(document: Sequence[Any]) -> Chain:
    """The lines of a session that the model reads."""
    lines, number_of = named_lines(document)
    if not number_of:
        return Chain(_lines_with_messages(lines), ())

    lines, notes_on_twins = without_twins(lines, number_of)
    newest = newest_line(lines)
    if newest is None:
        return Chain([], ())

    cut, summary_after = _last_compaction(lines)
    walk = walk_back(lines, number_of, newest, summary_after)
    chain = walk.numbers | parallel_lines(lines, number_of, walk.numbers, cut)
    chain.update(summary_after.values())

    line_numbers = sorted(number for number in chain if number >= cut)
    notes_on_others = _notes_on_others(lines, line_numbers, cut, walk.torn_at)
    notes = (*walk.notes, *notes_on_twins, *notes_on_others)
    return Chain(line_numbers, notes, walk.torn_at)


def named_lines(document: Sequence[Any]) -> tuple[Lines, Numbers]:
    """The objects among the lines, and where each name is; of one name the last."""
    lines: Lines = {}
    number_of: Numbers = {}
    for number, line in enumerate(document):
        if not isinstance(line, dict):
            continue
        lines[number] = line
        uuid = uuid_of(line)
        if uuid is not None:
            number_of[uuid] = number
    return lines, number_of


def _lines_with_messages(lines: Lines) -> list[int]:
    """All that say something: where no line has a name, their order is all there is."""
    numbers = []
    for number, line in lines.items():
        if kind_of(line) in SAID:
            numbers.append(number)
    return numbers


def without_twins(lines: Lines, number_of: Numbers) -> tuple[Lines, list[str]]:
    """Of lines with one uuid the last stands for it, as for the client; the others hang on nothing."""
    left = {}
    for number, line in lines.items():
        uuid = uuid_of(line)
        # A line without a uuid has no twin.
        if uuid is None or number_of[uuid] == number:
            left[number] = line

    count = len(lines) - len(left)
    if not count:
        return lines, []
    what = f"{count} lines have"
    them = "them"
    if count == 1:
        what = "1 line has"
        them = "it"
    return left, [f"{what} the uuid of a later one, and the model does not read {them}."]


def newest_line(lines: Lines) -> int | None:
    """The line that the conversation ends with; not one of a sub-agent, unless all are."""
    newest: int | None = None
    newest_own: int | None = None
    for number, line in lines.items():
        still_wanted()
        if kind_of(line) not in CHAINED or uuid_of(line) is None:
            continue
        newest = number
        if not is_sidechain(line):
            newest_own = number
    return newest if newest_own is None else newest_own


def _last_compaction(lines: Lines) -> tuple[int, dict[str, int]]:
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


def walk_back(
    lines: Lines,
    number_of: Numbers,
    newest: int,
    summary_after: dict[str, int],
) -> ChainWalk:
    """The parents of the newest line, and what is odd about where they lead."""
    chain: set[int] = set()
    last = newest
    number: int | None = newest
    while number is not None and number not in chain:
        still_wanted()
        chain.add(number)
        last = number
        parent = parent_of(lines[number])
        if not isinstance(parent, str):
            return ChainWalk(chain)

        # After a compaction the next line may still name the one before it.
        summary = summary_after.get(parent)
        if summary is not None and summary < number:
            number = summary
        else:
            number = number_of.get(parent)

    if number is None:
        return ChainWalk(chain, last, (_leads("to a line that is not there"),))
    return ChainWalk(chain, None, (_leads("in a circle"),))


def _leads(where: str) -> str:
    return f"The parents of the newest line lead {where}; what the model read begins there."


def parallel_lines(lines: Lines, number_of: Numbers, chain: set[int], cut: int) -> set[int]:
    """Lines beside the chain: of calls that were made at once, only the last has the next line
    behind it.
    """
    answers: set[str] = set()
    answered: set[str] = set()
    for number in chain:
        answers.add(_id_of_answer(lines[number]))
        answered.update(_ids_in(lines[number], "tool_result", "tool_use_id"))
    answers.discard("")

    calls: set[str] = set()
    parallel: set[int] = set()
    for number, line in lines.items():
        still_wanted()
        if number < cut or kind_of(line) not in SAID:
            continue
        is_answer = number in chain
        if not is_answer and _id_of_answer(line) in answers:
            is_answer = _hangs_on(line, lines, number_of, chain)
        if is_answer:
            calls.update(_ids_in(line, "tool_use", "id"))
            parallel.add(number)
            continue

        # A second result of the same call would be refused.
        results = set(_ids_in(line, "tool_result", "tool_use_id"))
        if results and results <= calls and not results & answered:
            answered |= results
            parallel.add(number)
    return parallel


def _hangs_on(line: dict[str, Any], lines: Lines, number_of: Numbers, chain: set[int]) -> bool:
    """Whether its parents lead to the chain; those of a copy of the session in the same file do
    not.
    """
    passed: set[int] = set()
    number = _number_of_parent(line, number_of)
    # Parents may lead in a circle, or to a line that a later one of its name has replaced.
    while number is not None and number in lines and number not in passed:
        if number in chain:
            return True
        passed.add(number)
        number = _number_of_parent(lines[number], number_of)
    return False


def _number_of_parent(line: dict[str, Any], number_of: Numbers) -> int | None:
    return number_of.get(str(parent_of(line)))


def _id_of_answer(line: dict[str, Any]) -> str:
    """The id that all lines of one answer share; empty for what is no answer."""
    message = message_of(line)
    if kind_of(line) != FROM_MODEL or message is None:
        return ""
    return word(message, "id")


def _ids_in(line: dict[str, Any], part_type: str, key: str) -> Iterator[str]:
    """What the parts of this type in a line have under a key."""
    message = message_of(line) or {}
    for part in as_list(message.get("content")):
        if type_of(part) == part_type:
            yield str(part.get(key, ""))


def _notes_on_others(
    lines: Lines,
    line_numbers: Sequence[int],
    cut: int,
    torn_at: int | None,
) -> list[str]:
    """What is said of messages that the model does not read."""
    read = set(line_numbers)
    before = 0
    behind_gap = 0
    beside = 0
    for number, line in lines.items():
        if kind_of(line) not in SAID or number in read:
            continue
        if number < cut:
            before += 1
        elif torn_at is not None and number < torn_at:
            behind_gap += 1
        else:
            beside += 1

    notes = []
    if before:
        notes.append(_note_on_others(before, "from before the last compaction"))
    if behind_gap:
        notes.append(_note_on_others(behind_gap, "from before that line"))
    if beside:
        notes.append(_note_on_others(beside, "on other branches"))
    return notes


def _note_on_others(count: int, where: str) -> str:
    if count == 1:
        return f"1 message {where} stays in the file as it is."
    return f"{count} messages {where} stay in the file as they are."
