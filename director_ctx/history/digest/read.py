"""A block as its lines, and the concrete items in each: addresses, paths, names, numbers. No plain
words.

What was read is remembered by the text itself, so that a history which grows is never read twice.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from director_ctx.history.formats.parts import read_json
from director_ctx.history.messages.client_words import without_client_words
from director_ctx.history.messages.message import CALL, Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    Items = tuple[str, ...]
    """The concrete items of a word or a line."""

_JOINED = re.compile(r"[a-z]*+[A-Z\d_./:=~@-][\w./:=~@?&%#+-]++")
"""A word with everything that is joined to it: a path, a dotted name, a number with its key. No
plain words in small letters.
"""
_JOINTS = re.compile(r"[:=&?#%+]+")
_KEYED = re.compile(r"\b[A-Za-z_]\w{2,}[=:]-?\d[\d.]*\b")
"""A number with what it is the value of: `retries=30`."""
_WORDS = re.compile(r"\w+")
_CONTEXT = re.compile(r"(\.[A-Za-z]\w{0,5})-\d+(?:-.*)?$")
"""A file with the number of a line beside what was searched for: `a/b.go-32-`."""
_LIKELY = re.compile(r"^[~/.]|\.\w+$|/.+/")
"""A path says so: by where it begins, by an ending, or by its depth. `a/b` may be a division."""
FIELD = "- "
"""How an item begins that is a whole line of a page: what was put into a field, or a code."""
_ADDRESS = ("http://", "https://")
_SHORTEST = 3
_MOST_CHUNKS, _MOST_LINES = 100_000, 50_000


def items_of(line: str) -> Items:
    """The items of a line, each once."""
    chunks = _JOINED.findall(line)
    if len(chunks) <= 1:
        return _items_of_chunk[chunks[0]] if chunks else ()
    # Maps, because every new line of a conversation comes by here.
    items = chain.from_iterable(map(_items_of_chunk.__getitem__, chunks))
    return tuple(dict.fromkeys(items))


class _ItemsOfLines(dict[str, "Items"]):
    """Files are read again and again, with most of their lines as they were."""

    def __missing__(self, line: str) -> Items:
        if len(self) > _MOST_LINES:
            self.clear()
        items = items_of(line)
        self[line] = items
        return items


items_of_line = _ItemsOfLines()


class _ItemsOfChunks(dict[str, "Items"]):
    """The items of what is written without a blank, worked out once."""

    def __missing__(self, chunk: str) -> Items:
        if len(self) > _MOST_CHUNKS:
            self.clear()
        items: Items = ()
        if not chunk.isidentifier():
            items = tuple(dict.fromkeys(_parts_of(chunk)))
        elif is_concrete(chunk):
            items = (chunk,)
        self[chunk] = items
        return items


_items_of_chunk = _ItemsOfChunks()
"""Shared by all conversations of this process, as most of them are about the same things."""


def _parts_of(chunk: str) -> list[str]:
    """The address, the flag, the paths and names that a chunk is made of."""
    if chunk.startswith(_ADDRESS):
        return [chunk.rstrip(".,:;-")]
    items: list[str] = []
    if chunk.startswith("--") and chunk[2:3].isalpha():
        flag, _, chunk = chunk.partition("=")
        items.append(flag)
    items += _KEYED.findall(chunk)
    for joined in _JOINTS.split(chunk):
        part = _CONTEXT.sub(r"\1", joined) if "-" in joined else joined
        if part.isidentifier():
            if is_concrete(part):
                items.append(part)
        elif "/" in part:
            items += _items_of_path(part)
        elif part:
            items += _items_of_dotted(part)
    return items


def _items_of_path(part: str) -> list[str]:
    """The path, where it is likely to be one, and its last name."""
    path = part.rstrip("./-@~").removeprefix("./")
    items: list[str] = []
    if len(path) > _SHORTEST + 1 and _LIKELY.search(path):
        items.append(path)
        folders = path.split("/")
        if len(folders) > 3:
            items.append("/".join(folders[-2:]))
    items += _items_of_dotted(path.rpartition("/")[2])
    return items


def _items_of_dotted(part: str) -> list[str]:
    """A number, a dotted name and what is concrete in it, or something hyphened that has a digit."""
    word = part.strip(".-@~")
    if word.isidentifier() or word.isdigit():
        return [word] if is_concrete(word) else []
    names = _WORDS.findall(word)
    is_telling = "." in word or any(map(_has_digit, names))
    if not is_telling or len(word) <= _SHORTEST + 1:
        return list(filter(is_concrete, names))
    if "-" in word:
        return [word]
    parts = word.split(".")
    if len(parts) > 2:
        return [word, ".".join(parts[-2:]), *filter(is_concrete, names)]
    return [word, *filter(is_concrete, names)]


def _has_digit(word: str) -> bool:
    return not word.isalpha()


def is_concrete(word: str) -> bool:
    """Whether it is a name or a number rather than a word: it has an underscore, a digit, or
    capitals.
    """
    if len(word) < _SHORTEST:
        return False
    if word.isalpha():
        behind_first = word[1:]
        if word.isupper():
            return len(word) > _SHORTEST
        return not behind_first.islower()
    if word.isdigit():
        return len(word) > _SHORTEST
    if word.isalnum():
        return True
    return "_" in word.strip("_")


def forget_items() -> None:
    _items_of_chunk.clear()
    items_of_line.clear()


def halves(line: str) -> tuple[str, str]:
    """The first and the last part of a line, each a little more than half of its different words."""
    words = line.split()
    enough = len(set(_WORDS.findall(line))) * 0.55 + 1
    last = len(words) - _enough_words(words[::-1], enough)
    return " ".join(words[: _enough_words(words, enough)]), " ".join(words[last:])


def _enough_words(words: Sequence[str], enough: float) -> int:
    """How many of them hold so many different words; all, where they do not."""
    seen: set[str] = set()
    for number, word in enumerate(words, 1):
        seen.update(_WORDS.findall(word))
        if len(seen) >= enough:
            return number
    return len(words)


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
_LITTLE = 20
"""Characters beside its number, with which a line is told without it."""
_MOST_CHARACTERS = 10_000_000
"""So much is remembered."""


class Reading:
    """What one text says: its different lines in order, each with its items, and all items."""

    __slots__ = ("items", "lines")

    def __init__(self, lines: dict[str, Items]) -> None:
        self.lines = lines
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
    """What a tool said."""
    return _readings_of_results.of(text)


def forget() -> None:
    """Everything that was read: the next look is a first one."""
    _readings.clear()
    _readings_of_results.clear()
    forget_items()
    _argument_lines.cache_clear()


def _reading(text: str) -> Reading:
    return Reading(_read_page(text) if REF in text else _read_lines(text))


def _reading_of_result(text: str) -> Reading:
    if CLIENTS in text:
        # What a client puts beside a file says nothing of it.
        text = without_client_words(text)
    return _reading(text)


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
    return argument_lines(block.text) if block.kind == CALL else block.text


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

    long = [value for value in values if "\n" in value]
    joined = " ".join(value for value in values if "\n" not in value)
    return "\n".join([joined, *long] if joined else long)


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
    elif value is not None and not isinstance(value, bool) and key not in WORKED_OUT:
        # A number with its key, where it has one.
        yield f"{key}={value}" if key else str(value)
