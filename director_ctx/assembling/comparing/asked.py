"""What an agent asks for that is given nothing but a prompt: as it is told there, as data."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.settings.pulled import NOTES, PUSHED_MINIMUM
from director_ctx.context.settings.tags import (
    DECISIONS,
    GAMEPLAN,
    INSTRUCTIONS,
    PLAN,
    SNAPSHOT,
    STATE,
    SYSTEM,
    TASK,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    Asked = tuple[str, Mapping[str, Any]]
    """A tool, and the arguments that it is called with."""

BEGINNING = (TASK, DECISIONS, GAMEPLAN, STATE, PLAN, SNAPSHOT, INSTRUCTIONS, SYSTEM)
"""What is asked for first, in one call."""

_SEED: Mapping[str, Sequence[Asked]] = {
    "parts": (
        ("get_workflow_summary", {}),
        ("get_current_plan", {}),
        ("get_workflow_description", {}),
        ("get_workflow_nodes", {"range": "recent"}),
    ),
    "whole": (
        ("get_workflow_summary", {}),
        ("get_current_plan", {}),
        ("get_workflow_description", {}),
        ("get_workflow_nodes", {"range": "all"}),
        ("get_workflow_variables", {"key": "all"}),
    ),
    "rest": (("get_workflow_summary", {}), ("get_workflow_description", {})),
}


class AskedCalls(Record):
    """The calls of one agent, by how much it asks for."""

    parts: Sequence[Asked]
    """What its prompt tells it to ask for."""
    whole: Sequence[Asked]
    """All that would have been pushed."""
    rest: Sequence[Asked]
    """What the prompt does not have where both ways are used."""


def asked_calls(tools: str, agent: str, task: str, sections: Collection[str]) -> AskedCalls:
    """By the tools that there are, and the sections of the agent's context."""
    if tools == "seed":
        return AskedCalls(**_SEED)

    given = {"agent": agent}
    if task:
        given["task"] = task
    return AskedCalls(
        parts=_section_calls(given, sections, ()),
        whole=(("context", given),),
        rest=_section_calls(given, sections, PUSHED_MINIMUM),
    )


def _section_calls(
    given: Mapping[str, Any], sections: Collection[str], known: Collection[str]
) -> Sequence[Asked]:
    """A call for each group that has anything in it."""
    calls: list[Asked] = []
    for group in (BEGINNING, NOTES):
        wanted = [tag for tag in group if tag in sections and tag not in known]
        if wanted:
            calls.append(("context", {**given, "sections": wanted}))
    return calls
