"""What is wrong with the folder and with what is installed, and what can be mended from here."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import text_digest
from director_ctx.base.record import as_dict
from director_ctx.base.system.clock import local_minute
from director_ctx.base.text import counted
from director_ctx.clients.parts.hooks import TWICE
from director_ctx.clients.parts.part import TITLES
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.standing import agents_json, agents_status
from director_ctx.doors.ui.visit import Done, Visit
from director_ctx.project.notes.freshness import REMEDY
from director_ctx.upkeep.as_json import repair_json, stale_json
from director_ctx.upkeep.by_remedy import remedies_json
from director_ctx.upkeep.doctor import diagnose
from director_ctx.upkeep.repair import repair, would_repair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Form = dict[str, str]
    Json = dict[str, Any]

INSTALL = "`dctx setup` brings them up to date."
MOST_PLACES = 50


def health_data(visit: Visit) -> Json:
    root = visit.project.root
    diagnosis = diagnose(visit.project)
    moment = local_minute()
    planned = repair_json(would_repair(visit.project, moment))
    return {
        "ok": not diagnosis.problems,
        "problems": remedies_json(diagnosis.problems),
        "worth_checking": remedies_json(diagnosis.worth_checking),
        "questions": [as_dict(question) for question in diagnosis.questions],
        **stale_json(diagnosis.stale),
        "stale_notes_remedy": REMEDY if diagnosis.stale.why else "",
        "old": [as_dict(notes) for notes in diagnosis.old],
        "mend": {**planned, "at": moment, "digest": _digest(planned)},
        "clients": agents_json(agents_status(root)),
    }


def _digest(planned: Json) -> str:
    from json import dumps

    return text_digest(dumps(planned))


def mend(visit: Visit, form: Form) -> Done:
    """What the page showed, and nothing else."""
    root = visit.project.root
    # Records name the time of a change, so it is rehearsed at the time that was shown.
    planned = repair_json(would_repair(visit.project, form.get("at", "")[:40]))
    if _digest(planned) != form.get("digest"):
        raise DctxError(
            "What is to be mended is not what the page showed any more, so nothing was changed.",
            "The page shows it as it is now; look at it again.",
        )
    mended = repair(root, local_minute())
    lines = sum(len(rewrite.edits) for rewrite in mended.rewrites)
    says = [*mended.done]
    if lines:
        says.append(f"{counted(lines, 'line')} brought in line with the files")
    for failure in mended.failed:
        says.append(f"{failure.path} could not be changed: {failure.why}")
    return Done(f"{'. '.join(says) or 'There was nothing to mend'}.", visit.link("health"))


def health_view(data: Json) -> Json:
    planned = data["mend"]
    changed = [
        {**file, "lines": sorted(file["lines"], key=lambda line: line["line"])}
        for file in planned["changed"]
    ]
    problems = [_with_count(remedy) for remedy in data["problems"]]
    stale = len(data["stale_notes"]) + len(data["old"])
    clients = list(_clients(data["clients"]))
    troubles = list(_troubles(data["clients"]))
    return {
        **data,
        "problems": problems,
        "worth_checking": [_with_count(remedy) for remedy in data["worth_checking"]],
        "stale_count": stale,
        "can_mend": bool(planned["would_fix"] or planned["changed"]),
        "mend": {**planned, "changed": changed},
        "clients": clients,
        "troubles": troubles,
        "failed": list(reversed(data["clients"]["log"])),
    }


def _with_count(remedy: Json) -> Json:
    complaints = []
    count = 0
    for complaint in remedy["complaints"]:
        places = complaint["places"]
        count += len(places)
        more = max(0, len(places) - MOST_PLACES)
        complaints.append({**complaint, "places": places[:MOST_PLACES], "more": more})
    return {**remedy, "complaints": complaints, "count": count}


def _clients(state: Json) -> Iterator[Json]:
    """A row for each thing of dctx that is installed."""
    for installed in state["installed"]:
        titles = ", ".join(PLACES[name].title for name in installed["clients"])
        problem = installed["problem"]
        if not problem and not installed["works"]:
            problem = f"What it calls is not there: {' '.join(installed['command'])}."
        remedy = f"`{installed['update']}` brings it up to date." if installed["update"] else ""
        yield {
            "name": f"{TITLES[installed['part']]} for {titles}",
            "where": "this project" if installed["scope"] == "project" else "every project",
            "path": installed["path"],
            "what": installed["says"],
            "problem": problem,
            "remedy": remedy,
        }


def _troubles(state: Json) -> Iterator[Json]:
    """What keeps contexts from arriving although something is installed."""
    if state["problem"]:
        yield _trouble("bad", f"Hooks give nothing as long as this is so: {state['problem']}")
    for said in state["off"]:
        yield _trouble("bad", said)
    for name in state["idle"]:
        title = CLIENTS[name].title
        says = f"{title}: none of its hooks waits for an agent, so no agent is given anything."
        yield _trouble("bad", says, INSTALL)
    for name in state["twice"]:
        yield _trouble("warn", f"{CLIENTS[name].title}: {TWICE}")
    for kind in state["unknown"]:
        yield _trouble(
            "warn", f"{kind} is mapped to a profile, but there is no agent of that name."
        )
    if state["not_agreed"]:
        things = ", ".join(state["not_agreed"])
        says = f"Not used, because you have not agreed to it: {things}."
        yield _trouble("warn", says, "`dctx setup --trust` shows it, and asks.")


def _trouble(level: str, says: str, remedy: str = "") -> Json:
    return {"level": level, "says": says, "remedy": remedy}
