"""One pass over a conversation: every line once, and of every concrete item in it where it was seen
and used.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain

from director_ctx.history.digest.voice import voice_of
from director_ctx.history.formats.parts import read_json
from director_ctx.history.messages.message import CALL, RESULT, SYSTEM, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Block, Message

    Items = tuple[str, ...]
    """The concrete items of a word or a line: names, paths, numbers."""


JOINED = re.compile(r"[a-z]*+[A-Z\d_./:=-][\w./:=-]++")
"""A word with everything that is joined to it: a path, a dotted name, a number with its key. No
plain words.
"""
REF, POINTER = "[ref=", "[cursor=pointer]"
_ROLES = "link button textbox searchbox combobox checkbox radio switch slider spinbutton option menuitem tab"
ACTS = tuple(f"- {role} " for role in _ROLES.split())
"""Elements of a page that an agent acts on; it has no use for the marks of others."""
_MARKS = re.compile(r"\[[a-z]+=[^\]]*\]")
_NUMBERED = re.compile(r"\d+(?:→|\t|[:-](?!\d))\s*")
"""What stands before a line of a file that was printed with its number."""
_PART = re.compile(r"\w+")
_SHORTEST = 3
_MOST_WORDS, _MOST_LINES = 100_000, 50_000
"""So many are remembered."""


class _ItemsOfWords(dict[str, tuple[str, ...]]):
    """The items of what stands between two spaces, worked out once."""

    def __missing__(self, word: str) -> Items:
        if len(self) > _MOST_WORDS:
            self.clear()
        joined = JOINED.findall(word)
        items_of_parts = map(_items_of_joined, joined)
        items = tuple(chain.from_iterable(items_of_parts))
        self[word] = items
        return items


_items_of_word = _ItemsOfWords()
"""Shared by all conversations of this process, as most of them are about the same things."""


_items_of_line: dict[str, Items] = {}
"""In front of a model, a conversation is looked at again with everything that is added to it."""


def items_of_lines(lines: Iterable[str]) -> dict[str, Items]:
    """The items of each line."""
    items_of: dict[str, Items] = {}
    new: dict[str, Items] = {}
    for line in lines:
        known = _items_of_line.get(line)
        if known is None:
            new[line] = _items_of_words(line)
        else:
            items_of[line] = known

    for line, items in new.items():
        has_number = line[:1].isdigit()
        is_dressed = has_number or REF in line
        if items and is_dressed:
            undressed = _undressed(line)
            new[line] = _items_of_words(undressed)

    # Cleared rather than trimmed: what is needed again comes back with the next look.
    if len(_items_of_line) + len(new) > _MOST_LINES:
        _items_of_line.clear()
    if len(new) <= _MOST_LINES:
        _items_of_line.update(new)
    items_of.update(new)
    return items_of


def _items_of_words(line: str) -> Items:
    # Maps, because every new line of a conversation comes by here.
    items = map(_items_of_word.__getitem__, line.split())
    return tuple(chain.from_iterable(items))


def _undressed(line: str) -> str:
    """Without its number, and without the marks of what cannot be acted on."""
    number = _NUMBERED.match(line)
    if number:
        line = line[number.end() :]
    if REF not in line:
        return line
    can_be_acted_on = line.startswith(ACTS) or POINTER in line
    if can_be_acted_on:
        return line
    return _MARKS.sub(" ", line)


def items(line: str) -> Items:
    return items_of_lines((line,))[line]


def _items_of_joined(joined: str) -> Items:
    word = joined
    if not joined.isalnum():
        word = joined.strip("./:=-")
    is_single = word.isidentifier() or word.isdigit()
    if not is_single:
        return _parts_and_whole(word)
    if _is_concrete(word):
        return (word,)
    return ()


def _parts_and_whole(word: str) -> Items:
    """The word as a whole, the file at the end of a path, and the names in it."""
    parts = _PART.findall(word)
    names = list(filter(_is_concrete, parts))
    if len(word) > _SHORTEST + 1:
        names.append(word)
        if "/" in word:
            names.append(word.rpartition("/")[2])
    return tuple(dict.fromkeys(names))


def _is_concrete(word: str) -> bool:
    """Whether it is a name or a number rather than a word: it has an underscore, a digit, or
    capitals inside.
    """
    if len(word) < _SHORTEST:
        return False
    if word.isalpha():
        behind_first = word[1:]
        is_plain = word.islower() or behind_first.islower()
        return not is_plain
    if word.isalnum():
        return True
    return "_" in word.strip("_")


WORKED_OUT = frozenset({"offset", "limit", "head_limit", "timeout"})
"""Arguments that an agent works out each time."""
LONG = 4_000
"""Characters of arguments above which what was worked out is not remembered: it would fill the
memory.
"""
LONGEST, MOST = 400, 20_000
"""Characters of a line that is worth printing whole; of one that is looked at."""
_SENTENCES = re.compile(r"\S.{40,300}(?:[.;,:!?)](?=\s)|$)|\S.{0,300}")


class ScannedBlock:
    """One block as the scan sees it."""

    __slots__ = ("block", "items", "kind", "lines", "turn")

    def __init__(self, turn: int, kind: str, block: Block) -> None:
        self.turn = turn
        self.kind = kind
        self.block = block
        self.lines = lines_of(text_of(block))
        self.items: dict[str, int] = {}
        """Those in its lines, each with the turn."""


def lines_of(text: str) -> list[str]:
    """Its lines; long ones by sentences, so that a part of them can stay."""
    lines = list(map(str.strip, text.split("\n")))
    longest = max(map(len, lines))
    if longest <= LONGEST:
        return lines

    parts: list[str] = []
    for line in lines:
        if len(line) > LONGEST:
            parts += _SENTENCES.findall(line[:MOST])
        else:
            parts.append(line)
    return parts


class Scan:
    """What a conversation holds."""

    __slots__ = (
        "first", "last_seen", "last_used", "lines", "outdated", "pieces", "recent", "said", "shown",
        "turns", "used",
    )  # fmt: skip

    def __init__(
        self,
        messages: Sequence[Message],
        rows: Sequence[range],
        outdated: Collection[int] = (),
    ) -> None:
        self.outdated = outdated
        """The identities of results of which nothing is worth printing: another result of the same
        words may still hold.
        """
        self.pieces = list(_pieces(messages, rows))
        every_line: set[str] = set()
        for piece in self.pieces:
            every_line.update(piece.lines)
        self.lines = items_of_lines(every_line)
        """The items of each line."""
        self.used: Counter[str] = Counter()
        self.shown: Counter[str] = Counter()
        self.said: Counter[str] = Counter()
        """In how many calls, results and texts an item was."""
        self.last_used: dict[str, int] = {}
        self.last_seen: dict[str, int] = {}
        """In which turn; a use is no seeing."""
        self.first: dict[str, int] = {}
        """In which turn an item was there for the first time."""
        self.recent: Counter[str] = Counter()
        """In how many pieces an item was since the user said something last."""
        self.turns = len(rows)
        for piece in self.pieces:
            self._note_items(piece)
        # From the last to the first, so that the first has the last word.
        for piece in reversed(self.pieces):
            self.first.update(piece.items)
        self._note_recent()

    def _note_recent(self) -> None:
        users_turn = 0
        for piece in self.pieces:
            if piece.kind == USER:
                users_turn = piece.turn
        for piece in reversed(self.pieces):
            if piece.turn < users_turn:
                break
            self.recent.update(piece.items.keys())

    def _note_items(self, piece: ScannedBlock) -> None:
        items_of_lines = map(self.lines.__getitem__, piece.lines)
        items = chain.from_iterable(items_of_lines)
        piece.items = dict.fromkeys(items, piece.turn)
        names = piece.items.keys()
        if piece.kind == CALL:
            self.used.update(names)
            self.last_used.update(piece.items)
            return
        if piece.kind == RESULT:
            self.shown.update(names)
        else:
            self.said.update(names)
        self.last_seen.update(piece.items)


def _pieces(messages: Sequence[Message], rows: Sequence[range]) -> Iterator[ScannedBlock]:
    for turn, row in enumerate(rows):
        for index in row:
            message = messages[index]
            for block in message.blocks:
                if block.text:
                    kind = _kind_or_voice(message, block)
                    yield ScannedBlock(turn, kind, block)


def _kind_or_voice(message: Message, block: Block) -> str:
    if message.role == SYSTEM:
        return SYSTEM
    if voice_of(message, block) == USER:
        return USER
    return block.kind


def text_of(block: Block) -> str:
    """The text of a block as lines: of a call the values of its arguments, not their JSON, short
    ones in one line.
    """
    if block.kind == CALL:
        return argument_lines(block.text)
    return block.text


def argument_lines(arguments: str) -> str:
    """The arguments of a call as lines."""
    if len(arguments) <= LONG:
        return _argument_lines(arguments)
    return _argument_lines.__wrapped__(arguments)


@lru_cache(maxsize=1024)  # A digest is written after its lines were scanned.
def _argument_lines(arguments: str) -> str:
    try:
        values = list(_leaves(read_json(arguments)))
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


def _leaves(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
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
