"""What a turn asks to be carried out, and what comes of the whole of it; values."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.chat.exchange import Asked, ToolResult, ToolUse, TurnUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.state import ChatState
    from director_ctx.memory.conversations.chat_records import ChatRow

ANSWERED_WELL, LIMITED, FAILED = "answered", "limited", "failed"
CUT_OFF = "incomplete"
"""The answer was cut off, refused, or has nothing in it."""


class TurnStep(Record):
    """Something to be carried out. What is expected back is said by each."""


class Keep(TurnStep):
    """Into the store, at once. Expects the state with it."""

    state: ChatState
    rows: tuple[ChatRow, ...] = ()
    kind: str = ""
    """Of the point. An empty one is for rows alone; without those nothing is kept."""
    originals: tuple[str, ...] = ()


class Ask(TurnStep):
    """Expects a Reply or an ExchangeFailure."""

    asked: Asked


class Poll(TurnStep):
    """For an answer that is being worked on. Expects a Reply or an ExchangeFailure."""

    response: str


class UseTools(TurnStep):
    """Expects a tuple of ToolResult, in the order of the calls, and how many seconds they took."""

    uses: tuple[ToolUse, ...]


class SumUp(TurnStep):
    """Expects the id and the text of a summary, and the locator of what it stands for."""

    chat: str
    rows: tuple[ChatRow, ...]


class Forget(TurnStep):
    """A summary that is told nobody: what it stands for is open again. Expects nothing."""

    summary: str


class Tell(TurnStep):
    """To the user. Expects nothing."""

    text: str


class Turn(Record):
    """What came of a turn."""

    text: str
    ended: str = ANSWERED_WELL
    why: str = ""
    hint: str = ""
    usage: TurnUsage = TurnUsage()
    tokens: int = 0
    """In the window, after it."""
    results: tuple[ToolResult, ...] = ()
    response: str | None = None
