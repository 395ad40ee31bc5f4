"""The contexts of every agent at once, for a look at where their tokens go."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.context.settings.options import load_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project


def every_context(project: Project, **options: Any) -> dict[str, Assembly | str]:
    """By agent its context, or why there is none now."""
    contexts: dict[str, Assembly | str] = {}
    for name in load_settings(project).profiles:
        try:
            contexts[name] = assemble(project, name, **options)
        except UsageProblem:
            # A mistake in the options is the same for all of them, and no row of a table.
            raise
        except DctxError as error:
            contexts[name] = error.message
    return contexts


def contexts_json(contexts: Mapping[str, Assembly | str]) -> list[dict[str, Any]]:
    """The shape of `dctx budget --all --json`."""
    rows: list[dict[str, Any]] = []
    for name, context in contexts.items():
        if isinstance(context, str):
            rows.append({"agent": name, "error": context})
        else:
            rows.append(context.account_json())
    return rows
