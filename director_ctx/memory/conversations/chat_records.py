"""What a chat is made of in the store: rows, and points that say how far it had come; values."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class ChatRow(Record):
    """One thing that was said in a chat."""

    place: int
    """1, 2, … in the chat."""
    role: str
    text: str
    tool: str = ""
    call: str = ""
    """The id that a call and its result share."""
    error: bool = False
    response: str = ""
    """The answer that it is of."""
    usage: Mapping[str, int] = {}
    """What the answer took that it is the first row of."""
    id: str = ""
    archived: bool = False


class ChatPoint(Record):
    """How far a chat had come."""

    number: int
    """1, 2, … in the chat."""
    kind: str
    """How it came here: a turn, a reset, an undo."""
    provider: str
    model: str
    response: str | None
    """The provider's id of the answer; None where it is to be asked afresh."""
    tokens: int
    """In the model's window, as the provider counts them."""
    reach: Mapping[str, Any]
    """From which place to which it goes, and what stands for the rest."""
    made_at: str = ""
    id: str = ""


class ChatNews(Record):
    """What is written at once."""

    rows: tuple[ChatRow, ...] = ()
    point: ChatPoint | None = None
    archived: tuple[str, ...] = ()
    """The ids of messages that are taken back."""
