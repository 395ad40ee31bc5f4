"""`dctx history handover`: what a session left, for whoever goes on with it."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError
from director_ctx.base.text import counted, plain
from director_ctx.context.settings.budget import count_chars
from director_ctx.context.tokens.counting import whole
from director_ctx.doors.cli.conversations.session_input import transcript_here
from director_ctx.doors.cli.shared.history_input import STDIN
from director_ctx.doors.cli.shared.output import is_on_screen, put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.history.handover.running import handover_of
from director_ctx.history.handover.write import newest, written
from director_ctx.history.sessions.files import STORE, short_id
from director_ctx.history.sessions.find import FILE
from director_ctx.history.sessions.transcript import every_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

USUAL_TOKENS = 3_000


def run(values: dict[str, Any]) -> int:
    tokens = whole(values["target_tokens"] or str(USUAL_TOKENS), "--target-tokens")
    transcript = transcript_here(values, "history handover")
    for note in transcript.damage:
        say(note)
    session = transcript.session
    handover = newest(handover_of(every_message(transcript)))
    if values["json"]:
        put_json({"session": session.id, "client": session.client, **handover.as_json()})
        return OK

    # By which commands find it again; a file as it was named.
    name = short_id(session.id)
    if session.client == FILE:
        name = plain(values["session"] or STDIN)
    # For the model that reads it: what it is, and where all of it is.
    opening = (
        "Go on with the work of an earlier session. This is its hand-over; "
        f"`dctx history show {name}` has all that was said.\n\n"
    )
    if session.client == STORE:
        opening = "Go on with the work of this conversation. This is its hand-over.\n\n"
    text = written(handover, tokens - count_chars(opening), count_chars)
    if text:
        put_wrapped(f"{opening}{text}")
        say(
            f'`claude "$(dctx history handover {name})"` starts a session that goes on with it; '
            f"`dctx history handover {name} | claude -p` asks once."
        )
        return OK
    if written(handover, USUAL_TOKENS, count_chars):
        raise DctxError(
            f"The hand-over of session {name} has no room in {counted(tokens, 'token')}.",
            f"--target-tokens says how many it may have; {USUAL_TOKENS:,} are usual.",
        )
    raise DctxError(
        f"There is nothing to hand over of session {name}.",
        f"`dctx history show {name}` shows what was said in it.",
    )


def put_wrapped(text: str) -> None:
    """To be read on a terminal; whoever it is piped to gets each line whole."""
    if is_on_screen():
        put_lines([(line, "") for line in text.removesuffix("\n").split("\n")])
    else:
        put(text)
