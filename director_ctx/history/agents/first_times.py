"""What was seen before, so that it is counted once."""

from __future__ import annotations

MOST = 10_000


class FirstTimes:
    """The names that were seen last."""

    def __init__(self) -> None:
        # In the order in which they came; a set would not say which to forget.
        self._names: dict[str, None] = {}

    def is_first(self, name: str) -> bool:
        if name in self._names:
            return False
        self._names[name] = None
        if len(self._names) > MOST:
            oldest = next(iter(self._names))
            del self._names[oldest]
        return True

    def forget(self, name: str) -> None:
        """So that its next time is the first again."""
        self._names.pop(name, None)
