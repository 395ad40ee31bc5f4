"""The tools that a server offers: a few by default, because most clients show a model all of them at every request; and
those of seeds 000 and 002, by their names and with their parameters.
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

# --- The seeds' tools ---

_SEED_REASON = Parameter("reason", "Why.", required=True)
_VERSION = Parameter("version", "The version of the variables that you saw.", NAME)
_VARIABLE = Parameter("variableName", required=True)
_TAB = Parameter("tabName", "Default: the active one.")

SEED_TOOLS = (
    Tool(
        "get_workflow_summary",
        "Get overview of current workflow including node count, status, and description",
        "seed",
        call="summary",
    ),
    Tool(
        "get_workflow_nodes",
        "Get detailed information about workflow nodes",
        "seed",
        (
            Parameter("range", '"1-10", "all" or "recent"'),
            Parameter("type", choices=("goal", "step", "task")),
            _PAGE,
        ),
        call="workflow_nodes",
    ),
    Tool(
        "get_workflow_variables",
        "Get current workflow variables and state",
        "seed",
        (Parameter("key", 'A variable, or "all"'), _PAGE),
        call="workflow_variables",
    ),
    Tool(
        "get_workflow_variable",
        "Get full variable content",
        "seed",
        (
            Parameter("variableName", 'A variable, or "all"'),
            Parameter("nodeId", "All variables of this node.", NAME),
            _PAGE,
        ),
        call="workflow_variable",
    ),
    Tool(
        "get_current_plan",
        "Get the current implementation plan and progress",
        "seed",
        (_PAGE,),
        call="whole_plan",
    ),
    Tool(
        "update_plan",
        "Update the current workflow plan",
        "seed",
        (
            Parameter("plan", "Complete plan object (replaces existing plan), with the plan_version that you saw.",
                      OBJECT, required=True),
            _SEED_REASON,
        ),
        call="replace_plan",
        areas=(PLAN,),
    ),
    Tool(
        "get_workflow_description",
        "Get the full workflow requirements and business rules",
        "seed",
        (_PAGE,),
        call="description",
    ),
    Tool(
        "set_variable",
        "Set a variable for debugging",
        "seed",
        (_VARIABLE, Parameter("value", kind=ANYTHING, required=True), _SEED_REASON, _VERSION),
        call="put_variable",
        areas=(VARIABLES,),
    ),
    Tool(
        "clear_variable",
        "Clear specific variable",
        "seed",
        (_VARIABLE, _SEED_REASON, _VERSION),
        call="take_variable",
        areas=(VARIABLES,),
    ),
    Tool(
        "clear_all_variables",
        "Clear all variables (fresh workflow state)",
        "seed",
        (_SEED_REASON, _VERSION),
        call="take_all_variables",
        areas=(VARIABLES,),
    ),
    Tool("get_browser_state", "Get current browser tabs and state", "browser", call="browser_state"),
    Tool(
        "inspect_tab",
        "Look into a tab",
        "browser",
        (
            _TAB,
            Parameter("inspectionType", choices=("lightweight_exploration", "dom_snapshot")),
            Parameter("instruction", "What to look for."),
            _PAGE,
        ),
        call="inspect_tab",
    ),
    Tool(
        "debug_navigate",
        "Navigate for debugging",
        "browser",
        (Parameter("url", required=True), _TAB, _SEED_REASON),
        call="navigate",
        areas=(BROWSER,),
    ),
    Tool(
        "debug_action",
        "Perform debugging actions",
        "browser",
        (
            Parameter("action", choices=("click", "type", "wait"), required=True),
            Parameter("selector", required=True),
            Parameter("text", "What to type."),
            _TAB,
            _SEED_REASON,
        ),
        call="debug_action",
        areas=(BROWSER,),
    ),
    Tool(
        "debug_open_tab",
        "Open a tab",
        "browser",
        (Parameter("url", required=True), Parameter("tabName"), Parameter("reason")),
        call="open_tab",
        areas=(BROWSER,),
    ),
    Tool(
        "debug_close_tab",
        "Close a tab",
        "browser",
        (Parameter("tabName", required=True), Parameter("reason")),
        call="close_tab",
        areas=(BROWSER,),
    ),
)  # fmt: skip

FEW, SEED, ALL = "few", "seed", "all"
SETS = {FEW: DEFAULT, SEED: SEED_TOOLS, ALL: (*DEFAULT, *SEED_TOOLS)}
"""The tools of each set, in the order in which they are listed."""
