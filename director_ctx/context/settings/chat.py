"""How chats go in a project: the `chat` of `dctx.yaml`."""

from __future__ import annotations

from director_ctx.base.record import Record

DELIVERIES = ("pull", "push", "hybrid")
"""How much of a context the model is told at once."""
SUMMARY, REFRESH, CHECKPOINT = "summary", "refresh", "checkpoint"
RESETS = (SUMMARY, REFRESH, CHECKPOINT)
"""What is done when a conversation grows: it begins anew with a summary; what tools answered is asked again and
takes the place of the old answers; or it goes on from a checkpoint, with the summary in its instructions.
"""


class ChatSettings(Record):
    context: str = ""
    """How much of a context the model is told at once; empty where the environment says it."""
    tools: str = "few"
    reset: str = SUMMARY
    limit: int = 0
    """Tokens that no request passes; 0 for `hooks.urgent`."""
    background: bool = False
    """Whether answers are made in the background, for models that take long."""
    provider_keeps: bool = True
    """Whether the provider may keep what was said; without that everything is sent each time."""
