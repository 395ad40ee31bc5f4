"""Makes a conversation one that its provider accepts: by stubs and by moving results. Only what
says nothing goes.
"""

from __future__ import annotations

from director_ctx.history.formats import TRAITS
from director_ctx.history.formats.parts import MENDED, arguments, compact
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    CALL,
    RESULT,
    SYSTEM,
    TEXT,
    THINKING,
    USER,
    Block,
    Message,
    has_kind,
)
from director_ctx.history.messages.reasons import (
    lone_reasons,
    said_aloud,
    without_id,
    without_reason,
)
from director_ctx.history.messages.turns import open_loop
from director_ctx.history.valid.check import (
    check,
    has_sound_arguments,
    is_blank_text,
    is_empty,
    is_signed,
    is_system_in_list,
)
from director_ctx.history.valid.check_pairs import has_pairs
from director_ctx.history.valid.kept_by_provider import keeps_items
from director_ctx.history.valid.mend_pairs import paired, with_own_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Conversation

BEGIN = "[the conversation begins here]"
MOST = 4
"""What was put in for one thing may be in the way of another; so often it is looked at again."""


def mend(conversation: Conversation) -> list[Message]:
    """The messages, with what is missing put in."""
    for _ in range(MOST):
        if not check(conversation):
            break
        conversation = conversation.replace(messages=_mended_once(conversation))
    return list(conversation.messages)


def _mended_once(conversation: Conversation) -> list[Message]:
    conversation = conversation.replace(messages=_without_lost_reasons(conversation))
    if has_pairs(conversation):
        # Ids first: by them results find their calls.
        conversation = conversation.replace(messages=with_own_ids(conversation.messages))
        conversation = conversation.replace(messages=paired(conversation))

    form = conversation.format
    messages = _with_reasons_said(conversation)
    messages = _with_signed_thoughts(messages, form)
    messages = _with_sound_contents(messages, form)
    return _begun_by_user(messages, form)


def _without_lost_reasons(conversation: Conversation) -> list[Message]:
    """Without the id of each item that may ask for a reason which is not there."""
    messages = list(conversation.messages)
    if keeps_items(conversation):
        for index in list(without_reason(messages)):
            messages[index] = without_id(messages[index])
    return messages


def _with_reasons_said(conversation: Conversation) -> list[Message]:
    """With reasons that stand alone said as text; what nobody can read of them goes."""
    if not TRAITS[conversation.format].items:
        return list(conversation.messages)

    lone = set(lone_reasons(conversation.messages, keeps_items(conversation)))
    messages: list[Message] = []
    for index, message in enumerate(conversation.messages):
        if index in lone:
            messages += said_aloud(message)
        else:
            messages.append(message)
    return messages


def _with_signed_thoughts(messages: Sequence[Message], form: str) -> list[Message]:
    """Thoughts that nothing proves are said as text."""
    mended = list(messages)
    if TRAITS[form].parts:
        for index in open_loop(messages):
            mended[index] = _with_thoughts_said(mended[index])
    return mended


def _with_thoughts_said(message: Message) -> Message:
    blocks: list[Block] = []
    for block in message.blocks:
        if block.kind != THINKING or is_signed(message, block):
            blocks.append(block)
        elif block.text.strip():
            said = Block(
                kind=TEXT,
                text=block.text,
                at=block.at,
                tool=block.tool,
                error=block.error,
                action=MENDED,
            )
            blocks.append(said)
    return message.with_blocks(blocks)


def _with_sound_contents(messages: Sequence[Message], form: str) -> list[Message]:
    """Without what is empty, with JSON where it should be, and results first."""
    mended = []
    last = len(messages) - 1
    for index, message in enumerate(messages):
        sound = _with_sound_blocks(message, form)
        may_be_empty = index == last and sound.role == ASSISTANT
        if may_be_empty or not is_empty(sound, form):
            mended.append(sound)
    return mended


def _with_sound_blocks(message: Message, form: str) -> Message:
    blocks = []
    for block in message.blocks:
        if not is_blank_text(block, message, form):
            blocks.append(_with_object(block, message))

    has_results = has_kind(blocks, RESULT)
    if has_results and TRAITS[form].results_first:
        # Texts go to the end; all else stays in its order.
        blocks.sort(key=lambda block: block.kind == TEXT)
    return message.with_blocks(blocks)


def _with_object(block: Block, message: Message) -> Block:
    """A call whose arguments are an object; anything else as it is."""
    if block.kind != CALL or has_sound_arguments(block, message):
        return block
    return Block(
        kind=CALL,
        text=compact(arguments(block)),
        at=block.at,
        call=block.call,
        tool=block.tool,
        error=block.error,
        action=MENDED,
    )


def _begun_by_user(messages: list[Message], form: str) -> list[Message]:
    """Beginning with the user, where the provider wants that."""
    if TRAITS[form].system_beside and messages and is_system_in_list(messages[0]):
        first, *others = messages
        of_user = Message(USER, first.blocks, ADDED, when=first.when)
        messages = [of_user, *others]
    if not TRAITS[form].user_first:
        return messages

    start = 0
    while start < len(messages) and messages[start].role == SYSTEM:
        start += 1
    is_begun = start < len(messages) and messages[start].role != ASSISTANT
    if is_begun:
        return messages
    begin = Block(TEXT, BEGIN, action=MENDED)
    messages = list(messages)
    messages.insert(start, Message(USER, [begin]))
    return messages
