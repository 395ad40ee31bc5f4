"""What a compression would take away and what would stand in its place, before anybody agrees."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import as_dict
from director_ctx.base.text import counted
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.doors.ui.pages.conversations.compressible import SHARES, share_of, wish
from director_ctx.doors.ui.pages.conversations.conversations import CLIENTS
from director_ctx.doors.ui.pages.conversations.cut_pieces import by_name, cut_places, named_cuts
from director_ctx.doors.ui.pages.conversations.read_sessions import (
    address_of,
    read_session,
    session_json,
    session_named,
)
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.messages.message import ADDED
from director_ctx.history.sessions.copies import plan_copy
from director_ctx.history.sessions.files import CLAUDE, STORE
from director_ctx.history.sessions.told import shown_text
from director_ctx.history.summaries import summaries
from director_ctx.history.summaries.summaries import SummaryWay
from director_ctx.memory.store.notice import shared_unasked
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.history.compress.decide import Compressed
    from director_ctx.history.compress.receipt import Receipt
    from director_ctx.history.sessions.files import Session

    Json = dict[str, Any]

MOST_PREVIEW, MOST_PIECES = 20_000, 12


def data(visit: Visit) -> Json:
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
    texts = []
    for message in result.after:
        for block in message.blocks:
            if message.index == ADDED or block.sources:
                texts.append(block.text)
    return "\n\n".join(texts)


def view(data: Json) -> Json:
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
