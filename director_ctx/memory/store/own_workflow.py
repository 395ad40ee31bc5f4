"""Which workflows of a shared store a project may use: those that it began, and those that the user allowed it.

A workflow is named by a line in `dctx.yaml`, and anybody may copy that line into a repository of theirs.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.context.settings.consents import consents_in, is_trusted, keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Reader

_THERE = "SELECT 1 FROM workflows WHERE id = ?"
_WORKFLOW = "workflow "


def check_workflow(root: str, place: str, store: Reader, workflow: str, write: bool) -> None:
    """Refuses a workflow in which somebody else has kept something. Whoever begins one is remembered."""
    thing = in_record(place, workflow)
    if not workflow or is_trusted(root, thing, workflow):
        return
    if store.row(_THERE, (workflow,)) is None:
        if write:
            allow_workflow(root, place, workflow)
        return
    # Another process of this project may have begun it just now: it was remembered before the first row was written.
    if is_trusted(root, thing, workflow):
        return
    raise DctxError(
        f"The workflow {plain(workflow)} has something in this store already, and this project did not begin it here.",
        "`dctx store trust`, with DCTX_STORE set to this store, lets the project use it; --yes is for CI.",
    )


def allow_workflow(root: str, place: str, workflow: str) -> None:
    keep(root, {in_record(place, workflow): workflow})


def forbid_workflows(root: str) -> bool:
    """Takes back what was allowed; whether there was anything."""
    known = [thing for thing in consents_in(root) if thing.startswith(_WORKFLOW)]
    return keep(root, dict.fromkeys(known, ""))


def in_record(place: str, workflow: str) -> str:
    """The name of a workflow among the consents. A file is one, by whichever path."""
    real = place if "://" in place else os.path.realpath(place)
    return f"{_WORKFLOW}{workflow} in {real}"
