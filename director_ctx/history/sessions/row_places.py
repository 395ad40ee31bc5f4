"""Where the rows of a transcript stand: among the messages that the model reads now, and as JSON."""

from __future__ import annotations

from director_ctx.history.sessions.files import STORE
from director_ctx.history.sessions.transcript import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from director_ctx.history.messages.message import Message
    from director_ctx.history.sessions.render import Row
    from director_ctx.history.sessions.transcript import WholeTranscript


def row_places(transcript: WholeTranscript) -> Callable[[Row], int | None]:
    """The place of a row's message among those that the model reads now, as receipts and checks
    count: from 0.

    None for what is archived, and in the store, which is no history that could be shortened.
    """
    if transcript.session.client == STORE:
        return lambda row: None
    places: dict[str | int, int] = {}
    for place, message in enumerate(transcript.now.messages):
        places[_key_of(message)] = place

    def place_of(row: Row) -> int | None:
        if row.source is None:
            return None
        return places.get(_key_of(row.source))

    return place_of


def _key_of(message: Message) -> str | int:
    # Without a name only the object itself tells a message from another one that says the same.
    return identity(message) or id(message)


def rows_json(
    transcript: WholeTranscript, shown: Iterable[tuple[Row, bool]]
) -> list[dict[str, Any]]:
    """Rows of it as every door gives them.

    The number is that of `history show`, from 1; message and block are those of a receipt, from 0.
    """
    place = row_places(transcript)
    documents = []
    for row, archived in shown:
        block = row.block
        source = row.source
        documents.append(
            {
                "number": row.message,
                "message": place(row),
                "block": block_number(row),
                "id": identity(source) if source else "",
                "role": row.role,
                "text": row.text,
                "tool": block.tool if block else "",
                "call": block.call if block else "",
                "error": block.error if block else None,
                "time": source.when if source else "",
                "archived": archived,
            }
        )
    return documents


def block_number(row: Row) -> int | None:
    """Which block of its message it is."""
    blocks = row.source.blocks if row.source else ()
    for number, block in enumerate(blocks):
        # Two blocks may say the same, so it is looked for by identity.
        if block is row.block:
            return number
    return None
