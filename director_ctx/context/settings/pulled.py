"""What the system prompt of the pull layout names: the tools, and the calls to begin with."""

from __future__ import annotations

from director_ctx.context.settings.tags import (
    CODEBASE,
    CODEBASE_SUMMARY,
    DECISIONS,
    INSTRUCTIONS,
    RESEARCH_SUMMARY,
    TASK,
    VARIABLES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PUSHED_MINIMUM = (TASK, DECISIONS, INSTRUCTIONS)
"""What stands in the prompt where both ways are used: small, and needed by whoever has a task. With the
instructions among it one call is enough, and a call costs a request of everything so far.
"""
PULL_OPTIONS = f"--layout pull --with {','.join(PUSHED_MINIMUM)}"
"""How a context is assembled where both ways are used."""
NOTES = (CODEBASE, CODEBASE_SUMMARY, RESEARCH_SUMMARY, VARIABLES)
"""What is asked for before anything is changed."""

TOOLS: dict[str, tuple[tuple[str, str], ...]] = {
    "few": (
        ("context", "what you need to know for a task: all of it, or only the sections you name"),
        ("status", "where the project stands, what is next and why"),
        ("search", "lines with some words in the folder, the plan, contexts and conversations"),
        ("original", "the whole text that was cut from a conversation"),
        ("plan", "the plan and the variables"),
        ("browser", "the browser's tabs, and what is on a page"),
    ),
    "seed": (
        ("get_workflow_summary", "overview of the current workflow"),
        ("get_workflow_nodes", "detailed information about its nodes"),
        ("get_workflow_variables", "current state data"),
        ("get_current_plan", "active plan and progress"),
        ("get_workflow_description", "full requirements"),
        ("get_browser_state", "current browser context"),
    ),
}
"""By set of tools, as `dctx mcp --tools` calls it: the names that it serves, and what each is for."""

_FIRST = {"few": "context"}
"""The tool to begin with, where the set has one that takes an agent and a task."""


def tool_lines(tools: str) -> str:
    """The tools as a list in a prompt."""
    lines = []
    for name, purpose in TOOLS[tools]:
        lines.append(f"- `{name}`: {purpose}")
    return "\n".join(lines)


def first_call(tools: str, agent: str, task: str, sections: Sequence[str] = ()) -> str:
    """The call to begin with, in the words in which it can be made; for some sections, or for all."""
    tool = _FIRST.get(tools)
    if not tool:
        return ""
    given = f'"agent":"{agent}"'
    if task:
        given += f',"task":"{task}"'
    if sections:
        names = ",".join(f'"{name}"' for name in sections)
        given += f',"sections":[{names}]'
    return f"`{tool} {{{given}}}`"
