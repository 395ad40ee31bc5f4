"""One message of a conversation, by the place that a search shows."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.history.sessions.files import STORE
from director_ctx.history.sessions.find import choose, folder_of, starting_with
from director_ctx.history.sessions.transcript import read_transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.sessions.files import Session

SEARCH_AGAIN = "Search again: it shows places that there are."


def message_text(root: str, start: str, number: int) -> str:
    """Who said what in a message, by the start of its session's id; only of this project."""
    session = _session(root, start)
    said = []
    for row, _ in read_transcript(session, root).rows:
        if row.message == number:
            said.append(f"{row.role}: {row.text}")
    if not said:
        raise DctxError(f"Conversation {plain(start)} has no message {number}.", SEARCH_AGAIN)
    return "\n\n".join(said)


def _session(root: str, start: str) -> Session:
    """No path is one: what is no conversation of the project is not read."""
    if start == STORE:
        return choose(STORE, root)
    sessions = starting_with(start, folder_of(root))
    if not sessions:
        raise DctxError(f"This project has no conversation {plain(start[:80])}.", SEARCH_AGAIN)
    if len(sessions) > 1:
        raise DctxError(
            f"{plain(start)} is the start of {len(sessions)} conversations of this project.",
            SEARCH_AGAIN,
        )
    return sessions[0]
