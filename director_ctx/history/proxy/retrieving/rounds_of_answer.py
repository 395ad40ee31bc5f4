"""What every wire has to know of an answer that takes several rounds."""

from __future__ import annotations

from director_ctx.history.proxy.retrieving.events import added

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]


class RoundsOfAnswer:
    """The part of an `AnswerReading` that is the same on every wire."""

    def __init__(self) -> None:
        self.may_ask = True
        self.is_odd = False
        self._spent: Json = {}
        """The numbers of all earlier rounds together."""
        self._round = 0
        self._begin()

    def _begin(self) -> None:
        """Of each round anew."""
        self.waits = False
        self.is_mixed = False
        self.has_ended = False
        self._usage: Json = {}

    def begin_round(self) -> None:
        self._spent = added(self._spent, self._usage)
        self._round += 1
        self._begin()

    def _used(self) -> Json:
        """The numbers of all rounds: the client knows of one answer only."""
        return added(self._spent, self._usage)

    def _settle(self, has_own: bool, has_others: bool) -> None:
        """What comes next, where the model has called our tool, tools of its client, or both."""
        is_asked = has_own and self.may_ask
        self.waits = is_asked and not has_others
        self.is_mixed = is_asked and has_others
