"""How large the requests of a chat may be."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.context.settings.budget import find_model
from director_ctx.context.settings.options import hooks_of, load_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

LEAST = 2_000
"""Tokens of the smallest limit that leaves room for an answer."""


def limit_of(project: Project | None, model: str, wanted: int | None = None) -> int:
    """What is named; else the project's own mark, inside the model's window."""
    if wanted is not None and wanted < LEAST:
        raise UsageProblem(
            f"A limit of {wanted:,} tokens is too small.", f"The smallest is {LEAST:,}."
        )
    wanted = wanted or hooks_of(project).urgent
    extra = load_settings(project).models if project else None
    known = find_model(model, extra)
    if known is None:
        return wanted
    return min(wanted, known.window)
