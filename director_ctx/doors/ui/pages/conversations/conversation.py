"""One conversation: what was said and done in it, what its tokens went to, how its window filled."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import as_dict
from director_ctx.context.settings.filling import state_of
from director_ctx.context.settings.options import hooks_of
from director_ctx.doors.ui.pages.conversations.compressible import may_compress
from director_ctx.doors.ui.pages.conversations.conversations import CLIENTS
from director_ctx.doors.ui.pages.conversations.level_chart import chart
from director_ctx.doors.ui.pages.conversations.read_sessions import (
    address_of,
    read_session,
    session_json,
)
from director_ctx.history.compress.restore import receipt_of
from director_ctx.history.sessions.copies import copies, copies_of
from director_ctx.history.sessions.files import STORE
from director_ctx.history.sessions.icicle import cells
from director_ctx.history.sessions.spending import TITLES, title
from director_ctx.history.sessions.sub_agents import sub_agents
from director_ctx.history.sessions.told import FOLDED, cut_test, entry_json, has_text, shown_text
from director_ctx.memory.conversations.summaries import compressions
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from director_ctx.doors.ui.pages.conversations.read_sessions import ReadSession
    from director_ctx.doors.ui.visit import Visit
    from director_ctx.history.sessions.icicle import IcicleCell
    from director_ctx.history.sessions.told import Entry

    Json = dict[str, Any]

BLOCK = 80
"""Entries that a browser lays out together: of thousands it looks only at those that are seen."""
MOST_LIVE = 4_000
"""Entries of a page that is fetched anew whenever somebody speaks."""
MOST_ROWS = 60
SEPARATOR = "|"
WHOLE = "all"


def data(visit: Visit) -> Json:
    read = read_session(visit)
    asked = {
        "q": visit.asked("q").strip(),
        "part": visit.asked("part"),
        "tree": WHOLE if visit.asked("tree") == WHOLE else "",
    }
    hooks = hooks_of(visit.project)
    tree = read.told.tree(asked["tree"] == WHOLE)
    numbers = dict(read.told.filled)
    return {
        "session": session_json(read.session),
        "asked": asked,
        "warn": hooks.warn,
        "urgent": hooks.urgent,
        "used": read.used,
        "window": read.used or list(numbers.values() or [0])[-1],
        "messages": len(numbers),
        "turns": max((entry.turn for entry in read.told.entries), default=0),
        "tree": tree,
        "levels": [list(pair) for pair in read.told.filled],
        "compactions": list(read.told.compacted),
        "agents": _agents(visit, read),
        "may_compress": may_compress(visit.project, read),
        "copy_of": _copied(visit, read),
        "copies": [as_dict(copy) for copy in copies_of(visit.project.root, read.session.id)],
        "summary": _summary(visit, read),
        "notes": [shown_text(note) for note in read.transcript.notes],
        "entries": list(_entries(visit, read, asked)),
    }


def _entries(visit: Visit, read: ReadSession, asked: Json) -> Iterator[Json]:
    text = asked["q"].lower()
    part = tuple(asked["part"].split(SEPARATOR, 2)) if asked["part"] else ()
    is_cut = _cut_by_copy(visit, read)
    for entry in read.told.entries:
        if entry.about[: len(part)] != part:
            continue
        if text and not has_text(entry, text):
            continue
        yield entry_json(entry, is_cut(entry))


def _cut_by_copy(visit: Visit, read: ReadSession) -> Callable[[Entry], bool]:
    """What the newest shorter copy does not have any more."""
    known = copies_of(visit.project.root, read.session.id)
    places: set[tuple[int, int]] = set()
    if known:
        try:
            receipt = receipt_of(known[-1].receipt, visit.project.root)
        except DctxError:
            receipt = {"cuts": []}
        for cut in receipt["cuts"]:
            places.add((cut["message"], cut["block"]))
    if not places:
        return lambda entry: False
    return cut_test(read.transcript, places)


def _copied(visit: Visit, read: ReadSession) -> str:
    """The session that this one is a shorter copy of."""
    for copy in copies(visit.project.root):
        if copy.path == read.session.path:
            return copy.session
    return ""


def _agents(visit: Visit, read: ReadSession) -> list[Json]:
    rows = []
    for agent, call in sub_agents(read.session, visit.project.root):
        rows.append({**session_json(agent), "call": _number_of(read, call)})
    return rows


def _number_of(read: ReadSession, call: str) -> int:
    """The message with a call; 0 where there is none."""
    for entry in read.told.entries:
        block = entry.rows[0].block
        if call and block and block.call == call:
            return entry.number
    return 0


def _summary(visit: Visit, read: ReadSession) -> Json | None:
    """The newest summary of the store's conversation, which can be taken back."""
    if read.session.client != STORE:
        return None
    with open_conversation(visit.project) as store:
        known = compressions(store)
    if not known:
        return None
    return {**known[-1].as_json(whole=False), "may_undo": known[-1].messages is not None}


def view(data: Json) -> Json:
    session = data["session"]
    shown = cells(data["tree"])
    address = address_of(session["id"])
    entries = list(_shown(data))
    table = list(_table(data["tree"]))
    return {
        "session": session,
        "client_name": CLIENTS.get(session["client"], session["client"]),
        "is_store": session["client"] == STORE,
        "address": address,
        "asked": data["asked"],
        "part_title": _part_title(data["asked"]["part"]),
        "facts": data,
        "unsaid": _unsaid(data),
        "state": state_of(data["window"], data["warn"], data["urgent"]),
        "blocks": [entries[start : start + BLOCK] for start in range(0, len(entries), BLOCK)],
        "shown_entries": len(entries),
        "is_live": len(entries) <= MOST_LIVE,
        "cells": [_cell(cell) for cell in shown],
        "depth": max((cell.level for cell in shown), default=0) + 1,
        "table": table[:MOST_ROWS],
        "table_more": max(0, len(table) - MOST_ROWS),
        "chart": chart(data["levels"], data["compactions"], data["warn"], data["urgent"]),
        "has_archived": any(entry["archived"] for entry in entries) or bool(data["compactions"]),
        "agents": data["agents"],
        "folded": FOLDED,
        "titles": TITLES,
    }


def _unsaid(data: Json) -> int:
    """What its client counts, and no message has in it; 0 where that cannot be told."""
    if not data["used"] or data["asked"]["tree"]:
        return 0
    unsaid: int = data["used"] - data["tree"]["tokens"]
    return max(0, unsaid)


def _shown(data: Json) -> Iterator[Json]:
    """Entries with what a template would have to think about: there may be thousands."""
    agents = {agent["call"]: agent for agent in data["agents"] if agent["call"]}
    anchored: set[int] = set()
    tokens_of: dict[int, int] = {}
    for entry in data["entries"]:
        tokens_of[entry["turn"]] = tokens_of.get(entry["turn"], 0) + entry["tokens"]
    turn = 0
    for place, entry in enumerate(data["entries"]):
        look = f" by-{entry['role']}"
        for name in ("archived", "cut"):
            if entry[name]:
                look += f" {name}"
        shown = {
            **entry,
            "key": f"{entry['number']}-{place}",
            "look": look,
            "anchor": _anchor(entry["number"], anchored),
            "also_anchor": _anchor(entry["also"], anchored),
            "begins_turn": entry["turn"] != turn,
            "turn_tokens": f"{tokens_of[entry['turn']]:,}",
            "tokens_text": f"{entry['tokens']:,}",
            "level_text": f"{entry['level']:,}",
            "agent": agents.get(entry["number"]),
        }
        turn = entry["turn"]
        yield shown


def _anchor(number: int, anchored: set[int]) -> str:
    """A message may be several entries, and an address leads to the first."""
    if not number or number in anchored:
        return ""
    anchored.add(number)
    return f"m{number}"


def _part_title(part: str) -> str:
    if not part:
        return ""
    path = part.split(SEPARATOR, 2)
    return " \u203a ".join(title(path[: place + 1]) for place in range(len(path)))


def _cell(cell: IcicleCell) -> Json:
    return {
        "title": cell.title,
        "short": cell.short,
        "level": cell.level,
        "left": cell.left,
        "width": cell.width,
        "tokens": cell.tokens,
        "part": SEPARATOR.join(cell.path),
    }


def _table(node: Json, path: tuple[str, ...] = ()) -> Iterator[Json]:
    """The same in words: the largest first, with what each is made of below it."""
    for part in node["parts"]:
        here = (*path, part["name"])
        if not part["tokens"]:
            continue
        yield {
            "title": title(here),
            "level": len(here),
            "tokens": part["tokens"],
            "blocks": part["blocks"],
            "part": SEPARATOR.join(here),
        }
        yield from _table(part, here)
