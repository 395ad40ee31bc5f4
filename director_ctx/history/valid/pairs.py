"""Which result belongs to which call, and whether it stands where its provider looks for it."""

from __future__ import annotations

from director_ctx.history.formats.traits import TRAITS
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Block, Message

_ROLES = ("system", "developer", "user", "assistant", "tool", "function", "model")


def _foreign(message: Message) -> bool:
    """Whether a message is in a role that no provider knows, such as the `exit` of a program that
    ran an agent.
    """
    word = message.raw.get("role", "user") if isinstance(message.raw, dict) else "user"
    return word not in _ROLES


def _both(message: Message) -> tuple[list[Block], list[Block]]:
    """Its calls and its results."""
    calls: list[Block] = []
    results: list[Block] = []
    for block in message.blocks:
        if block.kind == CALL:
            calls.append(block)
        elif block.kind == RESULT:
            results.append(block)
    return calls, results


class Call:
    __slots__ = ("answer", "block", "place", "results")

    def __init__(self, block: Block, place: int, answer: int) -> None:
        self.block = block
        self.place = place
        self.answer = answer
        self.results: list[PairedResult] = []


class PairedResult:
    __slots__ = ("after", "block", "call", "known", "place", "right")

    def __init__(self, block: Block, place: int, after: int) -> None:
        self.block = block
        self.place = place
        self.after = after
        """The answer that it follows; -1 if there is none."""
        self.right = False
        """Whether it is where it should be."""
        self.call: Call | None = None
        self.known = False
        """Whether there is a call with its id, be it answered already."""


class Pairs:
    """All calls and results of a conversation, in order."""

    __slots__ = ("answers", "calls", "last", "results")

    def __init__(self, messages: Sequence[Message], form: str) -> None:
        self.calls: list[Call] = []
        self.results: list[PairedResult] = []
        self.answers: list[int] = []
        """For each message the answer that it belongs to, or follows directly; -1 if there is none.
        """
        self.last = -1
        """The last answer, if nothing but results comes after it."""
        self._read(messages, TRAITS[form].between)
        self._join(TRAITS[form].items)

    def _read(self, messages: Sequence[Message], between: bool) -> None:
        number, current, group, inside = -1, -1, "", False
        for place, message in enumerate(messages):
            calls, results = _both(message)
            if message.role == ASSISTANT:
                if not (inside and group and group == message.group):
                    number += 1
                current, group, inside = number, message.group, True
            elif not results and not _foreign(message):
                inside = False
                current = current if between else -1
            self.answers.append(current)
            for block in calls:
                self.calls.append(Call(block, place, current))
            for block in results:
                self.results.append(PairedResult(block, place, current))
        self.last = number if inside else -1

    def _join(self, anywhere: bool) -> None:
        waiting: dict[str, list[Call]] = {}
        for call in reversed(self.calls):
            waiting.setdefault(call.block.call, []).append(call)
        for result in self.results:
            calls = waiting.get(result.block.call)
            result.known = calls is not None
            if not calls:
                continue
            call = result.call = calls.pop()
            call.results.append(result)
            early = result.place < call.place
            result.right = not early and (anywhere or result.after == call.answer)

    def unanswered(self) -> list[Call]:
        """Calls that should have a result; those of the last answer may still get one."""
        return [call for call in self.calls if not call.results and call.answer != self.last]
