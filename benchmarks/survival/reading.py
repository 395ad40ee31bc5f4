"""How the judge reads a conversation: pieces of chat messages, in order. It trusts no format of
dctx for that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.survival.lines import of_call, of_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CALL, RESULT, SAID, TOLD = "call", "result", "said", "told"
"""What an agent does, what it sees, what it says, and what it is told by a user or the system."""
_COMMAND = re.compile(r"```\w*\n(.*?)```|<command>\n?(.*?)</command>", re.DOTALL)

Chat = list[dict[str, Any]]


class Piece(NamedTuple):
    kind: str
    text: str
    tool: str = ""

    def lines(self) -> Iterator[str]:
        return of_call(self.tool, self.text) if self.kind == CALL else of_text(self.text)


def pieces(message: dict[str, Any], native: bool, first: bool = False) -> Iterator[Piece]:
    """What one message is made of. Without native calls, later messages of a user are what the
    agent sees.
    """
    role, said = message.get("role"), _text(message.get("content"))
    if role == "assistant":
        yield Piece(SAID, said)
        if not native:
            yield from (Piece(CALL, one or other) for one, other in _COMMAND.findall(said))
        for call in message.get("tool_calls") or ():
            function = call["function"]
            yield Piece(CALL, str(function.get("arguments") or ""), str(function.get("name") or ""))
    elif role == "tool" or (role == "user" and not native and not first):
        yield Piece(RESULT, said)
    else:
        yield Piece(TOLD, said)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def is_native(chat: Sequence[dict[str, Any]]) -> bool:
    return any(message.get("tool_calls") or message.get("role") == "tool" for message in chat)


def turn_ends(chat: Sequence[dict[str, Any]], native: bool) -> list[int]:
    """How many messages there are when each turn of the agent is over."""
    ends = []
    for number, message in enumerate(chat):
        if message.get("role") != "assistant":
            continue
        end = number + 1
        observed = ("tool",) if native else ("user",)
        while end < len(chat) and chat[end].get("role") in observed:
            end += 1
        ends.append(end)
    return ends
