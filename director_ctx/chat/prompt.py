"""What a model is told before anything is said: the seed's clean prompt, a whole context, or the small part of
one that whoever has a task needs.
"""

from __future__ import annotations

import os

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import UsageProblem
from director_ctx.context.settings.options import (
    CLEAN_CONTEXT,
    HYBRID,
    SWITCHED_OFF,
)
from director_ctx.context.settings.pulled import PUSHED_MINIMUM
from director_ctx.context.settings.tags import COMPRESSED, CONVERSATION, PULL, PULL_SEED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

PUSH = "push"
WAYS = (PUSH, PULL, HYBRID)
DIRECTOR = "director"
NO_PROJECT = (
    "You help with whatever you are asked about. Do that, and nothing beyond it; say so where you do"
    " not know something."
)
_SAID_BEFORE = f"{CONVERSATION},{COMPRESSED}"


def way_of(name: str | None) -> str:
    """The one that is named; else pull, unless the environment switches that off."""
    if name is None:
        switch = os.environ.get(CLEAN_CONTEXT, "").strip().casefold()
        return PUSH if switch in SWITCHED_OFF else PULL
    if name not in WAYS:
        raise UsageProblem(
            f"There is no way {name!r} to give a context.", "Say push, pull or hybrid."
        )
    return name


def prompt(project: Project | None, way: str, tools: str) -> str:
    if project is None:
        return NO_PROJECT
    if way == PUSH:
        return assemble(project, DIRECTOR, without=_SAID_BEFORE).text
    pushed = None
    if way == HYBRID:
        pushed = ",".join(PUSHED_MINIMUM)
    layout = PULL_SEED if tools == "seed" else PULL
    return assemble(project, DIRECTOR, layout=layout, with_=pushed).text


def whole_context(project: Project | None) -> str:
    """The parts that are told once after a compression, but for conversations: the chat tells its own, and the
    store has other ones, too.
    """
    if project is None:
        return NO_PROJECT
    return assemble(project, DIRECTOR, without=_SAID_BEFORE).text
