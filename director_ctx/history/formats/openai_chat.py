"""OpenAI Chat Completions: a list of messages, or any object with such a list under one of the
usual keys.
"""

from __future__ import annotations

from director_ctx.history.formats.openai_message import BESIDE, ROLES, read_message
from director_ctx.history.formats.openai_message_write import changed_message, new_messages
from director_ctx.history.formats.parts import SAMPLE, mark_observations, raw_messages, word
from director_ctx.history.messages.message import TOOL, Conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.messages.message import Message

NAME = "openai-chat"
KEYS = ("messages", "history", "traj", "conversations", "conversation")
"""Under which of them people and programs keep the list, the usual one first."""


def messages_in(document: Any) -> list[Any] | None:
    """The list of messages; None where there is none."""
    if isinstance(document, list):
        return document
    key = _key_of_messages(document)
    if key is None:
        return None
    messages: list[Any] = document[key]
    return messages


def _key_of_messages(document: Any) -> str | None:
    if not isinstance(document, dict):
        return None
    for key in KEYS:
        if isinstance(document.get(key), list):
            return key
    return None


def fits(document: Any) -> bool:
    sample = (messages_in(document) or ())[:SAMPLE]
    messages = [raw for raw in sample if isinstance(raw, dict)]
    if not messages or not _has_role(messages[0]):
        return False

    known = sum(map(_has_role, messages))
    # One may be in a role of its own, such as the `exit` of a program that ran an agent.
    return known >= len(messages) - 1 and not _are_rows(messages)


def _has_role(raw: dict[str, Any]) -> bool:
    return word(raw, "role") in ROLES


def _are_rows(messages: Sequence[dict[str, Any]]) -> bool:
    """Whether they have what no message of this provider has, and nothing that only its messages
    have.
    """
    has_metadata = False
    for raw in messages:
        if "content" not in raw or not BESIDE.isdisjoint(raw):
            return False
        if isinstance(raw.get("metadata"), dict):
            has_metadata = True
    return has_metadata


def decode(document: Any) -> Conversation:
    tools: dict[str, str] = {}
    messages = []
    for index, raw in enumerate(messages_in(document) or ()):
        messages.append(read_message(raw, index, tools))

    has_tools = any(message.role == TOOL for message in messages)
    is_native = bool(tools) or has_tools
    if not is_native:
        mark_observations(messages)
    return Conversation(NAME, messages, document, is_native)


def encode(conversation: Conversation, messages: Sequence[Message]) -> Any:
    raws = raw_messages(conversation, messages, new_messages, changed_message)
    return with_messages(conversation.frame, raws)


def with_messages(document: Any, messages: list[Any]) -> Any:
    """The document with other messages."""
    if not isinstance(document, dict):
        return messages
    key = _key_of_messages(document) or KEYS[0]
    return {**document, key: messages}
