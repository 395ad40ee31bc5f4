"""Every context that was handed on, newest first: by agent, by session, and by words in it."""

from __future__ import annotations

from datetime import datetime

from director_ctx.base.record import as_dict
from director_ctx.clients.table import CLIENTS
from director_ctx.context.assembly import RUNG_TITLES, last_rungs
from director_ctx.doors.ui.pages.bars import kinds_in, pieces
from director_ctx.memory.runs.choose import runs_of, session_runs, sessions_told
from director_ctx.memory.runs.find_text import find_in_contexts
from director_ctx.memory.runs.run import COMMAND, HOOK, PROGRAM, TOOL, history_json
from director_ctx.memory.runs.storage import read_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.memory.runs.run import Run

    Json = dict[str, Any]

MOST = 60
"""Contexts on one page."""
MOST_HITS = 100
SHORT = 8
"""Letters of a session's id: enough to tell it from others."""
WORDS = {COMMAND: "by a command", HOOK: "by a hook", TOOL: "by a tool", PROGRAM: "by a program"}


def data(visit: Visit) -> Json:
    root = visit.project.root
    everything = read_runs(root)
    agent, session = visit.asked("agent"), visit.asked("session")
    chosen = session_runs(runs_of(everything, agent or None), session)
    ids = {run.id for run in chosen}
    # How much one grew is told by all of them.
    rows = [row for row in history_json(everything) if row["id"] in ids]
    rows.reverse()
    for row in rows:
        row["day"] = _local_day(row["time"])
    first = _place_of(visit.asked("from"), rows)
    words = visit.asked("words").strip()
    return {
        "on_record": len(everything),
        "agents": sorted({run.agent for run in everything}),
        "sessions": [as_dict(row) for row in sessions_told(everything)],
        "agent": agent,
        "session": session,
        "words": words,
        "chosen": len(rows),
        "contexts": rows[first : first + MOST],
        "older": _id_at(rows, first + MOST),
        "newer": first > 0,
        "lines": _lines(everything, root, words),
    }


def _local_day(time: str) -> str:
    """As the calendar on the wall had it."""
    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return time[:10]


def _place_of(name: str, rows: list[Json]) -> int:
    for index, row in enumerate(rows):
        if row["id"] == name:
            return index
    return 0


def _id_at(rows: list[Json], index: int) -> str:
    if index >= len(rows):
        return ""
    name: str = rows[index]["id"]
    return name


def _lines(runs: Sequence[Run], root: str, words: str) -> list[Json]:
    if not words:
        return []
    task_of = {run.id: run.task for run in runs}
    lines: list[Json] = []
    for line in find_in_contexts(root, words):
        lines.append({**as_dict(line), "task": task_of[line.run]})
        if len(lines) == MOST_HITS:
            break
    return lines


def view(data: Json) -> Json:
    largest = max([run["used"] for run in data["contexts"]], default=1)
    rows = [context_row(run, largest) for run in data["contexts"]]
    return {
        **data,
        "days": list(_days(rows)),
        "kinds": kinds_in(row["pieces"] for row in rows),
        "session_choices": [_session_choice(row) for row in data["sessions"]],
    }


def context_row(run: Json, whole: int) -> Json:
    """A context as a line of the page."""
    return {
        **run,
        "pieces": pieces(run["sections"], whole),
        "cut": cut_in_words(run),
        "how": how_told(run),
    }


def cut_in_words(run: Json) -> str:
    known = [name for name in run["reductions"] if name in RUNG_TITLES]
    return "; ".join(last_rungs(known))


def how_told(run: Json) -> str:
    """By what and in whose session."""
    words = [WORDS.get(run["by"], "")]
    if run["client"]:
        words.append(f"of {client_title(run['client'])}")
    return " ".join(filter(None, words))


def client_title(name: str) -> str:
    client = CLIENTS.get(name)
    if client is None:
        return name
    return client.title


def _days(rows: list[Json]) -> Iterator[Json]:
    """Newest day first, each with its contexts."""
    day: Json = {}
    for row in rows:
        if day.get("date") != row["day"]:
            if day:
                yield day
            day = {"date": row["day"], "rows": []}
        day["rows"].append(row)
    if day:
        yield day


def _session_choice(row: Json) -> Json:
    says = f"{client_title(row['client'])} {row['session'][:SHORT]}".strip()
    return {"session": row["session"], "says": f"{says}, {row['contexts']} told"}
