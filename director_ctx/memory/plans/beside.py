"""What somebody wrote into the plan and no file says: failed, blocked."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.plans.versions import current
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.plans.tasks import PhaseTask
    from director_ctx.project.project import Project


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
    # `dctx status` asks in every project, and most have no plan but their files.
    from director_ctx.memory.plans.following import following
    from director_ctx.memory.plans.merge import own_words
    from director_ctx.memory.plans.rules import FAILED
    from director_ctx.memory.plans.tasks import every_task

    plan = (following(project, kept) or kept).data
    notes = plan.get("notes")
    return BesideFiles(
        failed=tuple(task for task in every_task(plan) if task.task.get("status") == FAILED),
        blockers=tuple(own_words(plan, "blockers")),
        notes=notes if isinstance(notes, str) else "",
    )


def beside_json(known: BesideFiles) -> dict[str, Any]:
    failed = []
    for task in known.failed:
        notes = task.task.get("notes")
        said = notes if isinstance(notes, str) else ""
        failed.append({"ref": task.name, "title": task.description, "notes": said})
    return {"failed": failed, "blockers": list(known.blockers), "notes": known.notes}
