"""Which result belongs to which call, and whether it stands where its provider looks for it."""

from __future__ import annotations

from director_ctx.history.formats import TRAITS
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Block, Message

_ROLES = ("system", "developer", "user", "assistant", "tool", "function", "model")
NO_ANSWER = -1
"""The number of an answer, where there is none."""


class Call:
    """A call, and the results that name it."""

    __slots__ = ("answer", "block", "message_index", "results")

    def __init__(self, block: Block, message_index: int, answer: int) -> None:
        self.block = block
        self.message_index = message_index
        self.answer = answer
        self.results: list[PairedResult] = []


class PairedResult:
    """A result, and the call that it belongs to."""

    __slots__ = ("block", "call", "follows", "has_known_id", "is_in_place", "message_index")

    def __init__(self, block: Block, message_index: int, follows: int) -> None:
        self.block = block
        self.message_index = message_index
        self.follows = follows
        """The answer that it stands behind."""
        self.is_in_place = False
        """Whether it is where its provider looks for it."""
        self.call: Call | None = None
        self.has_known_id = False
        """Whether there is a call with its id, be it answered already."""


class Pairs:
    """All calls and results of a conversation, in order."""

    __slots__ = ("answers", "calls", "last_answer", "results")

    def __init__(self, messages: Sequence[Message], form: str) -> None:
        self.calls: list[Call] = []
        self.results: list[PairedResult] = []
        self.answers: list[int] = []
        """For each message the answer that it belongs to, or follows directly."""
        self.last_answer = NO_ANSWER
        """The last answer, if nothing but results comes after it."""
        self._read(messages, TRAITS[form].between)
        self._join(TRAITS[form].items)

    def _read(self, messages: Sequence[Message], may_stand_between: bool) -> None:
        count = 0
        answer = NO_ANSWER
        group = ""
        is_in_answer = False
        for index, message in enumerate(messages):
            calls, results = _calls_and_results(message)
            if message.role == ASSISTANT:
                goes_on = is_in_answer and group and group == message.group
                if not goes_on:
                    count += 1
                answer = count - 1
                group = message.group
                is_in_answer = True
            elif not results and not _is_in_unknown_role(message):
                is_in_answer = False
                if not may_stand_between:
                    answer = NO_ANSWER

            self.answers.append(answer)
            for block in calls:
                self.calls.append(Call(block, index, answer))
            for block in results:
                self.results.append(PairedResult(block, index, answer))
        if is_in_answer:
            self.last_answer = count - 1

    def _join(self, anywhere_behind: bool) -> None:
        """Each result takes the first call of its id that nothing has answered yet."""
        unanswered: dict[str, list[Call]] = {}
        # From the end, so that the first one is taken first.
        for call in reversed(self.calls):
            unanswered.setdefault(call.block.call, []).append(call)

        for result in self.results:
            calls = unanswered.get(result.block.call)
            result.has_known_id = calls is not None
            if not calls:
                continue
            call = calls.pop()
            call.results.append(result)
            result.call = call
            # No provider takes a result that stands before its call, wherever else it may stand.
            if result.message_index >= call.message_index:
                result.is_in_place = anywhere_behind or result.follows == call.answer

    def unanswered(self) -> list[Call]:
        """Calls that should have a result; those of the last answer may still get one."""
        calls = []
        for call in self.calls:
            if not call.results and call.answer != self.last_answer:
                calls.append(call)
        return calls


def _is_in_unknown_role(message: Message) -> bool:
    """Whether a message is in a role that no provider knows, such as the `exit` of a program that
    ran an agent.
    """
    if not isinstance(message.raw, dict):
        return False
    return message.raw.get("role", "user") not in _ROLES


def _calls_and_results(message: Message) -> tuple[list[Block], list[Block]]:
    calls: list[Block] = []
    results: list[Block] = []
    for block in message.blocks:
        if block.kind == CALL:
            calls.append(block)
        elif block.kind == RESULT:
            results.append(block)
    return calls, results
