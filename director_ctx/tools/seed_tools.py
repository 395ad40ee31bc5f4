"""The tools of seeds 000 and 002, by their names and with their parameters."""

from __future__ import annotations

from director_ctx.tools.tool import (
    ANYTHING,
    BROWSER,
    NAME,
    NUMBER,
    OBJECT,
    PLAN,
    TEXT,
    VARIABLES,
    Parameter,
    Tool,
)

_REASON = Parameter("reason", "Why.", required=True)
_VERSION = Parameter("version", "The version of the variables that you saw.", NAME)
_VARIABLE = Parameter("variableName", required=True)
_PAGE = Parameter("page", kind=NUMBER)
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
            _REASON,
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
        (_VARIABLE, Parameter("value", kind=ANYTHING, required=True), _REASON, _VERSION),
        call="put_variable",
        areas=(VARIABLES,),
    ),
    Tool(
        "clear_variable",
        "Clear specific variable",
        "seed",
        (_VARIABLE, _REASON, _VERSION),
        call="take_variable",
        areas=(VARIABLES,),
    ),
    Tool(
        "clear_all_variables",
        "Clear all variables (fresh workflow state)",
        "seed",
        (_REASON, _VERSION),
        call="take_all_variables",
        areas=(VARIABLES,),
    ),
    Tool("get_browser_state", "Get current browser tabs and state", "seed_browser", call="browser_state"),
    Tool(
        "inspect_tab",
        "Look into a tab",
        "seed_browser",
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
        "seed_browser",
        (Parameter("url", required=True), _TAB, _REASON),
        call="navigate",
        areas=(BROWSER,),
    ),
    Tool(
        "debug_action",
        "Perform debugging actions",
        "seed_browser",
        (
            Parameter("action", choices=("click", "type", "wait"), required=True),
            Parameter("selector", required=True),
            Parameter("text", "What to type.", TEXT),
            _TAB,
            _REASON,
        ),
        call="debug_action",
        areas=(BROWSER,),
    ),
    Tool(
        "debug_open_tab",
        "Open a tab",
        "seed_browser",
        (Parameter("url", required=True), Parameter("tabName"), Parameter("reason")),
        call="open_tab",
        areas=(BROWSER,),
    ),
    Tool(
        "debug_close_tab",
        "Close a tab",
        "seed_browser",
        (Parameter("tabName", required=True), Parameter("reason")),
        call="close_tab",
        areas=(BROWSER,),
    ),
)  # fmt: skip
