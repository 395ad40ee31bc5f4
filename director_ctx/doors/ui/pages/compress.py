"""What a compression would take away, before anybody agrees; what one removed; and the actions that make one and take
it back.
"""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from threading import Lock

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record, as_dict
from director_ctx.base.text import counted
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.doors.ui.pages.conversations import (
    CLIENTS,
    MOST_TEXT,
    ReadSession,
    address_of,
    read_session,
    session_json,
    session_named,
)
from director_ctx.doors.ui.visit import Done, NotThere, Visit
from director_ctx.history.compress.options import Wish, wish_for
from director_ctx.history.compress.progress import DONE
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.compress.receipt import DIGESTED, Receipt
from director_ctx.history.compress.restore import by_kind, first_lines, original, receipt_of
from director_ctx.history.messages.message import ADDED, size
from director_ctx.history.sessions.add import copy_in_store, import_transcript, messages_to_import
from director_ctx.history.sessions.copies import (
    ShorterCopy,
    copies,
    copies_of,
    every_copy,
    make_copy,
    plan_copy,
    take_back,
)
from director_ctx.history.sessions.files import CLAUDE, STORE, Session, short_id
from director_ctx.history.sessions.spending import title
from director_ctx.history.sessions.told import shown_text
from director_ctx.history.sessions.transcript import block_number, row_places
from director_ctx.history.summaries import summaries
from director_ctx.history.summaries.selection import fresh_messages
from director_ctx.history.summaries.summaries import SummaryWay
from director_ctx.memory.conversations.summaries import compressions
from director_ctx.memory.store.notice import shared_unasked
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.compress.decide import Compressed
    from director_ctx.history.compress.progress import Tell

    Json = dict[str, Any]
    from collections.abc import Iterable, Iterator

    from director_ctx.project.project import Project

    Form = dict[str, str]

MOST_PREVIEW, MOST_PIECES = 20_000, 12


def compress_data(visit: Visit) -> Json:
    session = session_named(visit)
    shown: Json = {"session": session_json(session), "trouble": "", "hint": ""}
    try:
        if session.client == STORE:
            return {**shown, **_summary(visit)}
        return {**shown, **_copy(visit, session)}
    except DctxError as error:
        return {**shown, "trouble": shown_text(error.head), "hint": error.hint}


def _summary(visit: Visit) -> Json:
    """Of the store's messages: nothing is written before somebody agrees."""
    select = visit.asked("select").strip()
    count, _ = choose_counter(None)
    way = SummaryWay(count)
    with open_conversation(visit.project) as store:
        plan = summaries.planned(store, count, select or None)
        text = summaries.write_summary(plan, way)
    return {
        "select": select,
        "messages": plan.spoken,
        "others": len(plan.kept) - plan.spoken,
        "last": plan.kept[-1].id,
        "tokens_in": summaries.stands_for(plan, count),
        "tokens_out": count(text),
        "builds_on": [each.as_json(whole=False) for each in plan.earlier],
        "warnings": [shown_text(warning) for warning in plan.warnings],
        "preview": shown_text(text)[:MOST_PREVIEW],
    }


def _copy(visit: Visit, session: Session) -> Json:
    here = ProjectHere(visit.project.root)
    share = share_of(visit.asked("keep"))
    words = visit.asked("words").strip()
    cut = plan_copy(session, wish(share, words, here), here)
    result = cut.result
    receipt = result.receipt
    cuts = [as_dict(each) for each in receipt.cuts]
    read = read_session(visit)
    pieces = by_name(named_cuts(cuts, cut_places(read)))
    window_after = max(0, read.window - receipt.tokens_in + receipt.tokens_out)
    return {
        "keep": share,
        "words": words,
        "messages": len({each.message for each in receipt.cuts}),
        "of": len(result.before.messages),
        "tokens_in": receipt.tokens_in,
        "tokens_out": receipt.tokens_out,
        "digest": _tokens_added(receipt),
        "strategy": result.by,
        "met": receipt.met,
        "why_not": receipt.why_not,
        "window": read.window,
        "unsaid": read.unsaid(receipt.tokens_in),
        "is_counted": bool(read.used and not read.copy),
        "window_after": window_after,
        "pieces": pieces,
        "warnings": [shown_text(note) for note in result.notes],
        "others_may_read": shared_unasked(visit.project),
        "preview": shown_text(_added(result))[:MOST_PREVIEW],
    }


def _tokens_added(receipt: Receipt) -> int:
    """What stands in the place of all that is gone."""
    saved = sum(cut.before - cut.after for cut in receipt.cuts)
    return max(0, saved - (receipt.tokens_in - receipt.tokens_out))


def _added(result: Compressed) -> str:
    """What stands in the place of the messages that are gone as a whole."""
    blocks = [
        block
        for message in result.after
        for block in message.blocks
        if message.index == ADDED or block.sources
    ]
    return "\n\n".join(block.text for block in blocks)


def compress_view(data: Json) -> Json:
    session = data["session"]
    shown = {
        "session": session,
        "client_name": CLIENTS.get(session["client"], session["client"]),
        "is_store": session["client"] == STORE,
        "goes_on": session["client"] == CLAUDE and not session["parent"],
        "address": address_of(session["id"]),
        "shares": SHARES,
        "facts": data,
        "trouble": data["trouble"],
    }
    if not data["trouble"]:
        shown["what"] = _what(data)
    if "window" in data:
        shown["shown_pieces"] = data["pieces"][:MOST_PIECES]
        shown["more_pieces"] = max(0, len(data["pieces"]) - MOST_PIECES)
    return shown


def _what(data: Json) -> str:
    """The exact count in words."""
    if data["session"]["client"] == STORE:
        what = counted(data["messages"], "message")
        if data["others"]:
            what += (
                f" of the user and the model, with {counted(data['others'], 'call')} and results"
            )
        return what
    return f"{data['messages']:,} of {counted(data['of'], 'message')}"


SHARES = ("70", "50", "30", "20", "10")
USUAL_SHARE = "50"
FEWEST_MESSAGES, FEWEST_TOKENS = 4, 2_000
"""A session with less has nothing that could be left out."""


def may_compress(project: Project, read: ReadSession) -> bool:
    """The store, as soon as something came since. A session that has a copy is compressed, and so is the
    copy, until somebody has gone on in it: each of them is a conversation like any other then.
    """
    if read.session.client == STORE:
        with open_conversation(project) as store:
            return bool(fresh_messages(store))
    for copy in copies(project.root):
        is_of_it = copy.session == read.session.id
        is_it = copy.path == read.session.path
        if (is_of_it or is_it) and copy.waits:
            return False
    messages = read.transcript.now.messages
    return len(messages) >= FEWEST_MESSAGES and size(messages) >= FEWEST_TOKENS


def share_of(said: str) -> str:
    return said if said in SHARES else USUAL_SHARE


def wish(share: str, words: str, here: ProjectHere) -> Wish:
    """The strategy that loses least, to this share of the tokens; what has these words stays."""
    options: dict[str, object] = {"ratio": int(share) / 100}
    if words:
        options["keep"] = [f"(?i){re.escape(words)}"]
    return wish_for(options, here)


SHORTER, GONE, IN_DIGEST = "shortened", "gone", "in the digest"


class CutPlace(Record):
    """A block of a conversation, as people know it."""

    number: int
    """Of its message."""
    what: str
    """Who said it, or the tool."""
    about: str
    """The file or command."""


def cut_places(read: ReadSession) -> dict[tuple[int, int], CutPlace]:
    """By message and block, as a receipt counts them."""
    place_of = row_places(read.transcript)
    known: dict[tuple[int, int], CutPlace] = {}
    for entry in read.told.entries:
        what = title(entry.about[:2])
        about = "".join(entry.about[2:])
        for row in entry.rows:
            place = place_of(row)
            block = block_number(row)
            if place is not None and block is not None:
                known[place, block] = CutPlace(row.message, what, about)
    return known


def named_cuts(cuts: Iterable[Json], known: dict[tuple[int, int], CutPlace]) -> list[Json]:
    """The largest first. What its conversation does not tell any more has the name of its tool."""
    rows = []
    for cut in cuts:
        name = cut["tool"] or cut["kind"]
        at = (cut["message"], cut["block"])
        place = known.get(at) or CutPlace(0, name, "")
        row = {
            **cut,
            **as_dict(place),
            "became": _became(cut),
        }
        rows.append(row)
    rows.sort(key=lambda row: row["after"] - row["before"])
    return rows


def by_name(rows: Iterable[Json]) -> list[Json]:
    """Together what has one name and became the same; the largest first."""
    groups: dict[tuple[str, str, str], Json] = {}
    for row in rows:
        name = (row["what"], row["about"], row["became"])
        begun = dict(zip(("what", "about", "became"), name, strict=True))
        group = groups.setdefault(name, {**begun, "times": 0, "before": 0, "after": 0})
        group["times"] += 1
        group["before"] += row["before"]
        group["after"] += row["after"]
    return sorted(groups.values(), key=lambda group: int(group["after"] - group["before"]))


def _became(cut: Json) -> str:
    if cut["after"]:
        return SHORTER
    if cut["action"] == DIGESTED:
        return IN_DIGEST
    return GONE


MOST_ORIGINALS, MARGIN = 40, 400


def compression_data(visit: Visit) -> Json:
    """By the start of an id: of a summary first, as there are fewer of them."""
    name = visit.parts["id"]
    with open_conversation(visit.project) as store:
        for summary in compressions(store):
            if summary.id.startswith(name):
                document = summary.as_json()
                return {
                    "summary": {**document, "summary": shown_text(summary.text)},
                    "receipt": None,
                }
    try:
        receipt = receipt_of(name, visit.project.root)
    except DctxError as error:
        raise NotThere(
            error.message, "The list of compressions has those that there are."
        ) from error
    # What it made: it may be undone since.
    made = [copy for copy in every_copy(visit.project.root) if copy.receipt == receipt["id"]]
    copy = made[0] if made else None
    return {
        "summary": None,
        "receipt": receipt,
        "copy": as_dict(copy) if copy else None,
        "waits": bool(copy and copy.waits),
        "session": _session_of(visit, copy),
        "pieces": _pieces(visit, receipt, copy),
        "original": _original(visit, receipt),
    }


def _session_of(visit: Visit, copy: ShorterCopy | None) -> Json | None:
    """The conversation that was compressed, as long as its client keeps it."""
    if copy is None:
        return None
    try:
        return session_json(session_named(_at(visit, copy)))
    except DctxError:
        return None


def _pieces(visit: Visit, receipt: Json, copy: ShorterCopy | None) -> list[Json]:
    """With the names that the conversation has for them, where it is still there."""
    known: dict[tuple[int, int], CutPlace] = {}
    if copy:
        with suppress(DctxError):
            conversation = read_session(_at(visit, copy))
            known = cut_places(conversation)

    largest = named_cuts(receipt["cuts"], known)[:MOST_ORIGINALS]
    locators = [cut["locator"] for cut in largest]
    begins = first_lines(locators, visit.project.root)
    for cut in largest:
        line = begins.get(cut["locator"], "")
        cut["begins"] = shown_text(line[:400])[:200]
    return largest


def _at(visit: Visit, copy: ShorterCopy) -> Visit:
    return visit.replace(parts={"session": copy.session})


def _original(visit: Visit, receipt: Json) -> Json | None:
    """One of its originals in full, if it is asked for; never one of another compression."""
    locator = visit.asked("original")
    if locator not in [cut["locator"] for cut in receipt["cuts"]]:
        return None
    text = ""
    try:
        text = original(locator, visit.project.root).decode("utf-8", "replace")
    except DctxError as error:
        return {"locator": locator, "text": "", "left_out": 0, "trouble": error.message}
    return {
        "locator": locator,
        # A secret may end behind what is shown.
        "text": shown_text(text[: MOST_TEXT + MARGIN])[:MOST_TEXT],
        "left_out": max(0, len(text) - MOST_TEXT),
        "trouble": "",
    }


def compression_view(data: Json) -> Json:
    receipt = data["receipt"]
    if receipt is None:
        return {"summary": data["summary"], "receipt": None}
    kinds = []
    for kind, tool, *counts in by_kind(receipt["cuts"]):
        numbers = dict(zip(("blocks", "before", "after"), counts, strict=True))
        kinds.append({"kind": kind, "tool": shown_text(tool), **numbers})
    return {
        **data,
        "short": receipt["id"][:12],
        "share": receipt["tokens_out"] * 100 / max(1, receipt["tokens_in"]),
        "kinds": kinds,
        "number": _number_of(data),
        "more": len(receipt["cuts"]) - len(data["pieces"]),
    }


def _number_of(data: Json) -> int:
    """The message that the original which is shown was in; 0 where that is not known."""
    if data["original"] is None:
        return 0
    for piece in data["pieces"]:
        if piece["locator"] == data["original"]["locator"]:
            return int(piece["number"])
    return 0


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
            says = _conversation_actions_copy(visit, session, form, tell)
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


def _conversation_actions_copy(visit: Visit, session: Session, form: Form, tell: Tell) -> str:
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
