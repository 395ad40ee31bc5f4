"""What of a session's file cannot be read, and what stands behind that: a transcript goes on beyond
it.
"""

from __future__ import annotations

from director_ctx.base.json_bytes import notes_on_broken
from director_ctx.base.text import counted
from director_ctx.history.formats.document import Around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.history.messages.message import Conversation, Message


class Damage:
    """The damaged lines of a file, gathered piece by piece."""

    def __init__(self, data: bytes) -> None:
        self._number_of_lines = _number_of_lines(data)
        self._lines_before = 0
        self._broken: list[int] = []
        self._messages = 0

    def messages_past(self, conversation: Conversation) -> list[Message]:
        """What stands before damaged lines of this piece, where these cut it off."""
        around = conversation.frame
        if not isinstance(around, Around) or around.lines is None or not around.broken:
            return []
        # Only few sessions are damaged.
        from director_ctx.history.formats.claude_code import messages_before_gaps

        for number in around.broken:
            self._broken.append(self._lines_before + number)
        messages = messages_before_gaps(around.frame, around.lines, around.broken)
        self._messages += len(messages)
        return messages

    def add_lines(self, piece: bytes) -> None:
        """Those that follow are of the next piece."""
        self._lines_before += piece.count(b"\n")

    def notes(self) -> tuple[str, ...]:
        """What is to be said of it, by the numbers of lines in the whole file."""
        notes = notes_on_broken(self._broken, self._number_of_lines)
        if not self._messages:
            return notes
        messages = counted(self._messages, "message")
        past = (
            f"{messages} before a damaged line, to which no line leads any more, were read as well."
        )
        return (*notes, past)


def _number_of_lines(data: bytes) -> int:
    ends = data.count(b"\n")
    if data.endswith(b"\n"):
        return ends
    return ends + 1


def notes_without_damage(conversation: Conversation) -> Iterator[str]:
    """The others: numbers of lines in a piece say nothing of the file."""
    around = conversation.frame
    own: tuple[str, ...] = ()
    if isinstance(around, Around) and around.lines is not None:
        own = notes_on_broken(around.broken, len(around.lines.spans))
    for note in conversation.notes:
        if note not in own:
            yield note
