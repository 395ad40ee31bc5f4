"""What a Claude Code session says before a damaged line that its chain hung on. The client finds no
way there any more, and the file still has it.
"""

from __future__ import annotations

import re

from director_ctx.base.claude_code_lines import CHAINED, PARENT, is_sidechain, kind_of, uuid_of
from director_ctx.base.record import Record
from director_ctx.history.formats.claude_chain import (
    named_lines,
    parallel_lines,
    walk_back,
    without_twins,
)
from director_ctx.history.formats.claude_code import ClaudeFrame, messages_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.base.json_bytes import Lines as RawLines
    from director_ctx.history.formats.claude_chain import Lines, Numbers
    from director_ctx.history.messages.message import Message

_NAMED_PARENT = re.compile(rb'"%s":\s*"([^"\\]+)"' % PARENT.encode())


class _Gaps(Record):
    """A session with damaged lines in it."""

    lines: Lines
    number_of: Numbers
    raw: RawLines
    broken: Sequence[int]
    """Numbers of the damaged lines, in order."""
    is_of_agent: bool
    """Whether the whole conversation is a sub-agent's."""


def messages_before_gaps(
    frame: object,
    raw: RawLines,
    broken: Sequence[int],
) -> list[Message]:
    """In order; none where the chain is whole, or nothing damaged stands before its end."""
    if not isinstance(frame, ClaudeFrame) or frame.chain.torn_at is None:
        return []
    lines, number_of = named_lines(frame.document)
    lines, _ = without_twins(lines, number_of)
    is_of_agent = is_sidechain(lines[frame.chain.torn_at])
    gaps = _Gaps(lines, number_of, raw, broken, is_of_agent)

    read = set(frame.chain.line_numbers)
    chain = _beyond(gaps, frame.chain.torn_at, read)
    chain |= parallel_lines(lines, number_of, chain, 0)
    chain -= read
    messages, _ = messages_on(frame.document, sorted(chain))
    return messages


def _beyond(gaps: _Gaps, torn_at: int, read: set[int]) -> set[int]:
    """The lines of the chain on the other side of each gap."""
    chain: set[int] = set()
    torn: int | None = torn_at
    before_all = torn_at
    while torn is not None:
        gap = _gap_before(gaps, min(torn, before_all))
        if gap is None:
            break
        before_all = gap
        newest = _newest_before(gaps, gap, chain | read)
        if newest is None:
            break
        walk = walk_back(gaps.lines, gaps.number_of, newest, {})
        chain |= walk.numbers
        torn = walk.torn_at
    return chain


def _gap_before(gaps: _Gaps, number: int) -> int | None:
    """The nearest damaged line."""
    nearest = None
    for broken in gaps.broken:
        if broken >= number:
            break
        nearest = broken
    return nearest


def _newest_before(gaps: _Gaps, gap: int, known: set[int]) -> int | None:
    """The line that the damaged one hung on: what is left of it says so, else it is the nearest."""
    start, end = gaps.raw.spans[gap]
    named = _NAMED_PARENT.search(gaps.raw.data, start, end)
    if named is not None:
        parent = gaps.number_of.get(named[1].decode("utf-8", "replace"), gap)
        if parent < gap and _may_go_on(gaps, parent, known):
            return parent

    for number in range(gap - 1, -1, -1):
        if _may_go_on(gaps, number, known):
            return number
    return None


def _may_go_on(gaps: _Gaps, number: int, known: set[int]) -> bool:
    """Whether a line is one of the conversation that was not read yet."""
    line = gaps.lines.get(number)
    if line is None or number in known or uuid_of(line) is None:
        return False
    return kind_of(line) in CHAINED and is_sidechain(line) == gaps.is_of_agent
