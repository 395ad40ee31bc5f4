"""Everything at once, as much as the target needs.

From old to new: turns at the start stay whole as long as there is room (a provider's cache holds up
to the first change), then come turns that collapse into a digest of the lines most likely to be
needed again, then turns that stay in place with shortened results, and the newest ones whole.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.digest.digest_message import summaries
from director_ctx.history.digest.rank import (
    needed_characters,
    place_lines,
    printed_lines,
    rank_lines,
)
from director_ctx.history.digest.scan import Scan
from director_ctx.history.digest.shape import first_shape, larger_shape, placed_size
from director_ctx.history.digest.worth import worths
from director_ctx.history.digest.write import DigestDraft, assembled
from director_ctx.history.messages.message import RESULT, measure, size
from director_ctx.history.messages.target import target_of
from director_ctx.history.messages.turns import open_loop, turns
from director_ctx.history.signals.superseded import stub_superseded, superseded
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.history.digest.cover import RankedLine
    from director_ctx.history.messages.message import Block, Message
    from director_ctx.history.messages.target import Aim


NAMES = 0.4
"""The share of the room that names of what collapsed may take."""
TRIES = 6
"""So often a size is guessed, before the best guess is taken."""
MORE = 1.2
"""Of the room in characters: lines are ranked up to there."""
ENOUGH = 0.35
"""The share of all letters above which whole turns at the start are a better use of room than more
lines.
"""
CLOSE, MUCH = 0.02, 0.05
"""Shares of the room: near enough to the target; worth filling with whole turns."""


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    target = target_of(aim)
    if measure(messages, aim.count) <= target:
        return list(messages)

    fitting = _Fitting(messages, aim, target)
    # What was overtaken says nothing any more: it goes first, and alone where that is enough.
    shorter = stub_superseded(
        messages,
        fitting.outdated,
        fitting.safe_places,
        target,
        aim.count,
    )
    return shorter or fitting.fitted()


def last_shown(turns: Sequence[Sequence[Message]], most: int) -> int | None:
    """The turn with what a tool said last, unless that is larger than `most` tokens."""
    for number in reversed(range(len(turns))):
        results = 0
        tokens = 0
        for block in _blocks(turns[number]):
            if block.kind == RESULT:
                results += 1
                tokens += block.tokens
        if not results:
            continue
        if tokens <= most:
            return number
        return None
    return None


def _blocks(messages: Sequence[Message]) -> list[Block]:
    blocks: list[Block] = []
    for message in messages:
        blocks += message.blocks
    return blocks


class _Fitted(Record):
    """A shorter conversation, and the lines that are printed in it, by the identity of their block."""

    messages: list[Message]
    lines: Mapping[int, Sequence[str]]


class _Fitting:
    """One conversation on its way to a target. Nothing here changes but the shape, which only
    grows.
    """

    def __init__(
        self,
        messages: Sequence[Message],
        aim: Aim,
        target: int,
    ) -> None:
        self.messages = messages
        self.count = aim.count
        self.target = target
        self.rows = turns(messages)
        self.turns: list[Sequence[Message]] = []
        self.sizes: list[int] = []
        for row in self.rows:
            turn = messages[row.start : row.stop]
            self.turns.append(turn)
            self.sizes.append(size(turn))

        self.safe_places = protected(messages, aim, self.rows)
        self.safe_places |= summaries(messages)
        self.outdated = superseded(messages)
        """The identities of results that were overtaken: their turns are never kept whole."""
        self._weigh_characters()
        self._take_first_shape(aim.config.protect_newest)

    def _take_first_shape(self, protect_newest: int) -> None:
        safe = self._turns_with(self.safe_places)
        stale = self._stale()
        working = self._working()
        shown = last_shown(self.turns, protect_newest)
        self.room = self.target
        """Tokens for everything that is not protected."""
        for turn in safe:
            self.room -= self.sizes[turn]

        self.in_place_sizes: list[int] = []
        """What each turn takes in place."""
        for number, turn_messages in enumerate(self.turns):
            thinks = number in working
            self.in_place_sizes.append(placed_size(turn_messages, thinks))

        shape = first_shape(
            safe,
            self.sizes,
            self.in_place_sizes,
            self.room,
            shown,
        )
        self.shape = shape.replace(stale=stale, working=working)

    def _weigh_characters(self) -> None:
        letters = 0
        tokens = 0
        for block in _blocks(self.messages):
            # What has no text, such as an image, has tokens that no line stands for.
            if block.text:
                letters += len(block.text)
                tokens += block.tokens
        self.letters = max(1, letters)
        self.rate = max(1, tokens) / self.letters
        """Tokens of a character."""

    def _turns_with(self, places: set[int]) -> frozenset[int]:
        """The turns that hold any of these messages."""
        turns: set[int] = set()
        for number, row in enumerate(self.rows):
            if not places.isdisjoint(row):
                turns.add(number)
        return frozenset(turns)

    def _working(self) -> frozenset[int]:
        """The turns of the answer that the model is still at."""
        loop = open_loop(self.messages)
        working: set[int] = set()
        for number, row in enumerate(self.rows):
            if row.start in loop:
                working.add(number)
        return frozenset(working)

    def _stale(self) -> frozenset[int]:
        """The turns that hold something that was overtaken."""
        stale: set[int] = set()
        for number, turn in enumerate(self.turns):
            for block in _blocks(turn):
                if id(block) in self.outdated:
                    stale.add(number)
        return frozenset(stale)

    def fitted(self) -> list[Message]:
        self.scan = Scan(self.messages, self.rows, self.outdated)
        drafts = self._drafts()
        names: list[str] = []
        for draft in drafts.values():
            names += draft.names
        letters = self.room / self.rate * MORE
        worth_of = worths(self.scan)
        ranking = rank_lines(self.scan, self.shape, worth_of, names, letters)

        needed = needed_characters(ranking)
        enough = min(needed, ENOUGH * self.letters)
        fitted = self._with_lines(drafts, ranking, enough)
        if fitted.messages == self.messages:
            return fitted.messages
        return self._filled(fitted, ranking)

    def _filled(self, fitted: _Fitted, ranking: Sequence[RankedLine]) -> list[Message]:
        """With whole turns in the room that is left; where too many were tried, with half as many
        more.
        """
        best_shape = self.shape
        best_size = size(fitted.messages)
        spare = float(self.target - best_size)
        for _ in range(TRIES):
            if spare <= self.room * MUCH:
                break
            costs = self._costs(fitted.lines)
            self.shape = larger_shape(
                best_shape,
                self.sizes,
                costs,
                self.room,
                spare,
            )
            if self.shape == best_shape:
                if not best_shape.stale:
                    break
                # Nothing else fits: what is out of date may come back whole, too.
                best_shape = best_shape.replace(stale=frozenset())
                continue

            drafts = self._drafts()
            larger = self._with_lines(drafts, ranking, float("inf"))
            larger_size = size(larger.messages)
            if best_size < larger_size <= self.target:
                fitted = larger
                best_shape = self.shape
                best_size = larger_size
                spare = float(self.target - best_size)
            else:
                spare /= 2
        return fitted.messages

    def _with_lines(
        self,
        drafts: dict[int, DigestDraft],
        ranking: Sequence[RankedLine],
        enough: float,
    ) -> _Fitted:
        """With as many lines as fit, and half as many beyond what is enough; where none is too
        many, without any.
        """
        letters = self._room_for_lines(drafts)
        places = place_lines(self.scan, self.shape, ranking)
        every_line = 0
        for _, spent, _ in places:
            every_line = max(every_line, spent)
        beyond = max(0.0, letters - enough) / 2
        most = min(every_line, enough + beyond)
        letters = min(letters, most)

        best: _Fitted | None = None
        for _ in range(TRIES):
            lines = printed_lines(places, letters)
            messages = assembled(self.turns, self.shape, drafts, lines, self.count)
            spare: float = self.target - size(messages)
            if spare >= 0:
                best = _Fitted(messages, lines)
                is_close = spare <= self.room * CLOSE
                if is_close or letters >= most:
                    break
            else:
                # A little less than what would just fit.
                spare -= CLOSE * self.room / 2
            letters = min(letters, most) + spare / self.rate
            if letters <= 0:
                break
        if best:
            return best
        messages = assembled(self.turns, self.shape, drafts, {}, self.count)
        return _Fitted(messages, {})

    def _room_for_lines(self, drafts: dict[int, DigestDraft]) -> float:
        """Characters that are left beside whole turns, turns in place, and what digests are about."""
        left = self.target
        for turn in self.shape.whole:
            left -= self.sizes[turn]
        for turn in self.shape.placed:
            left -= self.in_place_sizes[turn]
        taken = 0
        for draft in drafts.values():
            taken += draft.letters
        return left / self.rate - taken

    def _drafts(self) -> dict[int, DigestDraft]:
        """A digest for each run of turns that collapses, by the first of them."""
        room = NAMES * self.room / self.rate
        drafts: dict[int, DigestDraft] = {}
        turns = len(self.turns)
        for run in self.shape.runs(turns):
            messages: list[Message] = []
            for turn in run:
                messages += self.turns[turn]
            first = run[0]
            drafts[first] = DigestDraft(messages, room)
        return drafts

    def _costs(self, lines: Mapping[int, Sequence[str]]) -> list[float]:
        """What each turn takes now, about."""
        costs = [0.0] * len(self.turns)
        for piece in self.scan.pieces:
            own_lines = lines.get(id(piece.block), ())
            characters = sum(map(len, own_lines))
            costs[piece.turn] += characters * self.rate
        return costs
