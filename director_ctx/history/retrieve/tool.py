"""The tool by which a model gets back what was cut, as each API is told of it."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Object = dict[str, Any]

NAME = "dctx_original"
DESCRIPTION = "The whole text that was cut from this conversation, by the locator in its place."
WIRES = ("anthropic", "openai-chat", "openai-responses")
"""The forms in which an API may be told of it."""


def definition(wire: str) -> Object:
    """In the form of one API. The bytes are always the same, so that a provider's cache holds."""
    if wire == "anthropic":
        return {"name": NAME, "description": DESCRIPTION, "input_schema": parameters()}
    described = {"name": NAME, "description": DESCRIPTION, "parameters": parameters()}
    if wire == "openai-chat":
        return {"type": "function", "function": described}
    if wire == "openai-responses":
        return {"type": "function", **described, "strict": False}
    raise UsageProblem(f"There is no wire {wire[:40]!r}.", f"One of: {', '.join(WIRES)}.")


def parameters() -> Object:
    """What it takes, as JSON Schema."""
    return {
        "type": "object",
        "properties": {
            "locator": {"type": "string", "description": "Such as dctx:3f2a9c01b4de."},
            "page": {"type": "integer", "minimum": 1},
        },
        "required": ["locator"],
    }
