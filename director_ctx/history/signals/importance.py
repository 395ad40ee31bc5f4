"""How much a turn matters, from 0 to 1: by what it is and how long ago it was, not by what came of it later."""

from __future__ import annotations

import re

from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, TEXT, USER
from director_ctx.history.signals.telling import tells_error, tells_state, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from director_ctx.history.messages.message import Message
    from director_ctx.history.strategies.config import ContextConfig

_EDITS = re.compile(
    r"edit|write|patch|create|insert|replace|delete|remove|click|type|fill|select|submit|press|navigate", re.I
)
_EDITING = re.compile(r"\bsed -i|<<|\btee\b|\bmv |\brm |\bgit (?:commit|apply|mv|rm)|(?<![0-9&>-])>{1,2} ?[\w./~$]")
_LOOKED_AT = 600
_HALF = 5
"""After so many turns a message is half as recent."""


class ImportanceScorer:
    """Scores of messages by weights that can be set: recent, error, state, user, edit, said, result."""

    def __init__(self, config: ContextConfig) -> None:
        self._config, self._weights, self._words = config, config.importance_weights, words(config)

    def of_turn(self, messages: Iterable[Message], since: int) -> float:
        """A turn, after which there were so many, matters for everything that is in it, each kind counted once."""
        found = {name for message in messages for name in self._traits(message)}
        recent = self._weights["recent"] / (1 + since / _HALF)
        return min(1.0, recent + sum(self._weights[name] for name in sorted(found)))

    def _traits(self, message: Message) -> Iterable[str]:
        if tells_error(message, self._config):
            yield "error"
        if tells_state(message, self._words):
            yield "state"
        for block in message.blocks:
            if block.kind == TEXT and message.role in (USER, ASSISTANT) and block.text.strip():
                yield "user" if message.role == USER else "said"
            elif block.kind == RESULT and block.text.strip():
                yield "result"
            elif block.kind == CALL and (_EDITS.search(block.tool) or _EDITING.search(block.text[:_LOOKED_AT])):
                yield "edit"
