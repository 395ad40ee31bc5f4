"""What a model is told before anything is said: the seed's clean prompt, a whole context, or the small part of
one that an agent with a task needs. And how large its requests may be.
"""

from __future__ import annotations

import os

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import UsageProblem
from director_ctx.context.settings.budget import find_model
from director_ctx.context.settings.chat import DELIVERIES, ChatSettings
from director_ctx.context.settings.options import (
    CLEAN_CONTEXT,
    HYBRID,
    SWITCHED_OFF,
    hooks_of,
    load_settings,
)
from director_ctx.context.settings.pulled import PUSHED_MINIMUM
from director_ctx.context.settings.tags import COMPRESSED, CONVERSATION, PULL, PULL_SEED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

PUSH = "push"
DIRECTOR = "director"
LEAST_LIMIT = 2_000
"""Tokens of the smallest limit that leaves room for an answer."""
NO_PROJECT = (
    "You help with whatever you are asked about. Do that, and nothing beyond it; say so where you do"
    " not know something."
)


def chat_settings(project: Project | None) -> ChatSettings:
    settings = load_settings(project).chat if project else None
    return settings or ChatSettings()


def limit_of(project: Project | None, model: str, wanted: int | None = None) -> int:
    """What is named; else the project's own mark, inside the model's window."""
    wanted = wanted or chat_settings(project).limit or hooks_of(project).urgent
    if wanted < LEAST_LIMIT:
        raise UsageProblem(
            f"A limit of {wanted:,} tokens is too small.", f"The smallest is {LEAST_LIMIT:,}."
        )
    known = find_model(model, load_settings(project).models if project else None)
    return min(wanted, known.window) if known else wanted


def delivery_of(name: str) -> str:
    """The one that is named; else pull, unless the environment switches that off."""
    if not name:
        switch = os.environ.get(CLEAN_CONTEXT, "").strip().casefold()
        return PUSH if switch in SWITCHED_OFF else PULL
    if name not in DELIVERIES:
        raise UsageProblem(
            f"There is no way {name!r} to give a context.", "Say push, pull or hybrid."
        )
    return name


def prompt(project: Project | None, delivery: str, tools: str) -> str:
    if project is None or delivery == PUSH:
        return whole_context(project)
    layout = PULL_SEED if tools == "seed" else PULL
    pushed = ",".join(PUSHED_MINIMUM) if delivery == HYBRID else None
    return assemble(project, DIRECTOR, layout=layout, with_=pushed).text


def whole_context(project: Project | None) -> str:
    """All parts but for conversations: the chat tells its own, and the store has other ones, too."""
    if project is None:
        return NO_PROJECT
    return assemble(project, DIRECTOR, without=f"{CONVERSATION},{COMPRESSED}").text
