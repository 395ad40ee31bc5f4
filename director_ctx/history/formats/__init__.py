"""Every way in which conversations are written down, and which of them a text is. Begin with
`traits`, which lists them.
"""

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

        NAME: str

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

    class LineFormat(Format, Protocol):
        """A format of JSON lines, as `Traits.lines` says."""

        def may_be_read(self, line: dict[str, Any]) -> bool:
            """Whether a line can be of the conversation. Others are not held in memory."""
            ...


FORMATS = tuple(TRAITS)
"""By name, in the order in which they are tried: the particular before the general."""
_OTHER_NAMES = {"claude": "claude-code"}
"""How the same is called where clients are named."""


def format_name(name: str) -> str:
    """The name of a format, however it is called."""
    own_name = _OTHER_NAMES.get(name, name)
    if own_name not in FORMATS:
        names = ", ".join(FORMATS)
        raise UsageProblem(f"There is no format {name!r}.", f"Choose one of: {names}")
    return own_name


def load(name: str) -> Format:
    """The module of a format. Only those that are asked for are imported."""
    module_name = format_name(name).replace("-", "_")
    module: Format = __import__(
        f"director_ctx.history.formats.{module_name}",
        fromlist=["decode"],
    )
    return module


def load_lines(name: str) -> LineFormat:
    """The module of a format that has lines."""
    module: LineFormat = load(name)  # type: ignore[assignment]
    return module


def format_of(document: Any) -> Format | None:
    """The format that a document is in; None if nobody knows it."""
    for name in FORMATS:
        module = load(name)
        if module.fits(document):
            return module
    return None


class Unread(DctxError):
    """The text is no conversation that we know."""
