"""One conversation: what was said and done in it, what its tokens went to, how its window filled; and one message of
it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

from director_ctx.base.errors import DctxError
from director_ctx.base.record import as_dict
from director_ctx.context.settings.filling import state_of
from director_ctx.context.settings.options import hooks_of
from director_ctx.doors.ui.pages.chat import address_of_chat, chat_list
from director_ctx.doors.ui.pages.compress import may_compress
from director_ctx.doors.ui.pages.conversations import (
    CLIENTS,
    MOST_TEXT,
    ReadSession,
    address_of,
    read_session,
    session_json,
)
from director_ctx.doors.ui.visit import NotThere, Visit, number_in
from director_ctx.history.compress.restore import receipt_of
from director_ctx.history.sessions.copies import ShorterCopy, copies, copies_of
from director_ctx.history.sessions.files import STORE, Session
from director_ctx.history.sessions.find import call_of, sub_agents
from director_ctx.history.sessions.spending import (
    BESIDE,
    TITLES,
    UNEXPLAINED,
    IcicleCell,
    cells,
    title,
)
from director_ctx.history.sessions.told import (
    FOLDED,
    SAID,
    Entry,
    cut_test,
    entry_json,
    has_text,
    row_json,
    shown_text,
)
from director_ctx.memory.conversations.summaries import compressions
from director_ctx.memory.runs.choose import session_runs
from director_ctx.memory.runs.storage import read_runs
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Json = dict[str, Any]
    from collections.abc import Callable, Sequence

    from director_ctx.memory.runs.run import Run

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


def conversation_data(visit: Visit) -> Json:
    read = read_session(visit)
    at = visit.asked("at")
    asked = {
        "q": visit.asked("q").strip(),
        "part": visit.asked("part"),
        "mark": visit.asked("mark").strip(),
        # The message that a hit of a search leads to; 0 where none is meant.
        "at": int(at) if at.isascii() and at.isdigit() and len(at) < 10 else 0,
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
        # What this one is a shorter copy of.
        "copy_of": next(
            (_copy_json(copy) for copy in copies(root) if copy.path == read.session.path), None
        ),
        "copies": [_copy_json(copy) for copy in copies_of(root, read.session.id)],
        "summary": _summary(visit, read),
        "chats": chat_list(visit) if read.session.client == STORE else [],
        "notes": [shown_text(note) for note in read.transcript.notes],
        "entries": list(entries_json(visit, read, asked)),
    }


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
    # The message with a call; 0 where there is none.
    number_of: dict[str, int] = {}
    for entry in read.told.entries:
        block = entry.rows[0].block
        if block and block.call:
            number_of.setdefault(block.call, entry.number)
    return [
        {**session_json(agent), "call": number_of.get(call, 0), "call_id": call}
        for agent, call in sub_agents(read.session, visit.project.root)
    ]


def _summary(visit: Visit, read: ReadSession) -> Json | None:
    """The newest summary of the store's conversation, which can be taken back."""
    if read.session.client != STORE:
        return None
    with open_conversation(visit.project) as store:
        known = compressions(store)
    if not known:
        return None
    return {**known[-1].as_json(whole=False), "may_undo": known[-1].messages is not None}


def conversation_view(data: Json) -> Json:
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


def message_data(visit: Visit) -> Json:
    """With the result of what it called, or the call that it is the result of."""
    number = number_in(visit.parts["number"], "the number of a message")
    read = read_session(visit)
    rows: list[Json] = []
    level = 0
    archived = False
    for entry in read.told.entries:
        if number in [row.message for row in entry.rows]:
            rows += [row_json(row, MOST_TEXT) for row in entry.rows]
            level = entry.level
            archived = entry.archived
    if not rows:
        raise NotThere(f"This conversation has no message {number}.", "Its numbers begin with 1.")
    return {
        "session": session_json(read.session),
        "number": number,
        "mark": visit.asked("mark").strip(),
        "level": level,
        "archived": archived,
        "rows": rows,
        "messages": len(read.told.filled),
    }


def message_view(data: Json) -> Json:
    return {"message": data, "address": address_of(data["session"]["id"])}


SEPARATOR = "|"
MOST_RENDERED = 1_000
"""Messages of a page that are shown as Markdown, the newest; others as they were written."""


def entries_json(visit: Visit, read: ReadSession, asked: Json) -> Iterator[Json]:
    """Those of a part, and those with a text; the one that an address leads to with all of it."""
    text = asked["q"].lower()
    part = tuple(asked["part"].split(SEPARATOR, 2)) if asked["part"] else ()
    is_cut = _cut_by_copy(visit, read)
    hit = hit_in(read.told.entries, asked["at"], asked["mark"].lower())
    for entry, known in zip(read.told.entries, read.documents, strict=True):
        if entry.about[: len(part)] != part:
            continue
        if text and not has_text(entry, text):
            continue
        yield {
            **(entry_json(entry, text) if text else known),
            "cut": is_cut(entry),
            "pieces": [row_json(row, MOST_TEXT) for row in entry.rows] if entry is hit else [],
        }


def hit_in(entries: tuple[Entry, ...], number: int, text: str) -> Entry | None:
    """The entry of a message that has the text; a message may be several."""
    of_message = [
        entry for entry in entries if number and number in [row.message for row in entry.rows]
    ]
    with_text = [entry for entry in of_message if text and has_text(entry, text)]
    return next(iter([*with_text, *of_message]), None)


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


def shown_entries(data: Json) -> Iterator[Json]:
    """Entries with what a template would have to think about: there may be thousands."""
    agents = {row["call_id"]: row for row in data["agents"] if row["call_id"]}
    is_all = not (data["asked"]["q"] or data["asked"]["part"])
    contexts = _contexts_at(data["entries"], data["contexts"], is_all)
    lines = _compaction_lines(data)
    anchored: set[int] = set()
    tokens_of: dict[int, int] = {}
    spoken = 0
    for entry in data["entries"]:
        tokens_of[entry["turn"]] = tokens_of.get(entry["turn"], 0) + entry["tokens"]
        spoken += entry["kind"] == SAID

    turn = 0
    for place, entry in enumerate(data["entries"]):
        spoken -= entry["kind"] == SAID
        shown = {
            **entry,
            "key": f"{entry['number']}-{place}",
            "look": f" by-{entry['role']}"
            + "".join(f" {name}" for name in ("archived", "cut") if entry[name]),
            "anchor": _anchor(entry["number"], anchored),
            "also_anchor": _anchor(entry["also"], anchored),
            "begins_turn": entry["turn"] != turn,
            "turn_tokens": f"{tokens_of[entry['turn']]:,}",
            "tokens_text": f"{entry['tokens']:,}",
            "level_text": f"{entry['level']:,}",
            "as_markdown": spoken < MOST_RENDERED,
            "compacted": lines.pop(entry["number"], None),
            "agent": agents.get(entry["call_id"]),
            "contexts": contexts.get(place, ()),
        }
        # A file's folder may be left out where there is no room, its name may not.
        folder, slash, name = entry["about"].rpartition("/")
        shown |= {"folder": folder + slash, "name": name or entry["text"]}
        turn = entry["turn"]
        yield shown


def _compaction_lines(data: Json) -> dict[int, Json]:
    """By the message that came first after one: how full the window was, and how full it was then."""
    lines: dict[int, Json] = {}
    before = 0
    for number, level in data["levels"]:
        if number in data["compactions"]:
            lines[number] = {"before": before, "after": level}
        before = level
    return lines


def _contexts_at(entries: list[Json], contexts: list[Json], is_all: bool) -> dict[int, list[Json]]:
    """By the place of an entry: the call of an agent, or what came first after it was told. Of some
    entries alone nobody knows what came first.
    """
    places = {entry["call_id"]: place for place, entry in enumerate(entries) if entry["call_id"]}
    contexts_at: dict[int, list[Json]] = {}
    for context in contexts:
        at = places.get(context["call_id"])
        if at is None and is_all:
            at = _first_after(entries, context["time"])
        if at is not None:
            contexts_at.setdefault(at, []).append(context)
    return contexts_at


def _first_after(entries: list[Json], time: str) -> int | None:
    moment = _seconds(time)
    if not moment:
        return None
    for place, entry in enumerate(entries):
        if _seconds(entry["time"]) >= moment:
            return place
    return len(entries) - 1 if entries else None


def _seconds(time: str) -> float:
    """0 for what is no time."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()


def _anchor(number: int, anchored: set[int]) -> str:
    """A message may be several entries, and an address leads to the first."""
    if not number or number in anchored:
        return ""
    anchored.add(number)
    return f"m{number}"


AGENT = "agent-"
"""What Claude Code puts before the id of an agent, where it names the file of its conversation."""


def contexts_in(session: Session, root: str, agents: Sequence[Json]) -> list[Json]:
    """Those that were told in it, oldest first, each with the call that spawned its agent."""
    calls = {agent["id"].removeprefix(AGENT): agent["call_id"] for agent in agents}
    runs = session_runs(read_runs(root), session.id)
    # A hook of an agent that has started knows the agent, and not the call.
    return [_row(run, calls.get(run.call, run.call)) for run in runs]


def told_for(session: Session, root: str) -> list[Json]:
    """What the sub-agent was told that this is the conversation of."""
    if not session.parent:
        return []
    own = {session.id.removeprefix(AGENT), call_of(session.path)}
    runs = session_runs(read_runs(root), session.parent)
    return [_row(run, run.call) for run in runs if run.call and run.call in own]


def _row(run: Run, call: str) -> Json:
    return {
        "id": run.id,
        "agent": run.agent,
        "task": run.task,
        "time": run.time,
        "used": run.used,
        "call_id": call,
    }


WIDTH, HEIGHT = 1_000, 100
MOST_POINTS, MOST_STRETCHES = 600, 120
MUCH, LITTLE = 0.05, 2_000
"""What a window loses at once is told from this share of it on, and from so many tokens."""
MOST_DROPS = 8


def chart(
    levels: Sequence[Sequence[int]], compacted: Sequence[int], warn: int, urgent: int
) -> Json | None:
    """In a box of 1000 to 100; None where there is no line yet."""
    if len(levels) < 2:
        return None
    highest = max(level for _, level in levels)
    # The marks are shown where they are near, and never above the picture.
    top = max(highest * 1.08, 1)
    if highest > warn / 2:
        top = max(top, urgent * 1.16)
    last = len(levels) - 1
    places = {number: place for place, (number, _) in enumerate(levels)}

    points = []
    for place in _picked(levels):
        points.append(f"{place * WIDTH / last:.1f},{HEIGHT - levels[place][1] * HEIGHT / top:.1f}")
    marks = []
    for tokens, kind in ((warn, "warn"), (urgent, "urgent")):
        if tokens < top:
            marks.append(
                {"tokens": tokens, "kind": kind, "top": round(100 - tokens * 100 / top, 2)}
            )
    cuts = []
    for number in compacted:
        at = places.get(number)
        if at is None:
            continue
        cut = {
            "number": number,
            "left": round(at * 100 / last, 2),
            "before": levels[max(0, at - 1)][1],
            "after": levels[at][1],
        }
        cuts.append(cut)
    return {
        "points": " ".join(points),
        "area": f"0,{HEIGHT} {' '.join(points)} {WIDTH},{HEIGHT}",
        "marks": marks,
        "compactions": cuts,
        "drops": _drops(levels, compacted),
        "ticks": _ticks(top, (warn, urgent)),
        "first": levels[0][0],
        "last": levels[-1][0],
        "highest": highest,
        "stretches": _stretches(levels),
        "stretch_width": round(100 / min(MOST_STRETCHES, len(levels)), 3),
    }


def _drops(levels: Sequence[Sequence[int]], compacted: Sequence[int]) -> list[Json]:
    """Where it fell without a compaction; the largest, in their order."""
    drops = []
    for (_, before), (number, after) in pairwise(levels):
        lost = before - after
        if lost >= max(LITTLE, before * MUCH) and number not in compacted:
            drops.append({"number": number, "lost": lost})
    drops.sort(key=lambda drop: -drop["lost"])
    return sorted(drops[:MOST_DROPS], key=lambda drop: drop["number"])


def _ticks(top: float, marked: Sequence[int]) -> list[Json]:
    """Round numbers between nothing and the top; none where a mark has a number already."""
    digits = len(str(int(top)))
    step = 10 ** (digits - 1)
    if top < 2 * step:
        step //= 4
    elif top < 4 * step:
        step //= 2

    rows = []
    for tokens in range(step, int(top), max(1, step)):
        is_near_top = tokens >= top * 0.9
        is_near_mark = any(abs(tokens - mark) < top / 8 for mark in marked)
        if not is_near_top and not is_near_mark:
            share = tokens * 100 / top
            rows.append({"tokens": tokens, "top": round(100 - share, 2)})
    return rows


def _stretches(levels: Sequence[Sequence[int]]) -> list[Json]:
    """Parts of the line that lead to their messages."""
    many = min(MOST_STRETCHES, len(levels))
    # The end of a stretch is where one stands behind it: the last is how it is now.
    ends = [levels[(place + 1) * len(levels) // many - 1] for place in range(many)]
    return [
        {"number": number, "level": level, "left": round(place * 100 / many, 3)}
        for place, (number, level) in enumerate(ends)
    ]


def _picked(levels: Sequence[Sequence[int]]) -> list[int]:
    """So many as a screen can show: of each stretch its highest and its lowest point."""
    points = len(levels)
    if points <= MOST_POINTS:
        return list(range(points))

    stretches = MOST_POINTS // 2
    picked = {0, points - 1}
    for number in range(stretches):
        start = number * points // stretches
        end = (number + 1) * points // stretches
        by_level = sorted(range(start, end), key=lambda place: levels[place][1])
        picked.update((by_level[0], by_level[-1]))
    return sorted(picked)
