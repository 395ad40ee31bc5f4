"""Whose voice a block is. Known from who sent it and what kind of block it is, never from what it
says.

Words only ever take a voice away: what a client says in the user's name is not the user's, and
neither is a digest.
"""

from __future__ import annotations

from director_ctx.base.claude_code_lines import is_attachment, is_meta, is_summary
from director_ctx.history.formats.parts import NEST
from director_ctx.history.messages.client_words import says_client
from director_ctx.history.messages.message import RESULT, SYSTEM, TEXT, TOOL, USER
from director_ctx.history.messages.stubs import stands_for_others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.messages.message import Block, Message

EITHER = "either"
"""Where calls are not marked as such: what follows an answer may be the user's or a tool's."""


def voice_of(message: Message, block: Block) -> str:
    """The role that speaks, or `EITHER`."""
    if block.kind == RESULT:
        if message.role == USER and not block.call:
            return EITHER
        return TOOL
    # Places from there on are of parts inside a part: what a result brings along beside its text.
    if block.at >= NEST:
        return TOOL
    if message.role != USER:
        return message.role
    if is_clients(message) or _is_nobodys(block):
        return SYSTEM
    return USER


def is_clients(message: Message) -> bool:
    """Whether its client says of a line in the user's name that nobody typed it: a file, a skill, a
    summary.
    """
    raw = message.raw
    if not isinstance(raw, dict):
        return False
    return is_attachment(raw) or is_meta(raw) or is_summary(raw)


def _is_nobodys(block: Block) -> bool:
    if block.kind != TEXT:
        return False
    return stands_for_others(block.text) or says_client(block.text)
