"""`dctx history import`: a client's session taken into the store."""

from __future__ import annotations

from director_ctx.assembling.overfull import warnings_at
from director_ctx.base.errors import OK, DctxError
from director_ctx.base.text import counted, plain
from director_ctx.context.settings.budget import count_chars
from director_ctx.context.settings.options import hooks_of
from director_ctx.doors.cli.conversations.session_input import transcript_here
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.history.sessions.add import copy_in_store, import_transcript, messages_to_import
from director_ctx.history.sessions.files import STORE, short_id
from director_ctx.history.sessions.transcript import tokens_of_store
from director_ctx.memory.store.open import open_conversation, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.sessions.transcript import WholeTranscript


def run(values: dict[str, Any]) -> int:
    transcript = transcript_here(values, "history import", with_store=False)
    if values["session"] is None and transcript.session.client == STORE:
        raise DctxError(
            "There is no session of a client in this project.",
            "Name a file, or the id of a session: `dctx history list --all`.",
        )
    for note in transcript.damage:
        say(note)
    rows = list(messages_to_import(transcript))
    only_shown = values["dry_run"]
    project = project_here(values["root"])
    with open_conversation(project, write=not only_shown) as store:
        # Looked for before its rows are in the store, where it would be a copy of itself.
        copy = copy_in_store(store, transcript, rows)
        new = None if only_shown else len(import_transcript(store, transcript))
        tokens = tokens_of_store(store, count_chars)

    # Brought in once more it adds nothing, and needs no warning.
    if copy and new != 0:
        kind = "A shortened copy" if copy.shortened else "A copy"
        name = plain(short_id(copy.session))
        say(
            f"{kind}: session {name}, which is in the store, has {copy.messages:,} of its messages.",
            "With --dry-run you see this before anything is taken into the store.",
        )
    if values["json"]:
        put_json({"session": transcript.session.id, "messages": len(rows), "new": new})
    else:
        put_lines([(_outcome(transcript, len(rows), new), "")])
    for warning in warnings_at(tokens, hooks_of(project)):
        say(f"warning: {warning}")
    return OK


def _outcome(transcript: WholeTranscript, rows: int, new: int | None) -> str:
    """How much of the session is in the store; `new` is None where nothing was to be written."""
    session = short_id(transcript.session.id)
    messages = len({row.message for row, _ in transcript.rows})
    # The store keeps calls and results as messages of their own, and leaves out what nobody said.
    what = f"{counted(messages, 'message')} of session {session}"
    if rows < messages:
        what = f"{rows:,} of the {messages:,} messages of session {session}"
    elif rows > messages:
        what += f", {rows:,} with calls and results apart,"

    if new is None:
        return f"{what} would be in the store; nothing was written."
    if new == 0:
        return f"Nothing is new: {what} are in the store already."
    if rows > new:
        return f"{what} are in the store; {rows - new:,} of them were there."
    return f"{what} are in the store."
