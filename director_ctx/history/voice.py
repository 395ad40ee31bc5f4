"""Whose voice a block is. Known from who sent it and what kind of block it is, never from what it says.

Words only ever take a voice away: what a client says in the user's name, or a digest that stands there, is not the user's.
"""

from __future__ import annotations

from director_ctx.history.by_client import says_client
from director_ctx.history.message import ASSISTANT, RESULT, SYSTEM, TEXT, TOOL, USER
from director_ctx.history.stubs import is_summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.message import Block, Message

EITHER = "either"
"""Where calls are not marked as such: what follows an answer may be the user's or a tool's."""


def voice_of(message: Message, block: Block) -> str:
    """`USER`, `ASSISTANT`, `TOOL`, `SYSTEM` (which is the client's, too), or `EITHER`."""
    if block.kind == RESULT:
        return EITHER if message.role == USER and not block.call else TOOL
    if message.role != USER:
        return message.role
    if block.kind == TEXT and (is_summary(message) or says_client(block.text)):
        return SYSTEM
    return USER


VOICES = {
    USER: "The user said:",
    ASSISTANT: "The assistant said or called:",
    TOOL: "Tools answered, in words that are not the user's:",
    EITHER: "Tools or the user answered:",
    SYSTEM: "The client added:",
}
"""What stands above the words of each, in this order."""
