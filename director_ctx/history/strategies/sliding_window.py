"""The newest messages, and of the others those that must be preserved: instructions, errors, changes of state."""

from __future__ import annotations

from director_ctx.history.gap import summaries, whole_turns, without
from director_ctx.history.protected import protected
from director_ctx.history.telling import shows_screen, tells_error, tells_state, words
from director_ctx.history.turns import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.aim import Aim
    from director_ctx.history.config import ContextConfig
    from director_ctx.history.message import Message


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    rows = turns(messages)
    first = max(0, len(messages) - aim.config.window_size)
    stay = protected(messages, aim, rows) | set(range(first, len(messages)))
    stay |= preserved(messages[:first], aim.config)
    return without(messages, whole_turns(stay, rows), aim.count)


def preserved(messages: Sequence[Message], config: ContextConfig) -> set[int]:
    """The places of messages that stay although they are old."""
    state = words(config)
    return summaries(messages) | {
        place
        for place, message in enumerate(messages)
        if (config.preserve_errors and tells_error(message, config))
        or tells_state(message, state)
        or (config.preserve_screenshots and shows_screen(message))
    }
