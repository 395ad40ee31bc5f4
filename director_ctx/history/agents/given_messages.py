"""Messages as a program gives them, read as a conversation, and what it is given back: of the same
kind.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.history.messages.message import measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Conversation, Count, Message

    Encode = Callable[[Conversation, Sequence[Message]], Any]


class Processed(list["Any"]):
    """The messages; whoever awaits them gets them too."""

    def __await__(self) -> Generator[Any, None, Processed]:
        async def itself() -> Processed:
            return self

        return itself().__await__()


def decoded(messages: Any) -> tuple[Conversation, Encode]:
    """A conversation out of message objects or of any format that we read, and the way back."""
    from director_ctx.history.agents import messages as langchain_messages
    from director_ctx.history.formats import FORMATS, format_of

    if isinstance(messages, dict | str | bytes):
        raise UsageProblem("These are no messages.", "Give a list of messages.")
    messages = langchain_messages.as_objects(list(messages))
    if langchain_messages.fits(messages):
        return langchain_messages.decode(messages), langchain_messages.encode
    if (module := format_of(messages)) is not None:
        return module.decode(messages), module.encode
    raise UsageProblem(
        "These messages are in no format that is known.",
        "Give messages of LangChain, or one of: " + ", ".join(FORMATS),
    )


def tokens_of(messages: Any, count: Count) -> int:
    """Of messages of any kind, also of none."""
    messages = list(messages)
    return measure(decoded(messages)[0].messages, count) if messages else 0
