"""Agents that a client spawns where nobody asks for another type: they get nothing until a project
says what.
"""

from __future__ import annotations

from director_ctx.context.settings.hooks import NONE
from director_ctx.upkeep.settings_file import plan_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.upkeep.settings_file import ConfigChange

BUILDER = "builder"


def profile_of(give: bool) -> str:
    """What an answer is called in `dctx.yaml`."""
    if give:
        return BUILDER
    return NONE


def plan_answer(root: str, types: Sequence[str], give: bool) -> ConfigChange:
    """The answer in `dctx.yaml`. A no is written down as well: nobody is asked twice."""
    profile = profile_of(give)
    values: list[tuple[tuple[str, ...], object]] = []
    for kind in types:
        values.append((("hooks", "agents", kind), profile))
    return plan_values(root, values)
