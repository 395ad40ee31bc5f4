"""Where the project stands: what is next and why, what waits, what was handed on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from director_ctx.base.errors import DctxError
from director_ctx.base.text import counted
from director_ctx.clients.verify.standing import agents_status
from director_ctx.context.settings.filling import SESSION, advice, state_of
from director_ctx.context.settings.options import hooks_of
from director_ctx.doors.ui.pages.plan import newest_reasons
from director_ctx.doors.ui.pages.told import client_title, cut_in_words
from director_ctx.history.sessions.find import list_sessions
from director_ctx.memory.plans.beside import BesideFiles, beside_files, beside_json
from director_ctx.memory.runs.account import read_account
from director_ctx.memory.runs.run import run_json
from director_ctx.memory.runs.storage import read_runs
from director_ctx.project.notes.freshness import freshness
from director_ctx.project.tasks.next import choose
from director_ctx.upkeep.as_json import stale_json, status_json
from director_ctx.upkeep.status import status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.doors.ui.visit import Visit
    from director_ctx.history.sessions.files import Session
    from director_ctx.memory.runs.run import Run
    from director_ctx.project.project import Project

    Json = dict[str, Any]

HEALTH = "health"
MOST_CONTEXTS = 5
MOST_SESSIONS = 20
MOST_WAITING = 5
STILL_LIVE = timedelta(days=1)


def now_data(visit: Visit) -> Json:
    project = visit.project
    runs = read_runs(project.root)
    known, reasons, trouble = _beside(project)
    clients = agents_status(project.root)
    candidate = choose(project)
    return {
        **status_json(project, status(project)),
        "plan": beside_json(known),
        "reasons": reasons,
        "plan_unreadable": trouble,
        **stale_json(freshness(project)),
        "contexts": [_told(project, run) for run in runs[-MOST_CONTEXTS:]],
        "contexts_on_record": len(runs),
        "installed": clients.is_connected,
        **_conversations(project),
        "ground": candidate.readiness.ground if candidate else "",
    }


def _told(project: Project, run: Run) -> Json:
    """With how much was left out from the beginning; None where that is not on record."""
    account = read_account(project.root, run)
    return {**run_json(run), "not_chosen": account and len(account.not_chosen)}


def _beside(project: Project) -> tuple[BesideFiles, dict[str, str], str]:
    """With the reasons that were given last. A store that cannot be read is no reason to tell nothing of
    the files.
    """
    try:
        return beside_files(project), newest_reasons(project), ""
    except DctxError as error:
        return BesideFiles(), {}, error.message


def _conversations(project: Project) -> Json:
    """The longest of those that somebody spoke in since yesterday, and whether there are others."""
    try:
        sessions = list_sessions(project.root, most=MOST_SESSIONS)
        hooks = hooks_of(project)
    except DctxError:
        return {"conversation": None, "has_conversations": False}
    live = [session for session in sessions if _is_live(session)]
    if not live:
        return {"conversation": None, "has_conversations": bool(sessions)}
    longest = max(live, key=lambda session: session.tokens)
    conversation = {
        **longest.as_json(),
        "warn": hooks.warn,
        "urgent": hooks.urgent,
        "state": state_of(longest.tokens, hooks.warn, hooks.urgent),
    }
    return {"conversation": conversation, "has_conversations": True}


def _is_live(session: Session) -> bool:
    try:
        last = datetime.fromisoformat(session.last)
    except ValueError:
        return False
    if last.tzinfo is None:
        last = last.replace(tzinfo=UTC)
    return datetime.now(UTC) - last < STILL_LIVE


def now_view(data: Json) -> Json:
    upcoming = data["next"]
    waiting = upcoming["waiting"]
    contexts = [{**run, "cut": cut_in_words(run)} for run in reversed(data["contexts"])]
    return {
        **data,
        "task": upcoming["task"],
        "also_ready": upcoming["also_ready"],
        "waiting": waiting[:MOST_WAITING],
        "waiting_more": max(0, len(waiting) - MOST_WAITING),
        "total": sum(goal["total"] for goal in data["goals"]),
        "done": sum(goal["done"] for goal in data["goals"]),
        "begun": upcoming["in_progress"],
        "needs_vision": any("VISION.md" in template for template in data["templates"]),
        "attention": list(_attention(data)),
        "contexts": contexts,
        "contexts_more": data["contexts_on_record"] > len(contexts),
        "conversation": _conversation(data["conversation"]),
    }


def _attention(data: Json) -> Iterator[Json]:
    """A line for each kind of thing that waits for somebody."""
    for task in data["plan"]["failed"]:
        says = f"Failed: {task['ref']} {task['title']}"
        reason = data["reasons"].get(task["ref"])
        if reason:
            says += f" ({reason})"
        yield _line("bad", says, f"tasks/{task['ref']}")
    for blocker in data["plan"]["blockers"]:
        yield _line("bad", f"Blocked: {blocker}", "plan", "blocked")
    review = [
        f"{goal['number']}/{step['number']}/{number}"
        for goal in data["goals"]
        for step in goal["steps"]
        for number in step["review"]
    ]
    if review:
        yield _line(
            "",
            f"{counted(len(review), 'task')} begun or for your review: {', '.join(review[:5])}",
            "plan",
        )
    if data["questions"]:
        first = data["questions"][0]
        where = f"{first['path']}:{first['line']}"
        questions = counted(len(data["questions"]), "open question")
        yield _line("warn", f"{questions}, first in {where}", HEALTH, "questions")
    stale = len(data["stale_notes"])
    if stale:
        notes = counted(stale, "note")
        yield _line("warn", f"{notes} out of date: the code has changed since", HEALTH)
    if data["mismatches"]:
        records = counted(len(data["mismatches"]), "record")
        yield _line("warn", f"{records} at odds with the files, to be mended by a click", HEALTH)
    if data["notes"]:
        yield _line("warn", f"{counted(len(data['notes']), 'thing')} odd in the folder", HEALTH)
    if not data["installed"]:
        says = "No client hands contexts on yet: `dctx setup` puts dctx into the one that you have"
        yield _line("warn", says, HEALTH, "clients")
    for template in data["templates"]:
        yield _line("warn", f"Not filled in: {template}")
    if data["plan_unreadable"]:
        yield _line("bad", data["plan_unreadable"])


def _line(level: str, text: str, address: str = "", at: str = "") -> Json:
    """`at` is the part of the page that tells more."""
    return {"level": level, "text": text, "address": address, "at": at}


def _conversation(session: Json | None) -> Json | None:
    if session is None:
        return None
    told = advice(SESSION, session["state"]) if session["state"] != "fine" else ""
    return {**session, "client_name": client_title(session["client"]), "advice": told}
