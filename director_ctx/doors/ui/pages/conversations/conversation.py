"""One conversation: what was said and done in it, what its tokens went to, how its window filled."""

from __future__ import annotations

from director_ctx.base.record import as_dict
from director_ctx.context.settings.filling import state_of
from director_ctx.context.settings.options import hooks_of
from director_ctx.doors.ui.pages.conversations.chat import address_of_chat, chat_list
from director_ctx.doors.ui.pages.conversations.compressible import may_compress
from director_ctx.doors.ui.pages.conversations.contexts_in import contexts_in, told_for
from director_ctx.doors.ui.pages.conversations.conversations import CLIENTS
from director_ctx.doors.ui.pages.conversations.entries import SEPARATOR, entries_json, shown_entries
from director_ctx.doors.ui.pages.conversations.level_chart import chart
from director_ctx.doors.ui.pages.conversations.read_sessions import (
    address_of,
    read_session,
    session_json,
)
from director_ctx.history.sessions.copies import copies, copies_of
from director_ctx.history.sessions.files import STORE
from director_ctx.history.sessions.find import sub_agents
from director_ctx.history.sessions.spending import BESIDE, TITLES, UNEXPLAINED, cells, title
from director_ctx.history.sessions.told import FOLDED, shown_text
from director_ctx.memory.conversations.summaries import compressions
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.doors.ui.pages.conversations.read_sessions import ReadSession
    from director_ctx.doors.ui.visit import Visit
    from director_ctx.history.sessions.copies import ShorterCopy
    from director_ctx.history.sessions.spending import IcicleCell

    Json = dict[str, Any]

BLOCK = 80
"""Entries that a browser lays out together: of thousands it looks only at those that are seen."""
MOST_LIVE = 4_000
"""Entries of a page that is fetched anew whenever somebody speaks."""
MOST_ROWS = 60
LONG = 30
"""Entries, above which there is a way back to the top."""
WHOLE = "all"
UNSAID = ((BESIDE,), (UNEXPLAINED,))
"""Parts of the window that no message is in."""


def data(visit: Visit) -> Json:
    read = read_session(visit)
    asked = {
        "q": visit.asked("q").strip(),
        "part": visit.asked("part"),
        "mark": visit.asked("mark").strip(),
        "at": _number_asked(visit),
        "tree": WHOLE if visit.asked("tree") == WHOLE else "",
    }
    hooks = hooks_of(visit.project)
    tree = read.told.tree(asked["tree"] == WHOLE)
    numbers = dict(read.told.filled)
    agents = _agents(visit, read)
    root = visit.project.root
    return {
        "session": session_json(read.session),
        "asked": asked,
        "warn": hooks.warn,
        "urgent": hooks.urgent,
        "used": read.used,
        "window": read.window,
        "expected": bool(read.copy and read.used),
        "messages": len(numbers),
        "turns": max((entry.turn for entry in read.told.entries), default=0),
        "tree": tree,
        "unsaid": read.unsaid(tree["tokens"]),
        "levels": [list(pair) for pair in read.told.filled],
        "compactions": list(read.told.compacted),
        "agents": agents,
        "contexts": contexts_in(read.session, root, agents),
        "told": told_for(read.session, root),
        "may_compress": may_compress(visit.project, read),
        "copy_of": _copied(visit, read),
        "copies": [_copy_json(copy) for copy in copies_of(root, read.session.id)],
        "summary": _summary(visit, read),
        "chats": chat_list(visit) if read.session.client == STORE else [],
        "notes": [shown_text(note) for note in read.transcript.notes],
        "entries": list(entries_json(visit, read, asked)),
    }


def _number_asked(visit: Visit) -> int:
    """The message that a hit of a search leads to; 0 where none is meant."""
    number = visit.asked("at")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        return 0
    return int(number)


def _copied(visit: Visit, read: ReadSession) -> Json | None:
    """What this one is a shorter copy of."""
    for copy in copies(visit.project.root):
        if copy.path == read.session.path:
            return _copy_json(copy)
    return None


def _copy_json(copy: ShorterCopy) -> Json:
    """With the id under which its client goes on in it, if it does."""
    _, _, identity = copy.resume.rpartition(" ")
    return {
        **as_dict(copy),
        "id": identity,
        "window": copy.window(),
        "waits": copy.waits,
        "expected": copy.is_uncounted,
    }


def _agents(visit: Visit, read: ReadSession) -> list[Json]:
    rows = []
    for agent, call in sub_agents(read.session, visit.project.root):
        number = _number_of(read, call)
        rows.append({**session_json(agent), "call": number, "call_id": call})
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
    tree = _with_unsaid(data)
    shown = cells(tree)
    address = address_of(session["id"])
    entries = list(shown_entries(data))
    table = list(_table(tree))
    return {
        "session": session,
        "client_name": CLIENTS.get(session["client"], session["client"]),
        "is_store": session["client"] == STORE,
        "address": address,
        "asked": data["asked"],
        "words": data["asked"]["q"] or data["asked"]["mark"],
        "part_title": _part_title(data["asked"]["part"]),
        "facts": data,
        "whole": tree["tokens"],
        "state": state_of(data["window"], data["warn"], data["urgent"]),
        "blocks": [entries[start : start + BLOCK] for start in range(0, len(entries), BLOCK)],
        "shown_entries": len(entries),
        "is_live": len(entries) <= MOST_LIVE,
        # The whole says nothing that its parts do not say.
        "cells": [_cell(cell) for cell in shown if cell.level],
        "depth": max((cell.level for cell in shown), default=0),
        "table": table[:MOST_ROWS],
        "table_more": max(0, len(table) - MOST_ROWS),
        "chart": chart(data["levels"], data["compactions"], data["warn"], data["urgent"]),
        "has_archived": any(entry["archived"] for entry in entries) or bool(data["compactions"]),
        "agents": data["agents"],
        "chats": [{**chat, "address": address_of_chat(chat["id"])} for chat in data["chats"]],
        "contexts": data["contexts"],
        "told": data["told"],
        "long": LONG,
        "folded": FOLDED,
        "titles": TITLES,
    }


def _with_unsaid(data: Json) -> Json:
    """With what its client counts and no message has in it, so that the whole is the window."""
    tree: Json = data["tree"]
    is_part = bool(data["asked"]["tree"])
    unsaid = {name: tokens for name, tokens in data["unsaid"].items() if tokens}
    if is_part or not unsaid:
        return tree

    parts = list(tree["parts"])
    for name, tokens in unsaid.items():
        part = {"name": name, "tokens": tokens, "blocks": 0, "first": 0, "parts": []}
        parts.append(part)
    return {**tree, "tokens": data["used"], "parts": parts}


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
        "is_said": cell.path[:1] not in UNSAID,
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
            "is_said": here not in UNSAID,
        }
        yield from _table(part, here)
