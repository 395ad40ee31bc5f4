"""What can be changed about conversations: a compression made, and one taken back."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock

from director_ctx.base.errors import DctxError
from director_ctx.base.text import counted
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.doors.ui.pages.conversations.compressible import share_of, wish
from director_ctx.doors.ui.pages.conversations.read_sessions import (
    address_of,
    read_session,
    session_named,
)
from director_ctx.doors.ui.visit import Done
from director_ctx.history.compress.progress import DONE
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.sessions.add import copy_in_store, import_transcript, messages_to_import
from director_ctx.history.sessions.copies import copies_of, make_copy, plan_copy, take_back
from director_ctx.history.sessions.files import STORE, short_id
from director_ctx.history.summaries import summaries
from director_ctx.history.summaries.summaries import SummaryWay
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.history.compress.progress import Tell
    from director_ctx.history.sessions.files import Session

    Form = dict[str, str]

_one_at_a_time = Lock()
WHOLE, HALF = 100, 50
"""Percent: reading a session takes as long as writing it into the store."""
LOOK_AGAIN = "Look at what it would be now, and decide again."


def compress(visit: Visit, form: Form) -> Done:
    """Originals are kept before anything is written."""
    session = session_named(visit)
    if session.client == STORE:
        says = _sum_up(visit, form)
    else:
        with _shown(visit, f"compress {session.id}") as tell:
            says = _copy(visit, session, form, tell)
    return Done(says, visit.link(address_of(session.id)))


@contextmanager
def _shown(visit: Visit, name: str) -> Iterator[Tell]:
    """Every page that shows the conversation shows how far it is; in the end, that it is over."""

    def tell(done: str) -> None:
        visit.progress(name, DONE[done], WHOLE, f"{done}: {DONE[done]} %")

    try:
        yield tell
    finally:
        visit.progress(name, WHOLE, WHOLE)


def _sum_up(visit: Visit, form: Form) -> str:
    count, _ = choose_counter(None)
    way = SummaryWay(count)
    selected = form.get("select", "").strip() or None
    with open_conversation(visit.project, write=True) as store:
        plan = summaries.planned(store, count, selected)
        last = plan.kept[-1].id
        # Whoever agreed did so to the messages that were shown.
        if form.get("last") not in (None, "", last):
            raise DctxError("Messages came meanwhile, so nothing was compressed.", LOOK_AGAIN)
        text = summaries.write_summary(plan, way)
        summary = summaries.keep(store, plan, text, way)
    return (
        f"{counted(len(plan.kept), 'message')} summed up: a summary of {summary.tokens_out:,} tokens"
        f" stands for {summary.tokens_in:,}."
    )


def _copy(visit: Visit, session: Session, form: Form, tell: Tell) -> str:
    here = ProjectHere(visit.project.root)
    chosen = wish(share_of(form.get("keep", "")), form.get("words", "").strip(), here)
    # Who presses twice means one.
    with _one_at_a_time:
        if any(copy.waits for copy in copies_of(visit.project.root, session.id)):
            raise DctxError(
                "There is a shorter copy of this conversation already.", "Undo it, or go on in it."
            )
        cut = plan_copy(session, chosen.replace(tell=tell), here)
        copy = make_copy(session, cut, here, tell)
    return f"A copy with {counted(copy.saved, 'token')} less was made."


def take_in(visit: Visit, form: Form) -> Done:
    """A client's session into the store, where a summary can stand for it."""
    name = f"take-in {visit.parts['session']}"
    try:
        return _take_in(visit, name)
    finally:
        visit.progress(name, WHOLE, WHOLE)


def _take_in(visit: Visit, name: str) -> Done:
    read = read_session(visit)
    visit.progress(name, HALF, WHOLE, f"It is read: {HALF} %")
    rows = list(messages_to_import(read.transcript))
    with open_conversation(visit.project, write=True) as store:
        known = copy_in_store(store, read.transcript, rows)
        if known:
            raise DctxError(
                f"The store has {known.messages:,} of its messages from another session already.",
                f"`dctx history import {short_id(read.session.id)}` takes it in all the same.",
            )
        new = import_transcript(store, read.transcript)
    says = f"{counted(len(new), 'message')} taken into the store."
    if not new:
        says = "Nothing is new: the store has all of it."
    return Done(says, visit.link(address_of(STORE)))


def undo(visit: Visit, form: Form) -> Done:
    session = session_named(visit)
    what = form.get("what", "")
    if session.client == STORE:
        with open_conversation(visit.project, write=True) as store:
            _, messages = summaries.undo(store, what)
        says = (
            f"The summary was taken away: {counted(messages, 'message')} back in the conversation."
        )
        return Done(says, visit.link(address_of(STORE)))

    for copy in copies_of(visit.project.root, session.id):
        if copy.receipt == what:
            take_back(copy, ProjectHere(visit.project.root))
            says = "The shorter copy was taken away; the conversation is as it was."
            return Done(says, visit.link(address_of(session.id)))
    raise DctxError("There is no such copy any more.", LOOK_AGAIN)
