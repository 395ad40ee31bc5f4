"""The newest messages, and of the others those that must be preserved: instructions, errors,
changes of state.
"""

from __future__ import annotations

from director_ctx.history.digest.digest_message import summaries, whole_turns, without
from director_ctx.history.messages.turns import turns
from director_ctx.history.signals.importance import shows_screen, tells_error, tells_state, words
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim
    from director_ctx.history.strategies.config import ContextConfig


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    rows = turns(messages)
    first = max(0, len(messages) - aim.config.window_size)
    stay = protected(messages, aim, rows) | set(range(first, len(messages)))
    stay |= preserved(messages[:first], aim.config)
    return without(messages, whole_turns(stay, rows), aim.count)


def preserved(messages: Sequence[Message], config: ContextConfig) -> set[int]:
    """The places of messages that stay although they are old."""
    state = words(config)

    def stays(message: Message) -> bool:
        if config.preserve_errors and tells_error(message, config):
            return True
        if config.preserve_screenshots and shows_screen(message):
            return True
        return tells_state(message, state)

    preserved = {index for index, message in enumerate(messages) if stays(message)}
    return preserved | summaries(messages)
