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
_SHORTEST, _MOST, _MOST_LINES = 3, 100_000, 50_000


class _Items(dict[str, tuple[str, ...]]):
    """The items of what stands between two spaces, worked out once."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) > _MOST:
            self.clear()
        joined = JOINED.findall(word)
        items = tuple(chain.from_iterable(map(_of, joined)))
        self[word] = items
        return items


_known = _Items()
"""Shared by all conversations of this process, as most of them are about the same things."""


_seen: dict[str, tuple[str, ...]] = {}
"""Of lines: in front of a model, a conversation is looked at again with everything that is added to
it.
"""


def of_lines(lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The items of each line."""
    # Comprehensions and maps, because every line of a conversation comes by here.
    known = {line: items for line in lines if (items := _seen.get(line)) is not None}
    item_of, together = _known.__getitem__, chain.from_iterable
    new = {line: tuple(together(map(item_of, line.split()))) for line in lines if line not in known}

    for line, items in new.items():
        is_dressed = line[:1].isdigit() or REF in line
        if items and is_dressed:
            words = _bare(line).split()
            new[line] = tuple(together(map(item_of, words)))

    if len(_seen) + len(new) > _MOST_LINES:
        _seen.clear()
    if len(new) <= _MOST_LINES:
        _seen.update(new)
    return {**known, **new}


def _bare(line: str) -> str:
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


def items(line: str) -> tuple[str, ...]:
    return of_lines((line,))[line]


def _of(joined: str) -> tuple[str, ...]:
    word = joined
    if not joined.isalnum():
        word = joined.strip("./:=-")
    if word.isidentifier() or word.isdigit():
        return _alone(word)
    return _joined(word)


def _alone(word: str) -> tuple[str, ...]:
    if _is_concrete(word):
        return (word,)
    return ()


def _joined(word: str) -> tuple[str, ...]:
    """The word as a whole, the file at the end of a path, and the names in it."""
    names = list(filter(_is_concrete, _PART.findall(word)))
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
        is_plain = word.islower() or word[1:].islower()
        return not is_plain
    return word.isalnum() or "_" in word.strip("_")


WORKED_OUT = frozenset({"offset", "limit", "head_limit", "timeout"})
"""Arguments that an agent works out each time."""
LONG = 4_000
"""Characters of arguments above which what was worked out is not remembered: it would fill the
memory.
"""
LONGEST, MOST = 400, 20_000
"""Characters of a line that is worth printing whole; of one that is looked at."""
_PARTS = re.compile(r"\S.{40,300}(?:[.;,:!?)](?=\s)|$)|\S.{0,300}")


class ScannedBlock:
    """One block as the scan sees it."""

    __slots__ = ("block", "items", "kind", "lines", "turn")

    def __init__(self, turn: int, kind: str, block: Block) -> None:
        self.turn, self.kind, self.block = turn, kind, block
        self.lines = lines_of(text_of(block))
        self.items: dict[str, int] = {}
        """Those in its lines, each with the turn."""


def lines_of(text: str) -> list[str]:
    """Its lines; long ones by sentences, so that a part of them can stay."""
    lines = list(map(str.strip, text.split("\n")))
    if max(map(len, lines)) <= LONGEST:
        return lines

    parts: list[str] = []
    for line in lines:
        if len(line) > LONGEST:
            parts += _PARTS.findall(line[:MOST])
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
        self, messages: Sequence[Message], rows: Sequence[range], outdated: Collection[int] = ()
    ) -> None:
        self.outdated = outdated
        """The identities of results of which nothing is worth printing."""
        self.pieces = list(_pieces(messages, rows))
        self.lines = of_lines(set(chain.from_iterable(piece.lines for piece in self.pieces)))
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
            self._take(piece)
        for piece in reversed(self.pieces):
            self.first.update(piece.items)
        self._since_then()

    def _since_then(self) -> None:
        users_turns = [piece.turn for piece in self.pieces if piece.kind == USER]
        since = max(users_turns, default=0)
        for piece in reversed(self.pieces):
            if piece.turn < since:
                break
            self.recent.update(piece.items.keys())

    def _take(self, piece: ScannedBlock) -> None:
        items = chain.from_iterable(map(self.lines.__getitem__, piece.lines))
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
                    yield ScannedBlock(turn, _kind(message, block), block)


def _kind(message: Message, block: Block) -> str:
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
        return said(block.text)
    return block.text


def said(arguments: str) -> str:
    """The arguments of a call as lines."""
    if len(arguments) <= LONG:
        return _said(arguments)
    return _said.__wrapped__(arguments)


@lru_cache(maxsize=1024)  # A digest is written after its lines were scanned.
def _said(arguments: str) -> str:
    try:
        values = list(_leaves(read_json(arguments)))
    except (ValueError, RecursionError):
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
    elif value is None or isinstance(value, bool) or key in WORKED_OUT:
        return
    elif key:
        yield f"{key}={value}"
    else:
        yield str(value)
