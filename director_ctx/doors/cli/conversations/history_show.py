"""`dctx history show`: a conversation as people read it."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.base.text import counted
from director_ctx.context.conversation.speakers import DIRECTOR
from director_ctx.context.conversation.text import Said, shown
from director_ctx.doors.cli.conversations.transcript_input import transcript_here
from director_ctx.doors.cli.shared.output import is_on_screen, put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, rows_wanted
from director_ctx.history.sessions.files import STORE
from director_ctx.history.sessions.render import (
    ANSWERED,
    CALLED,
    THOUGHT,
    Row,
    is_context,
    shortened,
)
from director_ctx.history.sessions.row_places import rows_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from director_ctx.history.sessions.transcript import WholeTranscript

ARCHIVED = "(archived) "
AGENTS = {
    "claude-code": "Claude",
    "codex": "Codex",
}
"""What the model is called, by the format of its client's sessions."""


def show(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    full = values["full"]
    transcript = transcript_here(values, "history show")
    for note in transcript.notes:
        say(note)
    if not transcript.rows:
        _nothing_in(transcript)

    everything = _shown_rows(transcript, full)
    rows = _last(everything, last)
    if values["json"]:
        session = transcript.session
        messages = rows_json(transcript, rows)
        put_json({"session": session.id, "client": session.client, "messages": messages})
        return OK

    # Numbered from the first message on, however few are shown.
    said = [Said(row.role, _text(row, full)) for row, _ in everything]
    texts = list(shown(said, _agent(transcript)))[len(everything) - len(rows) :]
    archived = [is_archived for _, is_archived in rows]
    _print(zip(texts, archived, strict=True))

    left = len(transcript.rows) - len(everything)
    if left:
        what = counted(left, "piece")
        say(f"Left out: {what} of context that the client attached; --full shows all of it.")
    return OK


def _agent(transcript: WholeTranscript) -> str:
    # The store has what the director said.
    if transcript.session.client == STORE:
        return DIRECTOR
    return AGENTS.get(transcript.now.format, "Assistant")


def _nothing_in(transcript: WholeTranscript) -> None:
    if transcript.session.client == STORE:
        say(
            "The store has no messages yet.",
            "`dctx history import` takes a client's session into the store.",
        )
    else:
        say("Nothing was said in this conversation yet.")


def _shown_rows(transcript: WholeTranscript, full: bool) -> list[tuple[Row, bool]]:
    """Contexts that a client put there only where everything is wanted."""
    if full:
        return list(transcript.rows)
    rows = []
    for row, archived in transcript.rows:
        if not is_context(row):
            rows.append((row, archived))
    return rows


def _last(rows: list[tuple[Row, bool]], last: int) -> list[tuple[Row, bool]]:
    """The rows of so many of the newest messages; all of them for 0."""
    # A message may be several rows, and is never cut between them.
    numbers = sorted({row.message for row, _ in rows})
    if not 0 < last <= len(numbers):
        return rows

    first = numbers[-last]
    newest = []
    for row, archived in rows:
        if row.message >= first:
            newest.append((row, archived))
    return newest


def _text(row: Row, full: bool) -> str:
    if full or row.role not in (CALLED, ANSWERED, THOUGHT):
        return row.text
    return shortened(row.text)


def _print(texts: Iterable[tuple[str, bool]]) -> None:
    """Greyed on a terminal what is archived; in a pipe it is marked."""
    if not is_on_screen():
        pieces = []
        for text, archived in texts:
            if archived:
                pieces.append(ARCHIVED)
            pieces.append(f"{text}\n\n")
        put("".join(pieces))
        return

    lines = []
    for text, archived in texts:
        style = ""
        if archived:
            style = "dim"
        for line in text.split("\n"):
            lines.append((line, style))
        lines.append(("", style))
    put_lines(lines, tabs=True)
