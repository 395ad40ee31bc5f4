"""Messages worth preserving for what they say: errors, and changes of state by a list of words."""

from __future__ import annotations

from director_ctx.history.messages.message import CALL, IMAGE, RESULT, SYSTEM
from director_ctx.history.signals.errors import is_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.strategies.config import ContextConfig


def tells_error(message: Message, config: ContextConfig) -> bool:
    """By structure, or by the word where the configuration says so."""
    if config.error_detection == "structural":
        return any(is_error(block) for block in message.blocks if block.kind == RESULT)
    return message.role != SYSTEM and any(
        "error" in block.text.lower() for block in message.blocks if block.kind != CALL
    )


def tells_state(message: Message, words: Sequence[str]) -> bool:
    """Whether it has one of the words; calls do not count, as they only try."""
    for block in message.blocks:
        if block.kind != CALL:
            text = block.text.lower()
            for word in words:
                if word in text:
                    return True
    return False


def shows_screen(message: Message) -> bool:
    return any(block.kind == IMAGE or "screenshot" in block.tool.lower() for block in message.blocks)


def words(config: ContextConfig) -> list[str]:
    return [word.lower() for word in config.preserve_keywords]
