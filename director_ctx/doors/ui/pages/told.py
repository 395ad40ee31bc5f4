"""The contexts that were sent, newest first, one of them, and where the tokens go: each agent's context by section."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby

from director_ctx.assembling.budgets import contexts_json, every_context
from director_ctx.assembling.told.account import told_json
from director_ctx.assembling.told.changes import context_change, run_before, run_to_compare
from director_ctx.assembling.told.now import NOW, change_until_now
from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record, as_dict
from director_ctx.clients.table import CLIENTS
from director_ctx.context.assembly import RUNG_TITLES, last_rungs
from director_ctx.context.settings.budget import OVER
from director_ctx.context.settings.tags import (
    BROWSER,
    CHANGES,
    CODEBASE,
    CODEBASE_SUMMARY,
    COMPRESSED,
    CONVERSATION,
    COST,
    DECISIONS,
    GAMEPLAN,
    INSTRUCTIONS,
    ISSUES,
    PLAN,
    RECENT,
    REFERENCE,
    RESEARCH,
    RESEARCH_SUMMARY,
    SNAPSHOT,
    STATE,
    STEP,
    STEP_RESEARCH,
    SYSTEM,
    TASK,
    VARIABLES,
    VISION,
    title,
)
from director_ctx.doors.ui.visit import NotThere, Visit
from director_ctx.history.sessions.find import folder_of, starting_with
from director_ctx.memory.runs.choose import find_run, runs_of, session_runs, sessions_told
from director_ctx.memory.runs.find_text import find_in_contexts
from director_ctx.memory.runs.run import COMMAND, HOOK, PROGRAM, TOOL, Run, history_json
from director_ctx.memory.runs.storage import read_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Json = dict[str, Any]
    from collections.abc import Iterator

    from director_ctx.project.project import Project

WIDTH = 1000
"""Of a bar, in its own units."""
KINDS = (
    ("purpose", "What it is for", (VISION, GAMEPLAN)),
    ("work", "The work", (STEP, DECISIONS, TASK, STATE, PLAN, SNAPSHOT)),
    (
        "notes",
        "Notes and documents",
        (CODEBASE, CODEBASE_SUMMARY, RESEARCH, RESEARCH_SUMMARY, STEP_RESEARCH, REFERENCE),
    ),
    ("events", "What happened", (RECENT, CHANGES, ISSUES, COST)),
    ("talk", "Talk and findings", (CONVERSATION, COMPRESSED, VARIABLES, BROWSER)),
    ("rules", "Instructions", (INSTRUCTIONS, SYSTEM)),
)
"""A kind's colour, its name, and the sections that it has."""
OTHER = "rules"


class BarPiece(Record):
    """One section of a bar."""

    tag: str
    tokens: int
    kind: str
    x: float
    width: float


def kind_of(tag: str) -> str:
    for kind, _, tags in KINDS:
        if tag in tags:
            return kind
    return OTHER


def pieces(sections: Iterable[Json], whole: int) -> list[BarPiece]:
    """The sections of a context, in a bar that is as long as `whole`."""
    unit = WIDTH / max(1, whole)
    at = 0
    row = []
    for section in sections:
        tokens = section["tokens"]
        tag = section["tag"]
        x = round(at * unit, 2)
        row.append(BarPiece(tag, tokens, kind_of(tag), x, round(tokens * unit, 2)))
        at += tokens
    return row


def kinds_in(rows: Iterable[Sequence[BarPiece]]) -> list[tuple[str, str]]:
    """The kinds that some bars have, with their names, for what explains the colours."""
    known = {piece.kind for row in rows for piece in row}
    return [(kind, name) for kind, name, _ in KINDS if kind in known]


def place_of(tokens: int, whole: int) -> float:
    """Where in a bar a number of tokens is."""
    return round(min(WIDTH, tokens * WIDTH / max(1, whole)), 2)


def cuts_by_section(cuts: Iterable[Json]) -> dict[str, str]:
    """By its tag, how far a section came down, with its tokens before the first cut and after the
    last one.
    """
    before: dict[str, int] = {}
    sentences: dict[str, str] = {}
    for cut in cuts:
        tag, rung = cut["tag"], str(cut["rung"])
        before.setdefault(tag, cut["before"])
        says = RUNG_TITLES.get(rung, rung).replace(": ", " ", 1)
        sentences[tag] = f"{says}: {before[tag]:,} \N{RIGHTWARDS ARROW} {cut['after']:,} tokens."
    return sentences


def stand_ins(cuts: Iterable[Json]) -> set[str]:
    """The tags of summaries that stand in the place of files."""
    rungs = [cut["rung"] for cut in cuts if cut["after"]]
    return {rung.replace("-", "_") for rung in rungs if rung.endswith("-summary")}


def sections_gone(cuts: Iterable[Json], sections: Iterable[Json]) -> list[Json]:
    """Those of which nothing is left, each with how it went."""
    left = {section["tag"] for section in sections}
    told = cuts_by_section(cuts).items()
    return [{"tag": tag, "cut": says} for tag, says in told if tag not in left]


MOST = 60
"""Contexts on one page."""
MOST_HITS = 100
SHORT = 8
"""Letters of a session's id: enough to tell it from others."""
WORDS = {COMMAND: "by a command", HOOK: "by a hook", TOOL: "by a tool", PROGRAM: "by a program"}


def told_data(visit: Visit) -> Json:
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
    names = [row["id"] for row in rows]
    begins = visit.asked("from")
    first = names.index(begins) if begins in names else 0
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
        "older": "".join(names[first + MOST :][:1]),
        "newer": first > 0,
        "lines": _lines(everything, root, words),
    }


def _local_day(time: str) -> str:
    """As the calendar on the wall had it."""
    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return time[:10]


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


def told_view(data: Json) -> Json:
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
    return CLIENTS[name].title if name in CLIENTS else name


def _days(rows: list[Json]) -> Iterator[Json]:
    """Newest day first, each with its contexts."""
    for day, of_day in groupby(rows, lambda row: row["day"]):
        yield {"date": day, "rows": list(of_day)}


def _session_choice(row: Json) -> Json:
    says = f"{client_title(row['client'])} {row['session'][:SHORT]}".strip()
    return {"session": row["session"], "says": f"{says}, {row['contexts']} told"}


BEFORE = "before"
MOST_LINES = 400
"""Of one section's difference; its text is above."""
SIGNS = {"+": "plus", "-": "minus", "@": "place"}


def told_context_data(visit: Visit) -> Json:
    """Compared with the one before it, with what it would be now, or with the one that is asked for."""
    project = visit.project
    runs = read_runs(project.root)
    try:
        run = find_run(runs, visit.parts["id"])
    except DctxError as error:
        raise NotThere(error.message, error.hint) from error
    before = run_before(runs, run)
    against = visit.asked("against") or (BEFORE if before else NOW)
    return {
        **told_json(project.root, run),
        "before": before and before.id,
        "after": _after(runs, run),
        "has_conversation": _has_conversation(project, run),
        "against": against,
        **_change(project, runs, run, against),
    }


def _has_conversation(project: Project, run: Run) -> bool:
    """Whether the session that the agent was spawned in is still there to be read."""
    if not run.session:
        return False
    try:
        sessions = starting_with(run.session, folder_of(project.root))
    except DctxError:
        return False
    return any(session.id == run.session for session in sessions)


def _after(runs: Sequence[Run], run: Run) -> str | None:
    """The next context of the same agent."""
    for other in runs:
        before = run_before(runs, other)
        if before and before.id == run.id:
            return other.id
    return None


def _change(project: Project, runs: Sequence[Run], run: Run, against: str) -> Json:
    """What changed; or why that cannot be told, which is no reason to show nothing."""
    try:
        if against == NOW:
            change = change_until_now(project, run)
        elif against == BEFORE:
            older = run_to_compare(runs, run)
            if older is None:
                return {"change": None, "trouble": "It is the first for this agent on record."}
            change = context_change(project.root, older, run)
        else:
            change = context_change(project.root, find_run(runs, against), run)
    except DctxError as error:
        return {"change": None, "trouble": f"{error.message} {error.hint}".strip()}
    return {"change": change.as_json(), "trouble": ""}


def told_context_view(data: Json) -> Json:
    row = pieces(data["sections"], data["used"])
    return {
        "told": data,
        "how": how_told(data),
        "pieces": row,
        "kinds": kinds_in([row]),
        "over": data["status"] == OVER,
        "sections": _sections(data),
        "gone": sections_gone(data["cuts"] or [], data["sections"]),
        "cut": cut_in_words(data),
        "stable_at": place_of(data["stable_prefix_tokens"] or 0, data["used"]),
        "change": _shown_change(data["change"]),
    }


def _sections(data: Json) -> list[Json]:
    sections: list[Json] = data["sections"]
    cuts = cuts_by_section(data["cuts"] or [])
    widest = max([section["tokens"] for section in sections], default=1)
    rows = []
    for section in sections:
        cut = cuts.get(section["tag"], "")
        rows.append({**section, "cut": cut, "widest": widest})
    return rows


def _shown_change(change: Json | None) -> Json | None:
    if change is None:
        return None
    first = change["first_difference"]
    says = "Nothing: the two are the same, byte for byte."
    if not change["identical"]:
        says = "The same sections, in another order."
    if first:
        before = f"after {change['same_tokens']:,} tokens that are the same"
        says = f"The first difference is in {title(first).lower()}, {before}."
    return {
        **change,
        "says": says,
        "growth": change["new"]["used"] - change["old"]["used"],
        "comparable": change["new"]["counter"] == change["old"]["counter"],
        "rows": [_change_row(section) for section in change["sections"]],
    }


def _change_row(section: Json) -> Json:
    lines = section["diff"] or []
    return {
        **section,
        "kept": section["diff"] is not None,
        "lines": [(SIGNS.get(line[:1], "same"), line) for line in lines[:MOST_LINES]],
        "more": max(0, len(lines) - MOST_LINES),
        "growth": (section["after"] or 0) - (section["before"] or 0),
    }


MOST_STEPS = 50
"""Of a line of growth."""
HEIGHT = 100
"""Of a chart, in its own units."""


def budget_data(visit: Visit) -> Json:
    project = visit.project
    return {
        "agents": contexts_json(every_context(project)),
        "growth": _growth(project),
    }


def _growth(project: Project) -> list[Json]:
    """By agent, how large its contexts were, oldest first; whoever was told something last comes first."""
    by_agent: dict[str, list[Json]] = {}
    for run in read_runs(project.root):
        # Taken out and put back, it is the last.
        steps = by_agent.pop(run.agent, [])
        by_agent[run.agent] = steps
        step = {"id": run.id, "time": run.time, "used": run.used, "limit": run.limit}
        steps.append(step)

    newest = reversed(by_agent.items())
    return [{"agent": agent, "steps": steps[-MOST_STEPS:]} for agent, steps in newest]


def budget_view(data: Json) -> Json:
    contexts = [row for row in data["agents"] if "error" not in row]
    largest = max([row["budget"]["used"] for row in contexts], default=1)
    rows = [_agent_row(row, largest) for row in contexts]

    return {
        "rows": rows,
        "without": [row for row in data["agents"] if "error" in row],
        "kinds": kinds_in(row["pieces"] for row in rows),
        "growths": [_growth_chart(row) for row in data["growth"] if len(row["steps"]) > 1],
        "once": [row["agent"] for row in data["growth"] if len(row["steps"]) == 1],
    }


def _agent_row(row: Json, largest: int) -> Json:
    budget = row["budget"]
    stable = row["stable_prefix_tokens"]
    return {
        **row,
        "pieces": pieces(row["sections"], largest),
        "cuts": list(cuts_by_section(row["reductions"]).values()),
        "stable_at": place_of(stable, largest),
        "in_window": pieces(row["sections"], budget["window"]),
        "limit_at": place_of(budget["limit"], budget["window"]),
        "over": budget["status"] == OVER,
    }


def _growth_chart(row: Json) -> Json:
    """The line through its sizes; the chart begins at nothing, so that it shows no more than there is."""
    steps = row["steps"]
    most = max(step["used"] for step in steps)
    points = []
    for number, step in enumerate(steps):
        x = number * WIDTH / (len(steps) - 1)
        y = HEIGHT - step["used"] * (HEIGHT - 4) / max(1, most)
        points.append(f"{x:.1f},{y:.1f}")
    return {
        "agent": row["agent"],
        "points": " ".join(points),
        "first": steps[0],
        "last": steps[-1],
        "most": most,
        "count": len(steps),
        "grown": steps[-1]["used"] - steps[0]["used"],
    }
