"""What a provider has kept of earlier requests, as far as a request says so."""

from __future__ import annotations

from director_ctx.history.formats.document import Around
from director_ctx.history.formats.parts import as_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.messages.message import Conversation

_KEEPS_ITEMS = "openai-responses"
"""Whose provider keeps what its models sent, unless it is told not to. Codex always tells it."""
_EARLIER = ("previous_response_id", "conversation")
"""Where a request says that its provider has what came before."""


def keeps_items(conversation: Conversation) -> bool:
    """Whether the provider keeps what its model sends, so that it knows what belongs to an id."""
    if conversation.format != _KEEPS_ITEMS:
        return False
    return request_of(conversation).get("store") is not False


def request_of(conversation: Conversation) -> dict[str, Any]:
    """What stands around the messages in the body of a request; nothing where they are a list."""
    frame = conversation.frame
    if isinstance(frame, Around):
        frame = frame.frame
    return as_object(frame)


def names_earlier_request(conversation: Conversation) -> bool:
    """Whether a request goes on from one that its provider has kept."""
    body = request_of(conversation)
    return any(body.get(key) for key in _EARLIER)
