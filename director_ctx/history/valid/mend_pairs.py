"""Calls and results that meet: each call with an id and a result of its own, each result where its
provider looks for it.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.formats import TRAITS
from director_ctx.history.formats.parts import MENDED
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    CALL,
    RESULT,
    TEXT,
    TOOL,
    USER,
    Block,
    Message,
    has_kind,
)
from director_ctx.history.valid.check_pairs import is_misplaced
from director_ctx.history.valid.pairs import Pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.history.messages.message import Conversation
    from director_ctx.history.valid.pairs import PairedResult

    ByAnswer = dict[int, list[Block]]

NO_RESULT = "[no result was recorded]"
NO_PLACE = -1
"""The place of a block that was in no original."""


def with_own_ids(messages: Sequence[Message]) -> list[Message]:
    """Each call with an id of its own, and its result with the same one."""
    names = _CallNames(messages)
    mended = []
    for message in messages:
        blocks = [names.renamed(block) for block in message.blocks]
        mended.append(message.with_blocks(blocks))
    return mended


class _CallNames:
    """Gives second names to calls that share one, in the order in which they come."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.original_names: set[str] = set()
        for message in messages:
            for block in message.blocks:
                if block.kind == CALL:
                    self.original_names.add(block.call)
        self.used: set[str] = set()
        self.unanswered: dict[str, list[str]] = {}
        """For an id, the names of its calls that have no result yet, the oldest first."""

    def renamed(self, block: Block) -> Block:
        if block.kind == CALL and block.call:
            name = self._free_name(block.call)
            self.unanswered.setdefault(block.call, []).append(name)
        elif block.kind == RESULT and self.unanswered.get(block.call):
            name = self.unanswered[block.call].pop(0)
        else:
            return block
        if name == block.call:
            return block
        return Block(
            kind=block.kind,
            text=block.text,
            at=block.at,
            call=name,
            tool=block.tool,
            error=block.error,
            action=MENDED,
        )

    def _free_name(self, name: str) -> str:
        free = name
        number = 2
        # A second name must not be the first one of another call either.
        while free in self.used or (free != name and free in self.original_names):
            free = f"{name}_{number}"
            number += 1
        self.used.add(free)
        return free


class _Rest(Record):
    """What is left of a message whose results belong elsewhere."""

    message: Message | None
    """What stays in its place."""
    later: Message | None = None
    """What is to be said once all results are there."""


def paired(conversation: Conversation) -> list[Message]:
    """Results where their provider looks for them: stubs for those that are missing, text for those
    without a call.
    """
    form = conversation.format
    pairs = Pairs(conversation.messages, form)
    put_in: ByAnswer = {}
    """Results to stand behind each answer."""
    misplaced: dict[int, dict[int, PairedResult]] = {}
    """By their messages, and there by the `id()` of their blocks, as two may say the same."""
    for result in pairs.results:
        if not is_misplaced(result, conversation):
            continue
        of_message = misplaced.setdefault(result.message_index, {})
        of_message[id(result.block)] = result
        if result.call is not None:
            behind_answer = put_in.setdefault(result.call.answer, [])
            behind_answer.append(_moved(result.block))
    for call in pairs.unanswered():
        behind_answer = put_in.setdefault(call.answer, [])
        behind_answer.append(_stub(call.block))

    rests = []
    for index, message in enumerate(conversation.messages):
        of_message = misplaced.get(index, {})
        rests.append(_without_misplaced(message, of_message))
    return _Joiner(rests, pairs.answers, put_in, form).joined()


def _stub(call: Block) -> Block:
    return Block(
        kind=RESULT,
        text=NO_RESULT,
        at=NO_PLACE,
        call=call.call,
        tool=call.tool,
        action=MENDED,
    )


def _moved(block: Block) -> Block:
    return Block(
        kind=RESULT,
        text=block.text,
        at=NO_PLACE,
        call=block.call,
        tool=block.tool,
        error=block.error,
        action=MENDED,
    )


def _without_misplaced(message: Message, misplaced: Mapping[int, PairedResult]) -> _Rest:
    if not misplaced:
        return _Rest(message)

    staying = []
    for block in message.blocks:
        if id(block) not in misplaced:
            staying.append(block)
    without_call = []
    for result in misplaced.values():
        if result.call is None:
            without_call.append(_as_text(result.block))

    has_results = has_kind(staying, RESULT)
    if staying and (message.role != TOOL or has_results):
        return _Rest(message.with_blocks(staying), _of_user(without_call, message))
    # Without a result it can be no message of a tool.
    return _Rest(None, _of_user([*without_call, *staying], message))


def _of_user(blocks: Sequence[Block], message: Message) -> Message | None:
    if not blocks:
        return None
    return Message(USER, blocks, ADDED, when=message.when)


def _as_text(result: Block) -> Block:
    name = result.tool or result.call or "an unknown call"
    text = f"[result of {name}]\n{result.text}"
    return Block(TEXT, text, NO_PLACE, action=MENDED)


class _Joiner:
    """Puts everything in order, with the results that were put in directly behind the last message
    of their answer.
    """

    def __init__(
        self,
        rests: Sequence[_Rest],
        answers: Sequence[int],
        put_in: ByAnswer,
        form: str,
    ) -> None:
        self.rests = rests
        self.answers = answers
        self.put_in = put_in
        self.results_are_users = TRAITS[form].user_first
        self.messages: list[Message] = []
        self.results: list[Block] = []
        """Those that come next."""
        self.later: list[Message] = []
        """What is to be said once all results are there."""

    def joined(self) -> list[Message]:
        last_of_answer: dict[int, int] = {}
        for index, rest in enumerate(self.rests):
            if rest.message and rest.message.role == ASSISTANT:
                last_of_answer[self.answers[index]] = index

        for index, rest in enumerate(self.rests):
            answer = self.answers[index]
            if rest.message is not None:
                self._put(rest.message)
            if rest.later:
                self.later.append(rest.later)
            if last_of_answer.get(answer) == index:
                self.results = self.put_in.get(answer, [])
        self._put_results()
        return self.messages + self.later

    def _put(self, message: Message) -> None:
        blocks = message.blocks
        # Where results are the user's words, they go into what the user says next.
        is_users = message.role in (TOOL, USER)
        if self.results and self.results_are_users and is_users:
            blocks = [*self.results, *blocks]
            self.results = []
        self._put_results()

        has_results = has_kind(message.blocks, RESULT)
        if not has_results:
            self.messages += self.later
            self.later = []
        self.messages.append(message.with_blocks(blocks))

    def _put_results(self) -> None:
        if self.results:
            self.messages.append(Message(TOOL, self.results))
        self.results = []
