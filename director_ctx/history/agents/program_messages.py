"""Messages as a program gives them, read as a conversation, and what it is given back: of the same
kind.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.history.agents import langchain_messages
from director_ctx.history.formats import FORMATS, format_of
from director_ctx.history.messages.message import measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Conversation, Count, Message

    Encode = Callable[[Conversation, Sequence[Message]], Any]


class Processed(list["Any"]):
    """The messages; whoever awaits them gets them too."""

    # The design awaits what `compress` returns; programs that are not asynchronous just take it.
    def __await__(self) -> Generator[Any, None, Processed]:
        async def itself() -> Processed:
            return self

        return itself().__await__()


def decoded(messages: Any) -> tuple[Conversation, Encode]:
    """A conversation out of message objects or of any format that we read, and the way back."""
    # Each of these could be listed, too: by keys, letters or numbers.
    if isinstance(messages, dict | str | bytes):
        raise UsageProblem("These are no messages.", "Give a list of messages.")

    listed = langchain_messages.as_objects(list(messages))
    if langchain_messages.fits(listed):
        return langchain_messages.decode(listed), langchain_messages.encode
    module = format_of(listed)
    if module is not None:
        return module.decode(listed), module.encode
    raise UsageProblem(
        "These messages are in no format that is known.",
        "Give messages of LangChain, or one of: " + ", ".join(FORMATS),
    )


def tokens_of(messages: Any, count: Count) -> int:
    """Of messages of any kind, also of none."""
    listed = list(messages)
    if not listed:
        return 0
    conversation, _ = decoded(listed)
    return measure(conversation.messages, count)
