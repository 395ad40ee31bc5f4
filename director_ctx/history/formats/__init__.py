"""Every way in which conversations are written down, and which of them a text is."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.history.formats.traits import TRAITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from director_ctx.history.messages.message import Conversation, Message

    class Format(Protocol):
        """A module that knows one format."""

        def fits(self, document: Any) -> bool:
            """Whether a parsed document (or, of JSON lines, the first few objects) looks like this
            format.
            """
            ...

        def decode(self, document: Any) -> Conversation:
            """Every message that the model reads, in order, each with its raw form."""
            ...

        def encode(self, conversation: Conversation, messages: Sequence[Message]) -> Any:
            """The document again with these messages: untouched ones by their raw form, changed and
            added ones made.
            """
            ...


FORMATS = tuple(TRAITS)
"""By name, in the order in which they are tried: the particular before the general."""
_ALSO = {"claude": "claude-code"}
"""How the same is called where clients are named."""


def proper(name: str) -> str:
    """The name of a format, however it is called."""
    found = _ALSO.get(name, name)
    if found not in FORMATS:
        raise UsageProblem(f"There is no format {name!r}.", "Choose one of: " + ", ".join(FORMATS))
    return found


def load(name: str) -> Format:
    module: Format = __import__(
        f"director_ctx.history.formats.{proper(name).replace('-', '_')}", fromlist=["decode"]
    )
    return module


def format_of(document: Any) -> Format | None:
    """The format that a document is in; None if nobody knows it."""
    return next((module for name in FORMATS if (module := load(name)).fits(document)), None)


class Unread(DctxError):
    """The text is no conversation that we know."""
