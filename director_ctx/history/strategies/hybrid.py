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
    target = aim.target
    if target is None:
        target = int(aim.config.target_tokens)
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
        blocks = _blocks(turns[number])
        sizes = [block.tokens for block in blocks if block.kind == RESULT]
        if not sizes:
            continue
        if sum(sizes) <= most:
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

    def __init__(self, messages: Sequence[Message], aim: Aim, target: int) -> None:
        self.messages = messages
        self.count = aim.count
        self.target = target
        self.rows = turns(messages)
        self.turns = [messages[row.start : row.stop] for row in self.rows]
        self.sizes = list(map(size, self.turns))

        self.safe_places = protected(messages, aim, self.rows) | summaries(messages)
        safe = self._turns_with(self.safe_places)
        self.room = target - sum(self.sizes[turn] for turn in safe)
        """Tokens for everything that is not protected."""
        self.outdated = superseded(messages)
        """The identities of results that were overtaken: their turns are never kept whole."""

        working = self._working()
        self.in_place_sizes: list[int] = []
        """What each turn takes in place."""
        for number, turn in enumerate(self.turns):
            thinks = number in working
            self.in_place_sizes.append(placed_size(turn, thinks))

        shown = last_shown(self.turns, aim.config.protect_newest)
        shape = first_shape(safe, self.sizes, self.in_place_sizes, self.room, shown)
        self.shape = shape.replace(stale=self._stale(), working=working)
        self._weigh_characters()

    def _weigh_characters(self) -> None:
        letters = tokens = 0
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
        ranking = rank_lines(self.scan, self.shape, worths(self.scan), names, letters)

        enough = min(needed_characters(ranking), ENOUGH * self.letters)
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
            self.shape = larger_shape(best_shape, self.sizes, costs, self.room, spare)
            if self.shape == best_shape:
                if not best_shape.stale:
                    break
                # Nothing else fits: what is out of date may come back whole, too.
                best_shape = best_shape.replace(stale=frozenset())
                continue

            larger = self._with_lines(self._drafts(), ranking, float("inf"))
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
        places = place_lines(self.scan, self.shape, ranking)
        every_line = max((spent for _, spent, _ in places), default=0)
        letters = self._room_for_lines(drafts)
        beyond = max(0.0, letters - enough) / 2
        most = min(every_line, enough + beyond)
        letters = min(letters, most)

        best: _Fitted | None = None
        for _ in range(TRIES):
            lines = printed_lines(places, letters)
            fitted = self._assembled(drafts, lines)
            spare: float = self.target - size(fitted.messages)
            if spare >= 0:
                best = fitted
                is_close = spare <= self.room * CLOSE
                if is_close or letters >= most:
                    break
            else:
                # A little less than what would just fit.
                spare -= CLOSE * self.room / 2
            letters = min(letters, most) + spare / self.rate
            if letters <= 0:
                break
        return best or self._assembled(drafts, {})

    def _assembled(
        self,
        drafts: dict[int, DigestDraft],
        lines: Mapping[int, Sequence[str]],
    ) -> _Fitted:
        messages = assembled(self.turns, self.shape, drafts, lines, self.count)
        return _Fitted(messages, lines)

    def _room_for_lines(self, drafts: dict[int, DigestDraft]) -> float:
        """Characters that are left beside whole turns, turns in place, and what digests are about."""
        left = self.target
        for turn in self.shape.whole:
            left -= self.sizes[turn]
        for turn in self.shape.placed:
            left -= self.in_place_sizes[turn]
        letters = left / self.rate
        return letters - sum(draft.letters for draft in drafts.values())

    def _drafts(self) -> dict[int, DigestDraft]:
        """A digest for each run of turns that collapses, by the first of them."""
        room = NAMES * self.room / self.rate
        drafts: dict[int, DigestDraft] = {}
        for run in self.shape.runs(len(self.turns)):
            messages: list[Message] = []
            for turn in run:
                messages += self.turns[turn]
            drafts[run[0]] = DigestDraft(messages, room)
        return drafts

    def _costs(self, lines: Mapping[int, Sequence[str]]) -> list[float]:
        """What each turn takes now, about."""
        costs = [0.0] * len(self.turns)
        for piece in self.scan.pieces:
            own_lines = lines.get(id(piece.block), ())
            characters = sum(map(len, own_lines))
            costs[piece.turn] += characters * self.rate
        return costs
