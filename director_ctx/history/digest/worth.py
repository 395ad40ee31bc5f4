"""What an item is worth: how likely it is to be used again, by a regression over where it was seen
and used.

The weights are fitted by `benchmarks/fit_worth.py`.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import exp, log1p

from director_ctx.history.digest.digest_message import others_words, users_words
from director_ctx.history.digest.read import FIELD, Reading, read, read_result, text_of
from director_ctx.history.messages.message import CALL, RESULT, USER
from director_ctx.history.messages.stubs import is_digest_text, is_summary
from director_ctx.history.signals.voice import voice_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from director_ctx.history.messages.message import Block, Message


KINDS = {
    "address": -0.59,
    "path": 0.05,
    "file": -0.23,
    "dotted": -0.39,
    "flag": 0.19,
    "hyphened": -0.09,
    "number": -0.48,
    "capitals": -0.49,
    "snake": -0.53,
    "camel": -0.49,
    "mixed": 0.39,
}
OF_PAGES = 2.0
"""Of what has to be remembered of a page. Chosen, not fitted: the sessions have no browser."""
SIGNS = {
    "is used": 0.93,
    "used": 0.63,
    "since used": -0.21,
    "is shown": -0.68,
    "shown": 0.59,
    "since shown": 0.09,
    "length of result": -0.00,
    "is said": 1.17,
    "since said": -0.14,
    "digit": -1.38,
    "born in a call": 0.71,
    "turns": -0.26,
}
"""A number is the logarithm of one more than the count; of what never was there is none."""
BASE = -2.66


class SeenBlock:
    """One block of a conversation, with what was read in it."""

    __slots__ = ("block", "is_users", "number", "reading", "turn")

    def __init__(self, number: int, turn: int, block: Block, is_users: bool, text: str) -> None:
        self.number = number
        self.turn = turn
        self.block = block
        self.is_users = is_users
        is_result = block.kind == RESULT and not is_users
        self.reading: Reading = read_result(text) if is_result else read(text)


class SeenItems:
    """Where every item of a conversation was seen, said and used."""

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
        self.turns = len(rows)
        self.blocks: list[SeenBlock] = []
        for turn, row in enumerate(rows):
            for index in row:
                message = messages[index]
                for block in message.blocks:
                    for text, is_users in _texts(message, block):
                        seen = SeenBlock(len(self.blocks), turn, block, is_users, text)
                        self.blocks.append(seen)

        self.used: Counter[str] = Counter()
        self.shown: Counter[str] = Counter()
        """In how many calls and results an item was."""
        self.last_used: dict[str, int] = {}
        self.last_shown: dict[str, int] = {}
        self.last_said: dict[str, int] = {}
        """The number of the block."""
        self.born: dict[str, int] = {}
        """The number of the block in which an item was for the first time."""
        for seen in self.blocks:
            self._note(seen)
        # From the last to the first, so that the first has the last word.
        for seen in reversed(self.blocks):
            self.born.update(dict.fromkeys(seen.reading.items, seen.number))

    def _note(self, seen: SeenBlock) -> None:
        items = seen.reading.items
        last = dict.fromkeys(items, seen.number)
        if seen.block.kind == CALL:
            self.used.update(items.keys())
            self.last_used.update(last)
        elif seen.block.kind == RESULT:
            self.shown.update(items.keys())
            self.last_shown.update(last)
        else:
            self.last_said.update(last)

    def since(self, number: int) -> int:
        """Turns since the block with this number."""
        return self.turns - self.blocks[number].turn


def _texts(message: Message, block: Block) -> Iterator[tuple[str, bool]]:
    """What is read of a block, and whether it is the user's: a digest has words of both."""
    if is_digest_text(block.text) and is_summary(message):
        yield users_words(block.text), True
        yield others_words(block.text), False
    elif block.text:
        yield text_of(block), voice_of(message, block) == USER


def signs(item: str, seen: SeenItems) -> dict[str, float]:
    """What the weights are for; `worths` computes the same without the names."""
    values = dict.fromkeys(SIGNS, 0.0)
    if item in seen.last_used:
        values["is used"] = 1.0
        values["used"] = log1p(seen.used[item])
        values["since used"] = log1p(seen.since(seen.last_used[item]))
    if item in seen.last_shown:
        last = seen.last_shown[item]
        values["is shown"] = 1.0
        values["shown"] = log1p(seen.shown[item])
        values["since shown"] = log1p(seen.since(last))
        values["length of result"] = log1p(len(seen.blocks[last].block.text))
    if item in seen.last_said:
        values["is said"] = 1.0
        values["since said"] = log1p(seen.since(seen.last_said[item]))
    if has_digit(item):
        values["digit"] = 1.0
    if seen.blocks[seen.born[item]].block.kind == CALL:
        values["born in a call"] = 1.0
    values["turns"] = log1p(seen.turns)
    return values


def worth(item: str, signs: Mapping[str, float]) -> float:
    """Of one item, by its signs."""
    by_kind = OF_PAGES if item.startswith(FIELD) else KINDS[kind(item)]
    total = BASE + by_kind
    for name, value in signs.items():
        total += SIGNS[name] * value
    return 1 / (1 + exp(-total))


def worths(seen: SeenItems) -> dict[str, float]:
    """The worth of every item: the same as by its signs, without naming each of them."""
    # There are many thousands of items: what depends on a block is worked out once for each block.
    by_use: list[float] = []
    by_show: list[float] = []
    by_saying: list[float] = []
    by_birth: list[float] = []
    for seen_block in seen.blocks:
        since = log1p(seen.turns - seen_block.turn)
        length = log1p(len(seen_block.block.text))
        by_use.append(SIGNS["is used"] + SIGNS["since used"] * since)
        by_length = SIGNS["length of result"] * length
        by_show.append(SIGNS["is shown"] + SIGNS["since shown"] * since + by_length)
        by_saying.append(SIGNS["is said"] + SIGNS["since said"] * since)
        by_birth.append(SIGNS["born in a call"] if seen_block.block.kind == CALL else 0.0)

    often = range(len(seen.blocks) + 1)
    by_uses = [SIGNS["used"] * log1p(times) for times in often]
    by_shows = [SIGNS["shown"] * log1p(times) for times in often]
    start = BASE + SIGNS["turns"] * log1p(seen.turns)
    last_used = seen.last_used
    last_shown = seen.last_shown
    last_said = seen.last_said
    worth_of: dict[str, float] = {}
    for item, born in seen.born.items():
        total = start + by_form(item) + by_birth[born]
        if item in last_used:
            total += by_use[last_used[item]] + by_uses[seen.used[item]]
        if item in last_shown:
            total += by_show[last_shown[item]] + by_shows[seen.shown[item]]
        if item in last_said:
            total += by_saying[last_said[item]]
        worth_of[item] = 1 / (1 + exp(-total))
    return worth_of


@lru_cache(maxsize=65_536)  # The same names stand in many conversations.
def by_form(item: str) -> float:
    """What the looks of an item are worth."""
    if item.startswith(FIELD):
        return OF_PAGES
    if has_digit(item):
        return KINDS[kind(item)] + SIGNS["digit"]
    return KINDS[kind(item)]


def has_digit(item: str) -> bool:
    return not item.isalpha() and any(map(str.isdigit, item))


def kind(item: str) -> str:
    if "://" in item:
        return "address"
    if "=" in item or ":" in item:
        return "number"
    if "/" in item:
        return "path"
    if item.startswith("--"):
        return "flag"
    if "." in item:
        return "file" if _is_file(item) else "dotted"
    if "-" in item:
        return "hyphened"
    if item.isdigit():
        return "number"
    if item.isupper():
        return "capitals"
    if "_" in item:
        return "snake"
    if item.isalpha():
        return "camel"
    return "mixed"


def _is_file(item: str) -> bool:
    """Whether the end looks like the ending of a file rather than a name in a module."""
    _, _, ending = item.rpartition(".")
    return item.count(".") == 1 and len(ending) <= 4 and ending.islower()
