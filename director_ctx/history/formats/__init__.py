"""Every format in which conversations are written, what is true of each, and which of them a text
is in. `document` reads and writes them.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record

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


class Traits(Record):
    """What may stand in a format, and where. Unless a row says otherwise, as OpenAI's chat has it."""

    lines: bool = False
    """It is JSON lines, of which some may hold other things than messages. Its module says which in
    `may_be_read`.
    """
    parts: bool = False
    """Its messages are parts as Anthropic has them; thoughts have a signature."""
    user_first: bool = False
    """The user begins, nothing that is said is blank, and results are the user's next words."""
    items: bool = False
    """Its messages are items, reasons with what is encrypted of them included; a result may come at
    any time after its call.
    """
    head: tuple[str, ...] = ()
    """Where the first words of the system stand, and the rest."""
    system_beside: bool = False
    """The system speaks beside the messages; as the first of them it is refused."""
    results_first: bool = False
    """Nothing stands before the results in a message."""
    between: bool = False
    """Other messages may come between a call and its result."""
    blank_answers: bool = False
    """Its client leaves out an answer that says nothing, and takes a blank line as a part of one
    that does.
    """
    ids_once: bool = False
    """No two calls of a conversation share an id; elsewhere no two calls of an answer do."""
    system: bool = True
    """A session holds the system prompt; where it does not, the client says what it has to in the
    user's name.
    """


TRAITS = {
    "claude-code": Traits(
        lines=True,
        parts=True,
        user_first=True,
        between=True,
        blank_answers=True,
        ids_once=True,
        system=False,
    ),
    "codex": Traits(lines=True, items=True, ids_once=True),
    "anthropic": Traits(
        parts=True,
        user_first=True,
        head=("system", "messages"),
        system_beside=True,
        results_first=True,
        ids_once=True,
    ),
    "openai-responses": Traits(items=True, head=("instructions", "input"), ids_once=True),
    "langchain": Traits(),
    "openai-chat": Traits(),
}
"""By name, in the order in which they are tried: the particular before the general."""
FORMATS = tuple(TRAITS)
STORE = "store"
"""What the store's own conversation has in the place of a format: it is read from its rows."""


class Unread(DctxError):
    """The text is no conversation in a known format."""


def format_name(name: str) -> str:
    """The name of a format, however it is called."""
    # Clients are named so.
    own_name = "claude-code" if name == "claude" else name
    if own_name not in FORMATS:
        names = ", ".join(FORMATS)
        raise UsageProblem(f"There is no format {name!r}.", f"Choose one of: {names}")
    return own_name


def load(name: str) -> Format:
    """The module of a format. Only those that are asked for are imported."""
    module_name = format_name(name).replace("-", "_")
    module: Format = __import__(f"director_ctx.history.formats.{module_name}", fromlist=["decode"])
    return module


def format_of(document: Any) -> Format | None:
    """The format that a document is in; None if nobody knows it."""
    return next((module for module in map(load, FORMATS) if module.fits(document)), None)
