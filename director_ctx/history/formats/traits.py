"""What is true of each format: what may stand in it, and where. A row for each, in the order they
are tried in.
"""

from __future__ import annotations

from director_ctx.base.record import Record


class Traits(Record):
    """Unless a row says otherwise, as OpenAI's chat has it."""

    lines: bool = False
    """It is JSON lines, of which some may hold other things than messages."""
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
    calls: bool = True
    """Calls of tools have a place of their own."""


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
    "codex": Traits(
        lines=True,
        items=True,
        ids_once=True,
    ),
    "anthropic": Traits(
        parts=True,
        user_first=True,
        head=("system", "messages"),
        system_beside=True,
        results_first=True,
        ids_once=True,
    ),
    "openai-responses": Traits(
        items=True,
        head=("instructions", "input"),
        ids_once=True,
    ),
    "langchain": Traits(),
    "openai-chat": Traits(),
    "rows": Traits(calls=False),
}
"""By name; the particular before the general."""
