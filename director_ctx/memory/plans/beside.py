"""What somebody wrote into the plan and no file says: failed, blocked."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.plans.versions import current
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.plans.tasks import PhaseTask
    from director_ctx.memory.plans.versions import Version
    from director_ctx.project.project import Project

    Plan = dict[str, Any]


class BesideFiles(Record):
    """Tasks of the plan, and texts about all of it."""

    failed: tuple[PhaseTask, ...] = ()
    blockers: tuple[str, ...] = ()
    notes: str = ""


def beside_files(project: Project) -> BesideFiles:
    """Nothing where no plan was ever kept: then the files say everything."""
    with open_store(project) as store:
        kept = current(store)
    if kept is None:
        return BesideFiles()
    return _written_in(project, kept)


def _written_in(project: Project, kept: Version) -> BesideFiles:
    # `dctx status` asks in every project, and most have no plan but their files.
    from director_ctx.memory.plans.following import following
    from director_ctx.memory.plans.merge import own_words
    from director_ctx.memory.plans.rules import FAILED

    version = following(project, kept) or kept
    plan = version.data
    notes = plan.get("notes")
    return BesideFiles(
        failed=tuple(_with_status(plan, FAILED)),
        blockers=tuple(own_words(plan, "blockers")),
        notes=notes if isinstance(notes, str) else "",
    )


def _with_status(plan: Plan, status: str) -> list[PhaseTask]:
    from director_ctx.memory.plans.tasks import every_task

    return [task for task in every_task(plan) if task.task.get("status") == status]


def beside_json(known: BesideFiles) -> dict[str, Any]:
    return {
        "failed": [_task_json(task) for task in known.failed],
        "blockers": list(known.blockers),
        "notes": known.notes,
    }


def _task_json(task: PhaseTask) -> dict[str, str]:
    notes = task.task.get("notes")
    if not isinstance(notes, str):
        notes = ""
    return {"ref": task.name, "title": task.description, "notes": notes}
