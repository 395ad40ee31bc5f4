"""`dctx history handover`: what a session left, for whoever goes on with it."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError
from director_ctx.base.text import counted, plain
from director_ctx.context.settings.budget import count_chars
from director_ctx.doors.cli.conversations.transcript_input import transcript_here
from director_ctx.doors.cli.shared.history_input import STDIN
from director_ctx.doors.cli.shared.output import is_on_screen, put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.history.handover.running import handover_of
from director_ctx.history.handover.write import newest, written
from director_ctx.history.sessions.files import STORE, short_id
from director_ctx.history.sessions.find import FILE
from director_ctx.history.sessions.transcript import every_message
from director_ctx.history.summaries.summarize import wanted_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.handover.handover import Handover
    from director_ctx.history.sessions.files import Session

USUAL_TOKENS = 3_000


def run(values: dict[str, Any]) -> int:
    room = wanted_tokens("--target-tokens", values["target_tokens"], USUAL_TOKENS)
    transcript = transcript_here(values, "history handover")
    for note in transcript.damage:
        say(note)
    session = transcript.session
    handover = newest(handover_of(every_message(transcript)))
    if values["json"]:
        put_json({"session": session.id, "client": session.client, **handover.as_json()})
        return OK

    name = _name(session, values["session"])
    opening = _opening(session, name)
    text = written(handover, room - count_chars(opening), count_chars)
    if not text:
        raise _nothing_written(handover, name, room)
    put_wrapped(f"{opening}{text}")
    say(
        f'`claude "$(dctx history handover {name})"` starts a session that goes on with it; '
        f"`dctx history handover {name} | claude -p` asks once."
    )
    return OK


def put_wrapped(text: str) -> None:
    """To be read on a terminal; whoever it is piped to gets each line whole."""
    if not is_on_screen():
        put(text)
        return
    lines = text.removesuffix("\n").split("\n")
    put_lines([(line, "") for line in lines])


def _nothing_written(handover: Handover, name: str, room: int) -> DctxError:
    if written(handover, USUAL_TOKENS, count_chars):
        return DctxError(
            f"The hand-over of session {name} has no room in {counted(room, 'token')}.",
            f"--target-tokens says how many it may have; {USUAL_TOKENS:,} are usual.",
        )
    return DctxError(
        f"There is nothing to hand over of session {name}.",
        f"`dctx history show {name}` shows what was said in it.",
    )


def _name(session: Session, named: str | None) -> str:
    """By which commands find it again; a file as it was named."""
    if session.client == FILE:
        return plain(named or STDIN)
    return short_id(session.id)


def _opening(session: Session, name: str) -> str:
    """For the model that reads it: what it is, and where all of it is."""
    if session.client == STORE:
        return "Go on with the work of this conversation. This is its hand-over.\n\n"
    return (
        "Go on with the work of an earlier session. This is its hand-over; "
        f"`dctx history show {name}` has all that was said.\n\n"
    )
