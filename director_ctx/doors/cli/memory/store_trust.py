"""`dctx store trust`: which store a project would use, and which workflow in it, and the user's
word on that.
"""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.base.text import plain
from director_ctx.context.settings.options import load_settings
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.by_url import agree, allow_workflow, forbid_workflows, meant_store
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.memory.store.by_url import Meant


def run(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    if values["revoke"]:
        return _revoke(root)
    settings = load_settings(load_project(root=root))
    meant = meant_store(settings.store, settings.workflow_id or "")
    if meant is None:
        raise DctxError(
            "Neither .director/dctx.yaml nor DCTX_STORE names a store.",
            "Only a store outside of the project needs to be allowed.",
        )
    put_lines(list(_lines(root, meant)))
    if not values["yes"] and not says_yes("Allow this?"):
        put_lines([("Nothing was allowed.", "bold")])
        return FAILED
    # DCTX_STORE is the user's own word; only what came with the repository needs one.
    if not meant.is_users:
        agree(root, meant.url)
    if meant.workflow:
        allow_workflow(root, meant.place, meant.workflow)
    put_lines([("Allowed, until dctx.yaml names another one.", "bold")])
    return OK


def _revoke(root: str) -> int:
    store_taken = agree(root, None)
    workflows_taken = forbid_workflows(root)
    if store_taken or workflows_taken:
        put_lines([("The store is no longer allowed.", "bold")])
    else:
        put_lines([("The store was not allowed before.", "bold")])
    return OK


def _lines(root: str, meant: Meant) -> Iterator[tuple[str, str]]:
    yield f"{plain(root)} would keep its plans and variables in", "bold"
    yield f"  {plain(meant.place)}", ""
    if meant.workflow:
        yield "and read all that the store has of the workflow", "bold"
        yield f"  {plain(meant.workflow)}", ""
