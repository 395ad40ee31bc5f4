"""Which requests are looked at, by their paths; where their messages are, and which model they ask."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Bytes = bytes | bytearray

RESPONSES = "openai-responses"
WIRES = (
    ("/v1/messages", "anthropic", "messages"),
    ("/v1/messages/count_tokens", "anthropic", "messages"),
    ("/chat/completions", "openai-chat", "messages"),
    ("/responses", RESPONSES, "input"),
    ("/responses/input_tokens", RESPONSES, "input"),
)
"""How a path ends; the format of its messages, and where they are."""
KEPT_THERE = ("previous_response_id", "conversation")
"""Where a request says that the provider has what came before: what it brings, the model has never
seen.
"""
REFERENCE = "item_reference"


def wire_of(path: str) -> tuple[str, str, str] | None:
    without_query, _, _ = path.partition("?")
    for wire in WIRES:
        end_of_path, _, _ = wire
        if without_query.endswith(end_of_path):
            return wire
    return None


def kept_there(document: Mapping[str, Any], elements: Sequence[Any]) -> bool:
    """Whether the provider keeps the conversation, or a part of it."""
    if any(document.get(key) is not None for key in KEPT_THERE):
        return True
    return any(map(_is_reference, elements))


def _is_reference(element: Any) -> bool:
    return isinstance(element, dict) and element.get("type") == REFERENCE


_MODEL = re.compile(rb'"model"\s*:\s*"([\x21\x23-\x5b\x5d-\x7e]{1,100})"')
_END = 4_096
"""Bytes at both ends of a request in which clients write what they ask beside the messages."""


def model_of(body: Bytes) -> str:
    """The model that a request asks, without reading all of it; empty where it does not stand at
    either end.
    """
    named = _MODEL.search(body[:_END]) or _MODEL.search(body[-_END:])
    if named is None:
        return ""
    return named[1].decode("ascii")
