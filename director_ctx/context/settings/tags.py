"""The tags of a context: their order, their headings, their groups."""

from __future__ import annotations

VISION = "vision"
GAMEPLAN = "gameplan"
STEP = "current_step"
DECISIONS = "decisions"
TASK = "task"
STEP_RESEARCH = "step_research"
RESEARCH_SUMMARY = "research_summary"
RESEARCH = "research"
CODEBASE_SUMMARY = "codebase_summary"
CODEBASE = "codebase"
RECENT = "recent_changes"
STATE = "project_state"
CHANGES = "changes"
ISSUES = "issues"
COST = "cost_data"
REFERENCE = "reference"
INSTRUCTIONS = "instructions"

SYSTEM = "system_prompt"
PLAN = "current_plan"
SNAPSHOT = "workflow_snapshot"
VARIABLES = "workflow_variables"
BROWSER = "browser_state"
CONVERSATION = "conversation_history"
COMPRESSED = "compressed_context"

PROMPT_WINS = "Where your prompt and this context disagree, your prompt wins."
"""In the line that hooks put before a context."""

PARTS = (SYSTEM, PLAN, SNAPSHOT, VARIABLES, BROWSER, CONVERSATION, COMPRESSED)
"""What the `parts` layout numbers, in its order; in other contexts these are tags like any other.
"""

TAGS = (
    SYSTEM, VISION, GAMEPLAN, STEP, DECISIONS, TASK, STEP_RESEARCH, RESEARCH_SUMMARY, RESEARCH, CODEBASE_SUMMARY,
    CODEBASE, RECENT, STATE, CHANGES, ISSUES, COST, PLAN, SNAPSHOT, VARIABLES, BROWSER, CONVERSATION, COMPRESSED,
    REFERENCE, INSTRUCTIONS,
)  # fmt: skip
"""Every tag, in the order in which an agent reads them."""

CACHE_ORDER = (
    SYSTEM, VISION, REFERENCE, RESEARCH_SUMMARY, CODEBASE_SUMMARY, GAMEPLAN, RESEARCH, CODEBASE, STEP, STEP_RESEARCH,
    DECISIONS, TASK, STATE, RECENT, CHANGES, ISSUES, COST, COMPRESSED, PLAN, SNAPSHOT, VARIABLES, CONVERSATION, BROWSER,
    INSTRUCTIONS,
)  # fmt: skip
"""What changes least first, so that a provider's cached prefix lasts; instructions stay last."""

PULL, PULL_SEED = "pull", "pull-seed"
PULLED_TOOLS = {PULL: "few", PULL_SEED: "seed"}
"""Layouts whose prompt names tools, and the set that it names, as `dctx mcp --tools` calls it."""
LAYOUT_NAMES = ("tags", "cache", "parts", *PULLED_TOOLS)
FORMATS = ("xml", "json", "markdown", "messages")
"""How sections may be laid out and printed; `layouts.py` has a function for each."""

ALIASES = {
    "step": STEP, "state": STATE, "recent": RECENT, "plan": PLAN, "snapshot": SNAPSHOT, "variables": VARIABLES,
    "vars": VARIABLES, "browser": BROWSER, "conversation": CONVERSATION, "history": CONVERSATION,
    "summary": COMPRESSED,
}  # fmt: skip
"""What `--with` and its like call a tag too."""

EVERYWHERE_PROTECTED = frozenset(
    (VISION, TASK, DECISIONS, INSTRUCTIONS, CHANGES, ISSUES, COST, SYSTEM, PLAN, COMPRESSED)
)
GROUPS = {
    "research": (RESEARCH, RESEARCH_SUMMARY, STEP_RESEARCH),
    "codebase": (CODEBASE, CODEBASE_SUMMARY),
}
STABLE = frozenset((SYSTEM, VISION, GAMEPLAN, REFERENCE, RESEARCH_SUMMARY, CODEBASE_SUMMARY))
"""Sections that depend on neither the task nor the time, unless they were chosen by task."""


def title(tag: str) -> str:
    """`recent_changes` as people write it."""
    return tag.replace("_", " ").capitalize()


def protected_tags(names: tuple[str, ...]) -> frozenset[str]:
    """What a profile's `protect` covers: one tag of a group, or its name, protects the whole group."""
    covered = set(names)
    for group, members in GROUPS.items():
        if covered & {group, *members}:
            covered |= {group, *members}
    return frozenset(covered)
