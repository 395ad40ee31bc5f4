"""The call behind a result, on one line."""

from __future__ import annotations

from director_ctx.history.messages.called import command
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT
from director_ctx.history.signals.attempts import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.history.messages.message import Block, Message


class Cause:
    """Finds it in the turn of the result, else anywhere by its id."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._row: range | None = None
        self._near: dict[int | str, Block] = {}
        self._far: dict[int | str, Block] | None = None

    def __call__(self, result: Block, row: range) -> str:
        call = self.of(result, row)
        if call is not None:
            return called(result.tool or call.tool, call.text)
        return called(result.tool, "" if result.call else self._action(row))

    def of(self, result: Block, row: range) -> Block | None:
        if row is not self._row:
            self._row, self._near = row, _by_id(self._messages[place] for place in row)
        if not result.call:
            return self._near.get(id(result))
        if result.call not in self._near and self._far is None:
            self._far = _by_id(self._messages)
        return self._near.get(result.call) or (self._far or {}).get(result.call)

    def _action(self, row: range) -> str:
        """What the answer says to do, as a call would have it."""
        answer = self._messages[row.start]
        found = command("\n".join(block.text for block in answer.blocks)) if answer.role == ASSISTANT else ""
        if not found:
            return ""
        import json

        return json.dumps({"command": found}, ensure_ascii=False)


def _by_id(messages: Iterable[Message]) -> dict[int | str, Block]:
    """Calls by their ids; where there are none, by the result that has the same place among those without one."""
    found: dict[int | str, Block] = {}
    waiting: list[Block] = []
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL and block.call:
                found[block.call] = block
            elif block.kind == CALL:
                waiting.append(block)
            elif block.kind == RESULT and not block.call and waiting:
                found[id(block)] = waiting.pop(0)
    return found
