"""A block as its lines, and the concrete items in each: addresses, paths, names, numbers. No plain
words.

What was read is remembered by the text itself, so that a history which grows is never read twice.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from director_ctx.history.digest.items import FIELD, forget_items, items_of, items_of_line
from director_ctx.history.digest.rows import rows_of
from director_ctx.history.formats.parts import read_json
from director_ctx.history.messages.client_words import without_client_words
from director_ctx.history.messages.message import CALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any

    from director_ctx.history.digest.items import Items
    from director_ctx.history.messages.message import Block


LONGEST, MOST = 400, 20_000
"""Characters of a line that is printed whole; of one that is looked at."""
WORKED_OUT = frozenset(
    {"offset", "limit", "head_limit", "timeout", "yield_time_ms", "max_output_tokens"}
)
"""Arguments that an agent works out each time."""
REPLACED = {"old_string": "new_string", "old_str": "new_str", "oldString": "newString"}
"""Arguments whose text is there no more, and by what it was replaced."""
LONG = 4_000
"""Characters of arguments above which what was worked out is not remembered: it would fill the
memory.
"""
_ARROW = "→"
"""What stands behind a number that is nothing but the number of a line."""
_TELLS_NOTHING = re.compile(
    r"index [0-9a-f]{6,}\.\.[0-9a-f]{6,}"  # of a diff
    r"|--- PASS|PASS$|=== (?:RUN|PAUSE|CONT)|(?:ok|\?) +\S+ +(?:\d|\[no test|\(cached)"  # of Go
    r"|\S+::\S+ PASSED|test \S+ \.\.\. ok"
    r"|(?:\[\S+\] )?go: downloading |(?:Downloading|Collecting|Requirement already satisfied|Using cached)\b"
)
"""Lines that hold names, and say nothing by them to whoever goes on."""
_NUMBERED = re.compile(r"\d+(?:→|[:|-](?!\d)| )")
"""What stands before a line of a file that was printed with its number."""
_SENTENCES = re.compile(r"\S.{60,390}(?:[.;,:!?)}\]](?=\s)|$)|\S.{0,390}")
CLIENTS = "<system-reminder>"
REF, POINTER = "[ref=", "[cursor=pointer]"
_ROLES = "link button textbox searchbox combobox checkbox radio switch slider spinbutton option menuitem tab"
_ACTS = tuple(f"- {role} " for role in _ROLES.split())
"""Elements of a page that an agent acts on; it has no use for the marks of others."""
_MARKS = re.compile(r"\[[a-z]+=[^\]]*\]")
_FIELDS = (
    "- textbox ",
    "- combobox ",
    "- searchbox ",
    "- spinbutton ",
    "- alert",
    "- status",
    "- text:",
)
_CODE = re.compile(r"\b(?=[A-Z\d]*[A-Z])(?=[A-Z\d]*\d)[A-Z\d]{6,12}\b")
"""A booking, an order, a voucher: whoever leaves the page has to remember it."""
_LINES_OF_ROW = 3
"""Of a row that is told for being odd, such as a failed test with what it says."""
_LITTLE = 20
"""Characters beside its number, with which a line is told without it."""
_MOST_CHARACTERS = 10_000_000
"""So much is remembered."""


class Reading:
    """What one text says: its different lines in order, each with its items, and all items."""

    __slots__ = ("items", "lines", "odd")

    def __init__(self, lines: dict[str, Items], odd: Collection[str] = ()) -> None:
        self.lines = lines
        self.odd = odd
        """Lines of rows that are unlike the others."""
        self.items = dict.fromkeys(chain.from_iterable(lines.values()))


class _Readings:
    """By their texts. What was not asked for while as much again came in is forgotten."""

    def __init__(self, read_anew: Callable[[str], Reading]) -> None:
        self.read_anew = read_anew
        self.new: dict[str, Reading] = {}
        self.old: dict[str, Reading] = {}
        self.characters = 0

    def clear(self) -> None:
        self.new = {}
        self.old = {}
        self.characters = 0

    def of(self, text: str) -> Reading:
        reading = self.new.get(text)
        if reading is not None:
            return reading
        reading = self.old.get(text) or self.read_anew(text)
        self.characters += len(text)
        if self.characters > _MOST_CHARACTERS / 2:
            self.old = self.new
            self.new = {}
            self.characters = len(text)
        self.new[text] = reading
        return reading


def read(text: str) -> Reading:
    return _readings.of(text)


def read_result(text: str) -> Reading:
    """What a tool said, by its form."""
    return _readings_of_results.of(text)


def forget() -> None:
    """Everything that was read: the next look is a first one."""
    _readings.clear()
    _readings_of_results.clear()
    forget_items()
    _argument_lines.cache_clear()


def _reading(text: str) -> Reading:
    if REF in text:
        return Reading(_read_page(text))
    return Reading(_read_lines(text))


def _reading_of_result(text: str) -> Reading:
    if CLIENTS in text:
        # What a client puts beside a file says nothing of it.
        text = without_client_words(text)
    rows = None
    if REF not in text:
        rows = rows_of(text)
    if rows is None:
        return _reading(text)
    lines = _read_lines(rows.text)
    odd: dict[str, None] = {}
    for row in rows.odd:
        own_lines = list(_read_lines(row))
        odd.update(dict.fromkeys(own_lines[:_LINES_OF_ROW]))
    return Reading(lines, [line for line in odd if line in lines])


_readings = _Readings(_reading)
_readings_of_results = _Readings(_reading_of_result)


def _read_lines(text: str) -> dict[str, Items]:
    lines: dict[str, Items] = {}
    for row in text.split("\n"):
        line = row.strip()
        if not line or line in lines:
            continue
        if "  " in line or "\t" in line:
            line = " ".join(line.split())
        if line[0].isdigit():
            line = _without_number(line)
            if not line:
                continue
        if len(line) <= LONGEST:
            lines[line] = () if _TELLS_NOTHING.match(line) else items_of_line[line]
            continue
        for part in _SENTENCES.findall(line[:MOST]):
            lines[part] = items_of_line[part]
    return lines


def _read_page(text: str) -> dict[str, Items]:
    """A page of a browser: without the marks of what nobody can act on, and with what has to be
    remembered of it.
    """
    lines: dict[str, Items] = {}
    for row in text.split("\n"):
        line = " ".join(row.split())[:MOST]
        if not line or line in lines:
            continue
        plain = line
        if not line.startswith(_ACTS) and POINTER not in line:
            plain = _MARKS.sub(" ", line)
        items = items_of(plain)
        is_filled = line.startswith(_FIELDS) and ": " in line
        if is_filled or _CODE.search(plain):
            items = (*items, FIELD + plain)
        lines[line[:LONGEST]] = items
    return lines


def _without_number(line: str) -> str:
    """Without the number that a file's line was printed with; where little else is on it, as it is."""
    number = _NUMBERED.match(line)
    if not number:
        return line
    rest = line[number.end() :].lstrip()
    is_of_file = line[number.end() - 1] == _ARROW
    if is_of_file or " " in rest or len(rest) > _LITTLE:
        return rest
    return line


def text_of(block: Block) -> str:
    """The text of a block as lines: of a call the values of its arguments, not their JSON, short
    ones in one line. What an edit replaced is not there any more.
    """
    if block.kind == CALL:
        return argument_lines(block.text)
    return block.text


def whole_text_of(block: Block) -> str:
    """The same with what an edit replaced."""
    is_edit = block.kind == CALL and any(name in block.text for name in REPLACED)
    if is_edit:
        return _argument_lines.__wrapped__(block.text, {})
    return text_of(block)


def argument_lines(arguments: str) -> str:
    """The arguments of a call as lines."""
    if len(arguments) <= LONG:
        return _argument_lines(arguments)
    return _argument_lines.__wrapped__(arguments)


@lru_cache(maxsize=4096)  # A digest is written after its lines were read.
def _argument_lines(arguments: str, replaced: Mapping[str, str] = REPLACED) -> str:
    try:
        values = list(_leaves(read_json(arguments), replaced))
    except (ValueError, RecursionError):
        # What is no JSON, or is nested without an end, is read as it was written.
        return arguments

    short: list[str] = []
    long: list[str] = []
    for value in values:
        if "\n" in value:
            long.append(value)
        else:
            short.append(value)
    joined = " ".join(short)
    if joined:
        return "\n".join([joined, *long])
    return "\n".join(long)


def _leaves(value: Any, replaced: Mapping[str, str], key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            is_gone = name in replaced and replaced[name] in value
            if not is_gone:
                yield from _leaves(inner, replaced, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, replaced, key)
    elif value is not None and not isinstance(value, bool):
        yield from _number_with_key(value, key)


def _number_with_key(number: float, key: str) -> Iterator[str]:
    """With its key, where it has one."""
    if key in WORKED_OUT:
        return
    if key:
        yield f"{key}={number}"
    else:
        yield str(number)
