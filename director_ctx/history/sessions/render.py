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
_ROLES = {CALL: CALLED, RESULT: ANSWERED, THINKING: THOUGHT}


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
    # Where most answers do something, what the user says next, without a call, is what came of it.
    answers = [message for message in listed if message.role == ASSISTANT]
    is_talk = 2 * sum(map(_is_acting, answers)) <= len(answers)
    for number, message in enumerate(listed, first):
        still_wanted()
        for block in message.blocks:
            role = _ROLES.get(block.kind, ANSWERED if message.role == TOOL else message.role)
            if block.kind == TEXT and stands_for_others(block.text):
                role = SUMMARY
            elif block.kind == RESULT and not block.call and message.role == USER and is_talk:
                # Where calls are not marked, what follows an answer is read as a result. In a talk
                # the user only answers.
                role = USER
            yield Row(role, _text(block), number, block, message)


def _is_acting(answer: Message) -> bool:
    still_wanted()
    return acts(answer)


def is_context(row: Row) -> bool:
    """Whether a client put this there by itself: a system prompt, an attachment, what a command of
    its own printed.
    """
    raw = row.source.raw if row.source else None
    by_itself = isinstance(raw, dict) and (is_attachment(raw) or is_meta(raw))
    return row.role == SYSTEM or by_itself or (row.role == USER and says_client(row.text))


def _text(block: Block) -> str:
    if block.kind == CALL:
        return f"{block.tool} {block.text}".rstrip()
    if block.text or block.data is None:
        return block.text
    # Formats have many words for a picture, and readers need one.
    is_named = isinstance(block.data, dict) and block.kind != IMAGE
    what = block.data.get("type") if is_named else None
    return f"[{what if isinstance(what, str) else block.kind}]"


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
        return Message(ASSISTANT, [Block(CALL, arguments, call=call, tool=name)])
    if role.startswith(ANSWERED):
        return Message(TOOL, [Block(RESULT, text, call=call, tool=tool, error=error)])
    # Other programs write rows, too, and call those who speak as they like.
    known = {"user": USER, "human": USER, "system": SYSTEM}
    return Message(known.get(role.casefold(), ASSISTANT), [Block(TEXT, text)])


def shortened(text: str) -> str:
    """Head and tail of what is long."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        half = MOST_LINES // 2
        mark = f"[... {len(lines) - 2 * half} lines; --full shows them ...]"
        text = "\n".join([*lines[:half], mark, *lines[-half:]])
    # Also what has few lines may be long, such as JSON on one.
    if len(text) > MOST_CHARACTERS:
        half = MOST_CHARACTERS // 2
        mark = f"[... {len(text) - 2 * half:,} characters; --full shows them ...]"
        text = f"{text[:half]} {mark} {text[-half:]}"
    return text
