"""Where things are kept, said beside a command if whoever typed it may expect them elsewhere."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.doors.cli.shared.options import WRITES
from director_ctx.doors.cli.shared.speak import say
from director_ctx.memory.store.notice import may_be_elsewhere, place_outside, shared_unasked
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.project.project import Project


def say_where_kept_here(values: dict[str, Any], store: str = WRITES) -> None:
    """Whatever is wrong with the project, the command itself says better."""
    try:
        say_where_kept(project_here(values["root"]), store)
    except DctxError:
        pass


def say_where_kept(project: Project | None, store: str = WRITES) -> None:
    if project is None:
        # Who only reads makes no file, and sees by the answer what there is.
        path = ""
        if store == WRITES:
            path = place_outside()
        if path:
            say(f"Outside of a project, so the store is {path}.")
    elif may_be_elsewhere(project):
        say(
            "This project has a workflow_id, so its team may keep the plan and variables in a store that they share.",
            "DCTX_STORE names it; without it they are kept here, in .director/.dctx/store.db.",
        )


def say_who_may_read(project: Project | None) -> None:
    """That somebody else may read what was just kept, where nobody said that this is meant."""
    if shared_unasked(project):
        say(
            "The originals are in the store that DCTX_STORE or dctx.yaml names: whoever uses that may read them.",
            "`dctx history remove RECEIPT` deletes them; `hooks: {archive: true}` in dctx.yaml says that it is meant.",
        )
