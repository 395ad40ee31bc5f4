"""Which tools a server offers."""

from __future__ import annotations

from director_ctx.tools.default_tools import DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.tools.tool import Tool

FEW, SEED, ALL = "few", "seed", "all"
SETS = (FEW, SEED, ALL)


def tools_of(name: str) -> tuple[Tool, ...]:
    """The tools of a set, in the order in which they are listed."""
    if name == FEW:
        return DEFAULT
    # Most servers offer none of these.
    from director_ctx.tools.seed_tools import SEED_TOOLS

    if name == SEED:
        return SEED_TOOLS
    return (*DEFAULT, *SEED_TOOLS)
