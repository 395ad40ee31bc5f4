"""Concrete items in a text: paths, names of code, ids, numbers. Plain words of a language are none."""

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
        self[word] = found = tuple(chain.from_iterable(map(_of, JOINED.findall(word))))
        return found


_known = _Items()
"""Shared by all conversations of this process, as most of them are about the same things."""


_seen: dict[str, tuple[str, ...]] = {}
"""Of lines: in front of a model, a conversation is looked at again with everything that is added to
it.
"""


def of_lines(lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The items of each line."""
    known = {line: held for line in lines if (held := _seen.get(line)) is not None}
    item_of, together = _known.__getitem__, chain.from_iterable
    found = {
        line: tuple(together(map(item_of, line.split()))) for line in lines if line not in known
    }
    for line, held in found.items():
        if held and (line[0].isdigit() or REF in line):
            found[line] = tuple(together(map(item_of, _bare(line).split())))
    if len(_seen) + len(found) > _MOST_LINES:
        _seen.clear()
    if len(found) <= _MOST_LINES:
        _seen.update(found)
    return {**known, **found}


def _bare(line: str) -> str:
    """Without its number, and without the marks of what cannot be acted on."""
    if number := _NUMBERED.match(line):
        line = line[number.end() :]
    return (
        _MARKS.sub(" ", line)
        if REF in line and not line.startswith(ACTS) and POINTER not in line
        else line
    )


def items(line: str) -> tuple[str, ...]:
    return of_lines((line,))[line]


def _of(joined: str) -> tuple[str, ...]:
    word = joined if joined.isalnum() else joined.strip("./:=-")
    return _alone(word) if word.isidentifier() or word.isdigit() else _joined(word)


def _alone(word: str) -> tuple[str, ...]:
    return (word,) if _is_concrete(word) else ()


def _joined(word: str) -> tuple[str, ...]:
    """The word as a whole, the file at the end of a path, and the names in it."""
    found = [part for part in _PART.findall(word) if _is_concrete(part)]
    if len(word) > _SHORTEST + 1:
        found.append(word)
        if "/" in word:
            found.append(word.rpartition("/")[2])
    return tuple(dict.fromkeys(found))


def _is_concrete(word: str) -> bool:
    """Whether it is a name or a number rather than a word: it has an underscore, a digit, or
    capitals inside.
    """
    if word.isalpha():
        return not (word.islower() or word[1:].islower()) and len(word) >= _SHORTEST
    return len(word) >= _SHORTEST and (word.isalnum() or "_" in word.strip("_"))


WORKED_OUT = frozenset({"offset", "limit", "head_limit", "timeout"})
"""Arguments that an agent works out each time."""
LONG = 4_000
"""Characters of arguments above which what was worked out is not remembered: it would fill the
memory.
"""
LONGEST, MOST = 400, 20_000
"""Characters of a line that is worth printing whole; of one that is looked at."""
_PARTS = re.compile(r"\S.{40,300}(?:[.;,:!?)](?=\s)|$)|\S.{0,300}")


class Piece:
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
    return [
        part
        for line in lines
        for part in (_PARTS.findall(line[:MOST]) if len(line) > LONGEST else (line,))
    ]


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
        since = max((piece.turn for piece in self.pieces if piece.kind == USER), default=0)
        for piece in reversed(self.pieces):
            if piece.turn < since:
                break
            self.recent.update(piece.items.keys())

    def _take(self, piece: Piece) -> None:
        piece.items = own = dict.fromkeys(
            chain.from_iterable(map(self.lines.__getitem__, piece.lines)), piece.turn
        )
        if piece.kind == CALL:
            self.used.update(own.keys())
            self.last_used.update(own)
        else:
            (self.shown if piece.kind == RESULT else self.said).update(own.keys())
            self.last_seen.update(own)


def _pieces(messages: Sequence[Message], rows: Sequence[range]) -> Iterator[Piece]:
    for turn, row in enumerate(rows):
        for place in row:
            message = messages[place]
            for block in message.blocks:
                if block.text:
                    yield Piece(turn, _kind(message, block), block)


def _kind(message: Message, block: Block) -> str:
    if message.role == SYSTEM:
        return SYSTEM
    return USER if voice_of(message, block) == USER else block.kind


def text_of(block: Block) -> str:
    """The text of a block as lines: of a call the values of its arguments, not their JSON, short
    ones in one line.
    """
    return said(block.text) if block.kind == CALL else block.text


def said(arguments: str) -> str:
    """The arguments of a call as lines."""
    return _said(arguments) if len(arguments) <= LONG else _said.__wrapped__(arguments)


@lru_cache(maxsize=1024)  # A digest is written after its lines were scanned.
def _said(arguments: str) -> str:
    try:
        values = list(_leaves(read_json(arguments)))
    except (ValueError, RecursionError):
        return arguments
    short = " ".join(value for value in values if "\n" not in value)
    return "\n".join([*([short] if short else ()), *(value for value in values if "\n" in value)])


def _leaves(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    elif value is not None and not isinstance(value, bool) and key not in WORKED_OUT:
        yield f"{key}={value}" if key else str(value)
