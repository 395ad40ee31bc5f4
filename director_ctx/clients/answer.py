"""What a client accepts as an answer: exactly its own keys, and never a decision about permission."""

from __future__ import annotations

from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.event import Event

_CURSOR, _GEMINI = CLIENTS["cursor"], CLIENTS["gemini"]


def with_prompt(event: Event, prompt: str) -> dict[str, Any]:
    """The tool's input with another prompt; every other field as it was."""
    changed = {**event.input, "prompt": prompt}
    if event.client == _CURSOR:
        return {"updated_input": changed}
    if event.client == _GEMINI:
        return _specific(event, {"tool_input": changed})
    return _specific(event, {"updatedInput": changed})


def with_context(event: Event, text: str) -> dict[str, Any]:
    """Text for the context of whoever starts or asks."""
    if event.client == _CURSOR:
        return {"additional_context": text}
    if event.client.on_top:
        return {"additionalContext": text}
    return _specific(event, {"additionalContext": text})


def _specific(event: Event, fields: dict[str, Any]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event.name, **fields}}
