"""A conversation as rows: who said what, one row for each block. What is shown, and what an import
keeps.
"""

from __future__ import annotations

from director_ctx.base.claude_code_lines import is_attachment, is_meta
from director_ctx.base.record import Record
from director_ctx.base.system.waiting import still_wanted
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
from director_ctx.history.messages.stubs import acts, stands_for_others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CALLED, ANSWERED, THOUGHT, SUMMARY = "tool_call", "tool", "thinking", "summary"
MOST_LINES, MOST_CHARACTERS = 12, 1_600
"""Of a result that is shown; half of it from either end."""


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
    is_talk = not _acts(listed)
    for number, message in enumerate(listed, first):
        still_wanted()
        for block in message.blocks:
            role = _role(message, block)
            # Where calls are not marked, what follows an answer is read as a result. In a talk in
            # which nothing is done the user only answers.
            is_unmarked = block.kind == RESULT and not block.call
            if is_talk and is_unmarked and message.role == USER:
                role = USER
            yield Row(role, _text(block), number, block, message)


def _acts(messages: Iterable[Message]) -> bool:
    """Whether most answers do something, so that what the user says next, without a call, is what
    came of it.
    """
    answers = acting = 0
    for message in messages:
        if message.role != ASSISTANT:
            continue
        still_wanted()
        answers += 1
        if acts(message):
            acting += 1
    return 2 * acting > answers


def is_context(row: Row) -> bool:
    """Whether a client put this there by itself: a system prompt, an attachment, what a command of
    its own printed.
    """
    if row.role == SYSTEM:
        return True
    raw: object = None
    if row.source:
        raw = row.source.raw
    by_itself = isinstance(raw, dict) and (is_attachment(raw) or is_meta(raw))
    if by_itself:
        return True
    return row.role == USER and says_client(row.text)


def _role(message: Message, block: Block) -> str:
    if block.kind == TEXT and stands_for_others(block.text):
        return SUMMARY
    roles = {CALL: CALLED, RESULT: ANSWERED, THINKING: THOUGHT}
    if block.kind in roles:
        return roles[block.kind]
    if message.role == TOOL:
        return ANSWERED
    return message.role


def _text(block: Block) -> str:
    if block.kind == CALL:
        return f"{block.tool} {block.text}".rstrip()
    if block.text or block.data is None:
        return block.text
    what = None
    # Formats have many words for a picture, and readers need one.
    if isinstance(block.data, dict) and block.kind != IMAGE:
        what = block.data.get("type")
    if not isinstance(what, str):
        what = block.kind
    return f"[{what}]"


def message_of(
    role: str,
    text: str,
    tool: str = "",
    call: str = "",
    error: bool | None = None,
) -> Message:
    """A row as a message again; of a call the tool stands before its arguments."""
    if role == CALLED:
        name = tool or text.partition(" ")[0]
        arguments = text.removeprefix(name).lstrip()
        block = Block(CALL, arguments, call=call, tool=name)
        return Message(ASSISTANT, [block])
    if role.startswith(ANSWERED):
        block = Block(RESULT, text, call=call, tool=tool, error=error)
        return Message(TOOL, [block])
    # Other programs write rows, too, and call those who speak as they like.
    known = {"user": USER, "human": USER, "system": SYSTEM}
    speaker = known.get(role.casefold(), ASSISTANT)
    block = Block(TEXT, text)
    return Message(speaker, [block])


def shortened(text: str) -> str:
    """Head and tail of what is long."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        half = MOST_LINES // 2
        left_out = len(lines) - 2 * half
        mark = f"[... {left_out} lines; --full shows them ...]"
        text = "\n".join([*lines[:half], mark, *lines[-half:]])
    # Also what has few lines may be long, such as JSON on one.
    if len(text) > MOST_CHARACTERS:
        half = MOST_CHARACTERS // 2
        left_out = len(text) - 2 * half
        mark = f"[... {left_out:,} characters; --full shows them ...]"
        text = f"{text[:half]} {mark} {text[-half:]}"
    return text
