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
from director_ctx.history.digest.write import Draft, assembled
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
    target = int(aim.config.target_tokens) if aim.target is None else aim.target
    if measure(messages, aim.count) <= target:
        return list(messages)
    fitting = _Fitting(messages, aim, target)
    made = without_superseded(messages, fitting.outdated, fitting.safe_places, target, aim.count)
    return made or fitting.fitted()


def last_shown(turns: Sequence[Sequence[Message]], most: int) -> int | None:
    """The turn with what a tool said last, unless that is larger than `most` tokens."""
    for number in range(len(turns) - 1, -1, -1):
        results = [
            block.tokens for one in turns[number] for block in one.blocks if block.kind == RESULT
        ]
        if results:
            return number if sum(results) <= most else None
    return None


class _Fitting:
    """One conversation on its way to a target. Nothing here changes but the shape, which only
    grows.
    """

    def __init__(self, messages: Sequence[Message], aim: Aim, target: int) -> None:
        self.messages, self.count, self.target = messages, aim.count, target
        self.rows = rows = turns(messages)
        self.turns = [[messages[place] for place in row] for row in rows]
        self.safe_places = safe = protected(messages, aim, rows) | summaries(messages)
        self.outdated = superseded(messages)
        """The identities of results that were overtaken: their turns are never kept whole."""
        self.safe = frozenset(
            turn for turn, row in enumerate(rows) if any(place in safe for place in row)
        )
        self.sizes = [size(turn) for turn in self.turns]
        self.room = target - sum(self.sizes[turn] for turn in self.safe)
        working = self._working()
        self.kept = [placed_size(turn, number in working) for number, turn in enumerate(self.turns)]
        shown = last_shown(self.turns, aim.config.protect_newest)
        shape = first_shape(self.safe, self.sizes, self.kept, self.room, shown)
        self.shape = shape.replace(stale=self._stale(), working=working)
        texts = [block for message in messages for block in message.blocks if block.text]
        self.letters = max(1, sum(len(one.text) for one in texts))
        self.rate = max(1, sum(one.tokens for one in texts)) / self.letters
        """Tokens of a character."""

    def _working(self) -> frozenset[int]:
        loop = open_loop(self.messages)
        return frozenset(number for number, row in enumerate(self.rows) if row.start in loop)

    def _stale(self) -> frozenset[int]:
        return frozenset(
            number
            for number, turn in enumerate(self.turns)
            if any(id(block) in self.outdated for one in turn for block in one.blocks)
        )

    def fitted(self) -> list[Message]:
        self.scan = Scan(self.messages, self.rows, self.outdated)
        drafts = self._drafts()
        names = [name for draft in drafts.values() for name in draft.names]
        found = ranked(
            self.scan, self.shape, worths(self.scan), names, self.room / self.rate * MORE
        )
        made, lines = self._fit(drafts, found, min(needed(found), ENOUGH * self.letters))
        return made if made == self.messages else self._filled(made, lines, found)

    def _filled(
        self, made: list[Message], lines: dict[int, list[str]], found: Ranked
    ) -> list[Message]:
        """With whole turns in the room that is left; where too many were tried, with half as many
        more.
        """
        kept, spare = self.shape, float(self.target - size(made))
        for _ in range(TRIES):
            if spare <= self.room * MUCH:
                break
            self.shape = larger_shape(kept, self.sizes, self._costs(lines), self.room, spare)
            if self.shape == kept:
                if not kept.stale:
                    break
                kept = kept.replace(stale=frozenset())
                continue
            larger, more = self._fit(self._drafts(), found, float("inf"))
            if size(made) < size(larger) <= self.target:
                made, lines, kept, spare = (
                    larger,
                    more,
                    self.shape,
                    float(self.target - size(larger)),
                )
            else:
                spare /= 2
        return made

    def _fit(
        self, drafts: dict[int, Draft], found: Ranked, enough: float
    ) -> tuple[list[Message], dict[int, list[str]]]:
        """With as many lines as fit, and half as many beyond what is enough; where none is too
        many, without any.
        """
        places = placed(self.scan, self.shape, found)
        letters, every = (
            self._room_for_lines(drafts),
            max((spent for _, spent, _ in places), default=0),
        )
        most = min(every, enough + max(0.0, letters - enough) / 2)
        letters = min(letters, most)
        best: tuple[list[Message], dict[int, list[str]]] | None = None
        for _ in range(TRIES):
            lines = printed(places, letters)
            made = assembled(self.turns, self.shape, drafts, lines, self.count)
            spare = self.target - size(made)
            if spare >= 0:
                best = made, lines
                if spare <= self.room * CLOSE or letters >= most:
                    break
            letters = min(letters, most) + (spare - (spare < 0) * CLOSE * self.room / 2) / self.rate
            if letters <= 0:
                break
        return best or (assembled(self.turns, self.shape, drafts, {}, self.count), {})

    def _room_for_lines(self, drafts: dict[int, Draft]) -> float:
        spent = sum(self.sizes[turn] for turn in self.shape.whole) + sum(
            self.kept[turn] for turn in self.shape.placed
        )
        return (self.target - spent) / self.rate - sum(draft.letters for draft in drafts.values())

    def _drafts(self) -> dict[int, Draft]:
        runs = self.shape.runs(len(self.turns))
        room = NAMES * self.room / self.rate
        return {
            run[0]: Draft([one for turn in run for one in self.turns[turn]], room) for run in runs
        }

    def _costs(self, lines: dict[int, list[str]]) -> list[float]:
        """What each turn takes now, about."""
        costs = [0.0] * len(self.turns)
        for piece in self.scan.pieces:
            costs[piece.turn] += sum(map(len, lines.get(id(piece.block), ()))) * self.rate
        return costs
