"""The entries of a conversation that a page shows: chosen, searched, and with what stands beside them."""

from __future__ import annotations

from datetime import UTC, datetime

from director_ctx.base.errors import DctxError
from director_ctx.history.compress.restore import receipt_of
from director_ctx.history.sessions.copies import copies_of
from director_ctx.history.sessions.told import SAID, cut_test, entry_json, has_text, row_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from director_ctx.doors.ui.pages.conversations.read_sessions import ReadSession
    from director_ctx.doors.ui.visit import Visit
    from director_ctx.history.sessions.told import Entry

    Json = dict[str, Any]

SEPARATOR = "|"
MOST_TEXT = 200_000
"""Characters of a block; whoever needs all of it has `dctx history show --full`."""
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
        pieces = []
        if entry is hit:
            pieces = [row_json(row, MOST_TEXT) for row in entry.rows]
        document = known
        if text:
            document = entry_json(entry, text)
        yield {**document, "cut": is_cut(entry), "pieces": pieces}


def hit_in(entries: tuple[Entry, ...], number: int, text: str) -> Entry | None:
    """The entry of a message that has the text; a message may be several."""
    of_message = []
    for entry in entries:
        if number and number in [row.message for row in entry.rows]:
            of_message.append(entry)
    for entry in of_message:
        if text and has_text(entry, text):
            return entry
    return next(iter(of_message), None)


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
    agents = _by_call(data["agents"])
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
            "look": _look(entry),
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
        _split_path(shown)
        turn = entry["turn"]
        yield shown


def _look(entry: Json) -> str:
    look = f" by-{entry['role']}"
    for name in ("archived", "cut"):
        if entry[name]:
            look += f" {name}"
    return look


def _split_path(entry: Json) -> None:
    """A file's folder may be left out where there is no room, its name may not."""
    folder, slash, name = entry["about"].rpartition("/")
    entry["folder"] = folder + slash
    entry["name"] = name or entry["text"]


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
    places: dict[str, int] = {}
    for place, entry in enumerate(entries):
        if entry["call_id"]:
            places[entry["call_id"]] = place

    contexts_at: dict[int, list[Json]] = {}
    for context in contexts:
        at = places.get(context["call_id"])
        if at is None and is_all:
            at = _first_after(entries, context["time"])
        if at is not None:
            beside = contexts_at.setdefault(at, [])
            beside.append(context)
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


def _by_call(rows: list[Json]) -> dict[str, Json]:
    return {row["call_id"]: row for row in rows if row["call_id"]}


def _anchor(number: int, anchored: set[int]) -> str:
    """A message may be several entries, and an address leads to the first."""
    if not number or number in anchored:
        return ""
    anchored.add(number)
    return f"m{number}"
