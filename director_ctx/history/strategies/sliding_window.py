"""The newest messages, and of the others those that must be preserved: instructions, errors,
changes of state.
"""

from __future__ import annotations

from director_ctx.history.digest.digest_message import digest_others, summaries, whole_turns
from director_ctx.history.messages.turns import turns
from director_ctx.history.signals.importance import (
    shows_screen,
    state_words,
    tells_error,
    tells_state,
)
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim
    from director_ctx.history.strategies.config import ContextConfig


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    rows = turns(messages)
    window = max(0, len(messages) - aim.config.window_size)
    stay = protected(messages, aim, rows)
    stay.update(range(window, len(messages)))
    older = messages[:window]
    stay |= preserved(older, aim.config)
    stay |= summaries(older)
    # Neither a call nor its result can stand alone.
    stay = whole_turns(stay, rows)
    return digest_others(messages, stay, aim.count)


def preserved(messages: Sequence[Message], config: ContextConfig) -> set[int]:
    """The places of messages that stay although they are old: errors, screens, changes of state."""
    words = state_words(config)
    return {
        index
        for index, message in enumerate(messages)
        if (config.preserve_errors and tells_error(message, config))
        or (config.preserve_screenshots and shows_screen(message))
        or tells_state(message, words)
    }
