"""The tools that are there by default: few, because most clients show a model all of them at every
request.
"""

from __future__ import annotations

from director_ctx.tools.tool import (
    ANYTHING,
    BROWSER,
    NAME,
    NUMBER,
    OBJECT,
    PLAN,
    TASKS,
    TEXTS,
    VARIABLES,
    Parameter,
    Tool,
)

WHOLE = 100_000
"""Characters that a client is asked to pass on whole, where it asks for a limit."""
PINNED = (("anthropic/alwaysLoad", True), ("anthropic/maxResultSizeChars", WHOLE))
"""Claude Code shows the model this tool at once, and others only by their names."""

_PAGE = Parameter("page", kind=NUMBER)
_REASON = Parameter("reason", "Why.", areas=(PLAN, VARIABLES, TASKS, BROWSER))

CONTEXT = Tool(
    "context",
    "What an agent needs to know before it works on a task: vision, step, decisions, the task, notes about the code,"
    " recent changes.",
    "context",
    (
        Parameter("agent", "builder (default), planner, verifier, debugger or another profile."),
        Parameter("task", "Such as 2/1/3. Default: the next one.", NAME),
        Parameter("sections", "Only these, such as task or codebase.", TEXTS),
        Parameter("inputs", "Of some profiles, such as question, focus or issues.", OBJECT),
        _PAGE,
    ),
    meta=PINNED,
)
STATUS = Tool(
    "status",
    "Where the project stands: goals and steps, the next task and why, what waits, open questions, who works on what.",
    "standing",
    (Parameter("goal", "The number of a goal, to see its tasks.", NAME), _PAGE),
)
SEARCH = Tool(
    "search",
    "Find lines with these words in the .director/ folder, plan, variables, earlier contexts, conversations.",
    "search",
    (
        Parameter("text", required=True),
        Parameter(
            "where", "Default: all.", choices=("folder", "plan", "contexts", "conversations")
        ),
        _PAGE,
    ),
)
ORIGINAL = Tool(
    "original",
    "The whole text behind a locator: what was cut from a conversation, or a place that search shows.",
    "original",
    (Parameter("locator", required=True), _PAGE),
)
PLAN_TOOL = Tool(
    "plan",
    "The plan and the variables: what is to be done, and what was found out.",
    "plan",
    (
        Parameter(
            "action",
            choices=("show", "variables"),
            writing=(
                (PLAN, ("update", "set_status")),
                (VARIABLES, ("set_variable", "clear_variable")),
                (TASKS, ("claim", "release", "done")),
            ),
            required=True,
        ),
        Parameter("name", "A variable or a task.", NAME),
        Parameter("value", "Of a variable: any JSON.", ANYTHING, areas=(VARIABLES,)),
        Parameter("plan", "The whole new plan.", OBJECT, areas=(PLAN,)),
        Parameter(
            "status", choices=("pending", "in_progress", "completed", "failed"), areas=(PLAN,)
        ),
        Parameter("agent", areas=(TASKS,)),
        Parameter("claim", areas=(TASKS,)),
        Parameter(
            "version",
            "As shown.",
            NAME,
            areas=(PLAN, VARIABLES, TASKS),
        ),
        _REASON.replace(areas=(PLAN, VARIABLES, TASKS)),
        _PAGE,
    ),
)
BROWSER_TOOL = Tool(
    "browser",
    "The browser's tabs, and what is on a page.",
    "browser",
    (
        Parameter(
            "action",
            choices=("tabs", "inspect"),
            writing=((BROWSER, ("navigate", "click", "type", "wait", "open", "close")),),
            required=True,
        ),
        Parameter("tab", "Its name or number. Default: the active one.", NAME),
        Parameter("looking_for", "Words to look for; `dom` for the whole page."),
        Parameter("selector", areas=(BROWSER,)),
        Parameter("text", areas=(BROWSER,)),
        Parameter("url", areas=(BROWSER,)),
        _REASON.replace(areas=(BROWSER,)),
        _PAGE,
    ),
)

DEFAULT = (CONTEXT, STATUS, SEARCH, ORIGINAL, PLAN_TOOL, BROWSER_TOOL)
