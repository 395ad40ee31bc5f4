"""A conversation as rows: who said what, one row for each block. What is shown, and what an import
keeps.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.history.messages.client_words import says_client
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    IMAGE,
    RESULT,
    SYSTEM,
    TEXT,
    THINKING,
    TOOL,
    USER,
    Block,
    Message,
)
from director_ctx.history.messages.stubs import stands_for_others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CALLED, ANSWERED, THOUGHT, SUMMARY = "tool_call", "tool", "thinking", "summary"
MOST_LINES, MOST_CHARACTERS = 12, 1_600
"""Of a result that is shown; half of it from either end."""
_ACTION = re.compile(r"```|<[a-z_]+[ >=]|^(?:Action|Command|Tool)\b", re.MULTILINE)
"""How an agent acts that marks no calls: a block of code, a tag, a word in front."""


class Row(Record):
    """One block, as it is shown or kept."""

    role: str
    text: str
    message: int
    """The number of its message, from 1 on."""
    block: Block | None = None
    source: Message | None = None


def rows(messages: Iterable[Message], first: int = 1) -> Iterator[Row]:
    """In order; what has no text says what it is."""
    listed = list(messages)
    talk = not _acts(listed)
    for number, message in enumerate(listed, first):
        for block in message.blocks:
            asked = talk and message.role == USER and block.kind == RESULT and not block.call
            yield Row(
                USER if asked else _role(message, block), _text(block), number, block, message
            )


def _acts(messages: Iterable[Message]) -> bool:
    """Whether most answers do something, so that what the user says next, without a call, is what
    came of it.
    """
    said = [
        any(_ACTION.search(block.text) for block in one.blocks)
        for one in messages
        if one.role == ASSISTANT
    ]
    return 2 * sum(said) > len(said)


def is_context(row: Row) -> bool:
    """Whether a client put this there by itself: a system prompt, an attachment, what a command of
    its own printed.
    """
    raw = row.source.raw if row.source else None
    meta = isinstance(raw, dict) and (raw.get("type") == "attachment" or bool(raw.get("isMeta")))
    return meta or row.role == SYSTEM or (row.role == USER and says_client(row.text))


def _role(message: Message, block: Block) -> str:
    if block.kind == TEXT and stands_for_others(block.text):
        return SUMMARY
    kinds = {CALL: CALLED, RESULT: ANSWERED, THINKING: THOUGHT}
    return kinds.get(block.kind) or (ANSWERED if message.role == TOOL else message.role)


def _text(block: Block) -> str:
    if block.kind == CALL:
        return f"{block.tool} {block.text}".rstrip()
    if block.text or block.data is None:
        return block.text
    what = block.data.get("type") if isinstance(block.data, dict) else None
    return f"[{what if isinstance(what, str) and block.kind != IMAGE else block.kind}]"


def message_of(
    role: str, text: str, tool: str = "", call: str = "", error: bool | None = None
) -> Message:
    """A row as a message again; of a call the tool stands before its arguments."""
    if role == CALLED:
        name = tool or text.partition(" ")[0]
        return Message(
            ASSISTANT, [Block(CALL, text.removeprefix(name).lstrip(), call=call, tool=name)]
        )
    if role.startswith(ANSWERED):
        return Message(TOOL, [Block(RESULT, text, call=call, tool=tool, error=error)])
    known = {"user": USER, "human": USER, "system": SYSTEM}
    return Message(known.get(role.casefold(), ASSISTANT), [Block("text", text)])


def shortened(text: str) -> str:
    """Head and tail of what is long."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        half = MOST_LINES // 2
        left = f"[... {len(lines) - 2 * half} lines; --full shows them ...]"
        text = "\n".join([*lines[:half], left, *lines[-half:]])
    if len(text) > MOST_CHARACTERS:
        half = MOST_CHARACTERS // 2
        text = f"{text[:half]} [... {len(text) - 2 * half:,} characters; --full shows them ...] {text[-half:]}"
    return text
