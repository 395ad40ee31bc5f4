"""Asks what general-purpose agents are given, where a project does not say so yet."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.clients.hooks.undecided import undecided
from director_ctx.clients.setup.general_purpose import plan_answer
from director_ctx.doors.cli.shared.confirm import NobodyAnswered, answers_yes
from director_ctx.doors.cli.shared.speak import say
from director_ctx.project.project import load_project
from director_ctx.upkeep.settings_file import PATH, write_config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.table import Client

QUESTION = "Give general-purpose agents the builder's context?"
EXPLAINED = (
    "Agents that your client starts where you ask for no other type are general-purpose agents. "
    "With yes, each of them begins with the vision, the step, the decisions, the next task and its notes; "
    "with no, it has your words alone."
)


def wants_builder() -> bool:
    """The answer of whoever sits at the terminal; a return is a yes, and no answer is an error."""
    return answers_yes(QUESTION, True, EXPLAINED)


def ask_about_agents(root: str, clients: Sequence[Client]) -> None:
    """Asked once: the answer is written down in the project, a no as well."""
    try:
        types = undecided(load_project(root=root), clients)
    except DctxError:
        return  # a mistake in dctx.yaml is said elsewhere
    if not types:
        return
    try:
        change = plan_answer(root, types, wants_builder())
    except NobodyAnswered:
        say("That was not answered, so it stays open.", "`dctx setup` asks again.")
        return
    write_config(root, change)
    say(f"{PATH} is written.", "`dctx config set hooks.agents.TYPE PROFILE` changes it.")
