"""OpenAI Chat Completions: a list of messages, or any object with such a list under one of the
usual keys.
"""

from __future__ import annotations

from director_ctx.history.formats.openai_message import BESIDE, ROLES, fresh, read_message, touched
from director_ctx.history.formats.parts import SAMPLE, observe, rewritten, word
from director_ctx.history.messages.message import TOOL, Conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message

NAME = "openai-chat"
KEYS = ("messages", "history", "traj", "conversations", "conversation")


def listed(document: Any) -> list[Any] | None:
    if isinstance(document, list):
        return document
    found = (
        [document[key] for key in KEYS if isinstance(document.get(key), list)]
        if isinstance(document, dict)
        else []
    )
    return found[0] if found else None


def fits(document: Any) -> bool:
    found = [one for one in (listed(document) or ())[:SAMPLE] if isinstance(one, dict)]
    known = sum(word(one, "role") in ROLES for one in found)
    return (
        bool(found)
        and known >= len(found) - 1
        and word(found[0], "role") in ROLES
        and not _are_rows(found)
    )


def _are_rows(found: Sequence[dict[str, Any]]) -> bool:
    """Whether they have what no message of this provider has, and nothing that only its messages
    have.
    """
    if not any(isinstance(one.get("metadata"), dict) for one in found):
        return False
    return all("content" in one for one in found) and BESIDE.isdisjoint(
        key for one in found for key in one
    )


def decode(document: Any) -> Conversation:
    tools: dict[str, str] = {}
    messages = [read_message(raw, index, tools) for index, raw in enumerate(listed(document) or ())]
    native = bool(tools) or any(message.role == TOOL for message in messages)
    if not native:
        observe(messages)
    return Conversation(NAME, messages, document, native)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    return around(conversation.frame, rewritten(conversation, messages, fresh, touched))


def around(document: Any, made: list[Any]) -> Any:
    """The document with other messages."""
    if not isinstance(document, dict):
        return made
    key = next((key for key in KEYS if isinstance(document.get(key), list)), KEYS[0])
    return {**document, key: made}
