"""What a slider goes through: windows, or budgets where those are plain numbers of tokens."""

from __future__ import annotations

from math import log

from director_ctx.base.record import Record

MOST_STEPS = 60
LONGEST_NUMBER = 9
"""Digits."""
ENOUGH = 900_000_000
"""Tokens, in which every context is whole."""


class SizeScale(Record):
    """Sizes in tokens, each a little more of what is there than the one before it."""

    least: int
    most: int

    def values(self) -> list[int]:
        """To two digits, which is as exact as anybody moves a slider."""
        growth = (self.most / self.least) ** (1 / MOST_STEPS)
        sizes = []
        for step in range(MOST_STEPS + 1):
            exact = self.least * growth**step
            unit = 10 ** (len(str(int(exact))) - 2)
            sizes.append(int(round(exact / unit) * unit))
        return sizes

    def step_of(self, size: int) -> int:
        """The step that comes nearest."""
        kept = min(self.most, max(self.least, size))
        return round(MOST_STEPS * log(kept / self.least) / log(self.most / self.least))


WINDOWS = SizeScale(2_000, 1_000_000)
BUDGETS = SizeScale(200, 300_000)


def size_in(text: str) -> int:
    """The size that somebody wrote; 0 where there is none."""
    digits = text.replace(",", "").replace("_", "").strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER):
        return 0
    return int(digits)
