"""Everything at once, as much as the target needs.

From old to new: turns at the start stay whole as long as there is room (a provider's cache holds up
to the first change), then come turns that collapse into a digest of the lines most likely to be
needed again, then turns that stay in place with shortened results, and the newest ones whole.
"""

from __future__ import annotations

from director_ctx.history.digest.digest_message import summaries
from director_ctx.history.digest.rank import needed, placed, printed, ranked, worths
from director_ctx.history.digest.scan import Scan
from director_ctx.history.digest.shape import first_shape, larger_shape, placed_size
from director_ctx.history.digest.write import DigestDraft, assembled
from director_ctx.history.messages.message import RESULT, measure, size
from director_ctx.history.messages.turns import open_loop, turns
from director_ctx.history.signals.files import superseded, without_superseded
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.digest.rank import Ranked
    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim


NAMES = 0.4
"""The share of the room that names of what collapsed may take."""
TRIES, MORE = 6, 1.2
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
    shorter = without_superseded(messages, fitting.outdated, fitting.safe_places, target, aim.count)
    return shorter or fitting.fitted()


def last_shown(turns: Sequence[Sequence[Message]], most: int) -> int | None:
    """The turn with what a tool said last, unless that is larger than `most` tokens."""
    for number in reversed(range(len(turns))):
        blocks = [block for message in turns[number] for block in message.blocks]
        results = [block.tokens for block in blocks if block.kind == RESULT]
        if not results:
            continue
        return number if sum(results) <= most else None
    return None


class _Fitting:
    """One conversation on its way to a target. Nothing here changes but the shape, which only
    grows.
    """

    def __init__(self, messages: Sequence[Message], aim: Aim, target: int) -> None:
        self.messages = messages
        self.count = aim.count
        self.target = target
        self.rows = turns(messages)
        self.turns = [[messages[index] for index in row] for row in self.rows]
        self.sizes = [size(turn) for turn in self.turns]

        self.safe_places = protected(messages, aim, self.rows) | summaries(messages)
        self.safe = self._turns_with(self.safe_places)
        self.room = target - sum(self.sizes[turn] for turn in self.safe)
        self.outdated = superseded(messages)
        """The identities of results that were overtaken: their turns are never kept whole."""

        working = self._working()
        self.kept = [placed_size(turn, number in working) for number, turn in enumerate(self.turns)]
        """What each turn takes in place."""
        shown = last_shown(self.turns, aim.config.protect_newest)
        shape = first_shape(self.safe, self.sizes, self.kept, self.room, shown)
        self.shape = shape.replace(stale=self._stale(), working=working)

        blocks = [block for message in messages for block in message.blocks]
        texts = [block for block in blocks if block.text]
        self.letters = max(1, sum(len(block.text) for block in texts))
        self.rate = max(1, sum(block.tokens for block in texts)) / self.letters
        """Tokens of a character."""

    def _turns_with(self, places: set[int]) -> frozenset[int]:
        """The turns that hold any of these messages."""
        return frozenset(turn for turn, row in enumerate(self.rows) if not places.isdisjoint(row))

    def _working(self) -> frozenset[int]:
        loop = open_loop(self.messages)
        return frozenset(number for number, row in enumerate(self.rows) if row.start in loop)

    def _stale(self) -> frozenset[int]:
        stale: set[int] = set()
        for number, turn in enumerate(self.turns):
            identities = {id(block) for message in turn for block in message.blocks}
            if not identities.isdisjoint(self.outdated):
                stale.add(number)
        return frozenset(stale)

    def fitted(self) -> list[Message]:
        self.scan = Scan(self.messages, self.rows, self.outdated)
        drafts = self._drafts()
        names = [name for draft in drafts.values() for name in draft.names]
        letters = self.room / self.rate * MORE
        ranking = ranked(self.scan, self.shape, worths(self.scan), names, letters)

        enough = min(needed(ranking), ENOUGH * self.letters)
        shorter, lines = self._fit(drafts, ranking, enough)
        if shorter == self.messages:
            return shorter
        return self._filled(shorter, lines, ranking)

    def _filled(
        self, shorter: list[Message], lines: dict[int, list[str]], ranking: Ranked
    ) -> list[Message]:
        """With whole turns in the room that is left; where too many were tried, with half as many
        more.
        """
        kept = self.shape
        spare = float(self.target - size(shorter))
        for _ in range(TRIES):
            if spare <= self.room * MUCH:
                break
            self.shape = larger_shape(kept, self.sizes, self._costs(lines), self.room, spare)
            if self.shape == kept:
                if not kept.stale:
                    break
                # Nothing else fits: what is out of date may come back whole, too.
                kept = kept.replace(stale=frozenset())
                continue
            larger, more = self._fit(self._drafts(), ranking, float("inf"))
            if size(shorter) < size(larger) <= self.target:
                shorter, lines, kept = larger, more, self.shape
                spare = float(self.target - size(larger))
            else:
                spare /= 2
        return shorter

    def _fit(
        self, drafts: dict[int, DigestDraft], ranking: Ranked, enough: float
    ) -> tuple[list[Message], dict[int, list[str]]]:
        """With as many lines as fit, and half as many beyond what is enough; where none is too
        many, without any.
        """
        places = placed(self.scan, self.shape, ranking)
        every = max((spent for _, spent, _ in places), default=0)
        letters = self._room_for_lines(drafts)
        beyond = max(0.0, letters - enough) / 2
        most = min(every, enough + beyond)
        letters = min(letters, most)

        best: tuple[list[Message], dict[int, list[str]]] | None = None
        for _ in range(TRIES):
            lines = printed(places, letters)
            shorter = assembled(self.turns, self.shape, drafts, lines, self.count)
            spare: float = self.target - size(shorter)
            if spare >= 0:
                best = shorter, lines
                if spare <= self.room * CLOSE or letters >= most:
                    break
            else:
                spare -= CLOSE * self.room / 2  # a little less than what just fits
            letters = min(letters, most) + spare / self.rate
            if letters <= 0:
                break
        return best or (assembled(self.turns, self.shape, drafts, {}, self.count), {})

    def _room_for_lines(self, drafts: dict[int, DigestDraft]) -> float:
        """Characters that are left beside whole turns, turns in place, and what digests are about."""
        whole = sum(self.sizes[turn] for turn in self.shape.whole)
        in_place = sum(self.kept[turn] for turn in self.shape.placed)
        left = self.target - (whole + in_place)
        return left / self.rate - sum(draft.letters for draft in drafts.values())

    def _drafts(self) -> dict[int, DigestDraft]:
        """A digest for each run of turns that collapses, by the first of them."""
        room = NAMES * self.room / self.rate
        drafts: dict[int, DigestDraft] = {}
        for run in self.shape.runs(len(self.turns)):
            messages = [message for turn in run for message in self.turns[turn]]
            drafts[run[0]] = DigestDraft(messages, room)
        return drafts

    def _costs(self, lines: dict[int, list[str]]) -> list[float]:
        """What each turn takes now, about."""
        costs = [0.0] * len(self.turns)
        for piece in self.scan.pieces:
            own_lines = lines.get(id(piece.block), ())
            costs[piece.turn] += sum(map(len, own_lines)) * self.rate
        return costs
