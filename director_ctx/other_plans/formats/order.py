"""What waits for what where the order of a file says it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class TaskOrder:
    """Each needs the one before it; those marked `(P)` that stand next to each other need what is before them."""

    def __init__(self, before: Sequence[str]) -> None:
        self.open: list[str] = list(before)
        """What the next one without a mark needs."""
        self._anchor = tuple(before)
        self._is_run = False

    def needs(self, key: str, parallel: bool) -> tuple[str, ...]:
        if not parallel:
            needed = tuple(self.open)
            self.open = [key]
            self._anchor = (key,)
            self._is_run = False
            return needed
        if not self._is_run:
            self.open = []
            self._is_run = True
        self.open.append(key)
        return self._anchor
