"""Everything at once, as much as the target needs.

What was overtaken goes first. Then all turns collapse into one digest, but for what is protected and
the newest ones: a hand-over, and the lines most likely to be needed again. Where there is room for more
than such lines, turns at the start stay whole, as a provider's cache holds up to the first change.
"""

from __future__ import annotations

from math import ceil

from director_ctx.base.record import Record
from director_ctx.history.digest.choose import Placed, printed, ranked_lines
from director_ctx.history.digest.digest_message import is_digest, summaries
from director_ctx.history.digest.read import whole_text_of
from director_ctx.history.digest.worth import SeenItems
from director_ctx.history.digest.write import DigestDraft
from director_ctx.history.handover.requests import typed_in
from director_ctx.history.handover.running import handover_of
from director_ctx.history.handover.write import newest, written
from director_ctx.history.messages.message import CALL, RESULT, THINKING, measure
from director_ctx.history.messages.target import target_of
from director_ctx.history.messages.turns import turns
from director_ctx.history.signals.files import stub_superseded, superseded
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim


LINES = 0.1
"""The ratio up to which lines get all of the room; of more, the newest turns get the rest whole."""
TAIL = 0.3
"""So much of the room the newest turns get whole at most; of more, the first get the rest, as a
provider's cache holds up to the first change.
"""
NEWEST = 0.25
"""What a tool said last may take so much of the room."""
DIGEST = 40
"""Tokens below which turns are smaller than their digest would be."""
CLOSE, MUCH = 0.02, 0.05
"""Shares of the room: near enough to it; worth filling with whole turns."""
HANDED_OVER, MOST_HANDED_OVER = 0.34, 2_500
"""The share of the room that a hand-over may take, and how many tokens of it at most."""
LEAST_HANDED_OVER, ALMOST_ALL = 300, 0.8
"""Where what is protected leaves hardly any room, so many tokens of it, or this share, are the
hand-over's: numbers of what was asked and decided help nobody.
"""
LONGEST = 300
"""Characters of a line of it: what follows in a long request are lines like any others."""
TRIES = 7
"""So often a number of lines is guessed, before the best guess is taken."""
MORE = 1.3
"""Of the room: lines are ranked up to there, as some are printed in fewer characters."""


class Amount(Record):
    """By the project's counter, and by the characters that a reader sees: a target holds for both."""

    tokens: float
    letters: float

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.tokens + other.tokens, self.letters + other.letters)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.tokens - other.tokens, self.letters - other.letters)

    def __mul__(self, share: float) -> Amount:
        return Amount(self.tokens * share, self.letters * share)

    def holds(self, other: Amount) -> bool:
        return other.tokens <= self.tokens and other.letters <= self.letters


def amount(messages: Iterable[Message]) -> Amount:
    tokens = 0
    letters = 0
    for message in messages:
        for block in message.blocks:
            tokens += block.tokens
            if block.kind != THINKING:
                letters += len(block.tool) + len(block.text)
    return Amount(tokens, letters)


def all_letters(messages: Iterable[Message]) -> int:
    """Of the whole conversation no more than anybody would count: of calls the bare values. So the
    share of it that stays is never too large, however a reader counts.
    """
    letters = 0
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL:
                letters += sum(map(len, map(str.strip, whole_text_of(block).split("\n"))))
            elif block.kind != THINKING:
                letters += len(block.text)
    return letters


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    target = target_of(aim)
    if measure(messages, aim.count) <= target:
        return list(messages)

    fitting = _Fitting(messages, aim, target)
    # What was overtaken says nothing any more: it goes first, and alone where that is enough.
    shorter = stub_superseded(messages, fitting.outdated, fitting.safe_places, target, aim.count)
    if shorter and fitting.most.holds(amount(shorter)):
        return shorter
    return fitting.fitted()


class _Fitting:
    """One conversation on its way to a target."""

    def __init__(self, messages: Sequence[Message], aim: Aim, target: int) -> None:
        self.messages = messages
        self.count = aim.count
        self.protect_newest = aim.config.protect_newest
        self.rows = turns(messages)
        self.turns = [messages[row.start : row.stop] for row in self.rows]
        self.sizes = [amount(turn) for turn in self.turns]
        self.every_turn = range(len(self.turns))

        tokens = self._size(self.every_turn).tokens
        self.ratio = target / max(1, tokens)
        self.most = Amount(target, all_letters(messages) * self.ratio)

        # A digest of an earlier time goes into the new one.
        digests = summaries(messages)
        earlier = {place for place in digests if is_digest(messages[place])}
        self.safe_places = (protected(messages, aim, self.rows) | digests) - earlier
        self.whole = {
            number for number, row in enumerate(self.rows) if not self.safe_places.isdisjoint(row)
        }
        """The turns that stay as they are."""
        self.room = self.most - self._size(self.whole)

        self.outdated = superseded(messages)
        """The identities of results that were overtaken: their turns stay whole only where nothing
        else is left to fill the room.
        """
        self.stale = {
            number
            for number, turn in enumerate(self.turns)
            if any(id(block) in self.outdated for message in turn for block in message.blocks)
        }

    def _size(self, turns: Iterable[int]) -> Amount:
        return sum((self.sizes[turn] for turn in turns), Amount(0, 0))

    def fitted(self) -> list[Message]:
        self._keep_newest()
        # It is of everything: what stays whole may have closed what was open.
        self.handover = newest(handover_of(self.messages))
        self.room_of_handover = self.most - self._size(self.whole)
        self.seen = SeenItems(self.messages, self.rows, self.outdated)
        best = self._digested()
        # Lines that may be needed take so much room, and no more: the rest is for whole turns.
        for _ in range(TRIES):
            spare = self.most - amount(best)
            if not spare.holds(self.room * MUCH):
                break
            kept = set(self.whole)
            self._keep_more(spare)
            if self.whole == kept:
                if not self.stale:
                    break
                self.stale.clear()
                continue
            fuller = self._digested()
            if not self.most.holds(amount(fuller)):
                break
            best = fuller
        return best

    def _handed_over(self) -> str:
        """What whoever goes on has to know, but for the requests that stand whole beside it."""
        room = self.room_of_handover
        if room.tokens <= 0 or room.letters <= 0:
            return ""
        rate = room.tokens / room.letters

        def count(text: str) -> int:
            return max(self.count(text), ceil(len(text) * rate))

        least = min(room.tokens * ALMOST_ALL, LEAST_HANDED_OVER)
        share = max(room.tokens * HANDED_OVER, least)
        most = min(int(share), MOST_HANDED_OVER)

        # What the user typed in messages that stay is not said twice.
        whole = {typed_in(message) for number in self.whole for message in self.turns[number]}
        requests = [request for request in self.handover.requests if request not in whole]
        handover = self.handover.replace(requests=tuple(requests))
        return written(handover, most, count, LONGEST).rstrip("\n")

    def _keep_newest(self) -> None:
        shown = self._last_shown()
        if shown is not None:
            self._keep(reversed(self.every_turn[shown:]), self.room * NEWEST)
        share = max(0.0, self.ratio - LINES)
        self._keep(reversed(self.every_turn), self.room * min(share, TAIL))
        self._keep(self.every_turn, self.room * max(0.0, share - TAIL))

    def _keep_more(self, spare: Amount) -> None:
        """A little more of the end, then from the start."""
        newest_first = self.every_turn[::-1]
        used = self._keep(newest_first, spare * 0.5)
        used += self._keep(self.every_turn, spare - used)
        if not used.tokens:
            smallest_first = sorted(self.every_turn, key=lambda turn: self.sizes[turn].tokens)
            self._keep(smallest_first, spare)

    def _keep(self, turns: Iterable[int], room: Amount) -> Amount:
        """As many of these turns as fit, up to the first that does not; what they take."""
        used = Amount(0, 0)
        for turn in turns:
            if turn in self.whole or turn in self.stale:
                continue
            more = used + self.sizes[turn]
            if not room.holds(more):
                break
            used = more
            self.whole.add(turn)
        return used

    def _last_shown(self) -> int | None:
        """The turn with what a tool said last, unless that is larger than the settings protect."""
        for number in reversed(self.every_turn):
            blocks = (block for message in self.turns[number] for block in message.blocks)
            tokens = sum(block.tokens for block in blocks if block.kind == RESULT)
            if tokens:
                return number if tokens <= self.protect_newest else None
        return None

    def _digested(self) -> list[Message]:
        """With as many lines as fit; where none is too many, without any."""
        collapsed: list[Message] = []
        for number, turn in enumerate(self.turns):
            if number not in self.whole:
                collapsed += turn

        is_small = amount(collapsed).tokens <= DIGEST
        # A digest of nothing but a digest would say the same again.
        is_digested = len(collapsed) == 1 and is_digest(collapsed[0])
        if is_small or is_digested:
            return list(self.messages)

        room = self.most - self._size(self.whole)
        draft = DigestDraft(collapsed, self._handed_over(), self._among())
        ranked = ranked_lines(self.seen, self.whole, draft, self.ratio, room.letters * MORE)
        digest = self._packed(draft, ranked, room)
        return self._around(digest)

    def _among(self) -> int:
        """Messages that stay, with some before and some behind them that do not: none is of the
        newest, as it seems where they stand behind a digest.
        """
        collapsed = set(self.every_turn) - self.whole
        first = min(collapsed)
        last = max(collapsed)
        return sum(len(self.turns[number]) for number in self.whole if first < number < last)

    def _packed(self, draft: DigestDraft, ranked: Sequence[Placed], room: Amount) -> Message:
        """As many ranked lines as the written text holds: by proportion, then by halving."""
        best: Message | None = None
        fitting, too_many = 0, len(ranked) + 1
        lines = len(ranked)
        for _ in range(TRIES):
            digest = draft.written(printed(ranked[:lines]), room.letters, self.count)
            size = amount((digest,))
            if room.holds(size):
                best = digest
                fitting = lines
                if lines + 1 >= too_many or size.letters >= room.letters * (1 - CLOSE):
                    break
            else:
                too_many = lines
            if not lines:
                break
            filled = max(size.tokens / max(1, room.tokens), size.letters / max(1, room.letters))
            lines = int(lines / filled)
            if not fitting < lines < too_many:
                lines = (fitting + too_many) // 2
        if best is None:
            best = draft.written({}, room.letters, self.count)
        return best

    def _around(self, digest: Message) -> list[Message]:
        """The digest in the place of the first turn that it stands for."""
        messages: list[Message] = []
        is_written = False
        for number, turn in enumerate(self.turns):
            if number in self.whole:
                messages += turn
            elif not is_written:
                messages.append(digest)
                is_written = True
        return messages
