"""The plan, the variables and the tasks, shown and changed: which action is done where."""

from __future__ import annotations

from director_ctx.base.answer_pages import page_of
from director_ctx.tools.tool import PLAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.tools.call import ToolCall
    from director_ctx.tools.service import ToolService

ACTIONS = {
    "show": "plan_actions",
    "update": "plan_actions",
    "set_status": "plan_actions",
    "variables": "variable_actions",
    "set_variable": "variable_actions",
    "clear_variable": "variable_actions",
    "claim": "task_actions",
    "release": "task_actions",
    "done": "task_actions",
}
"""The module whose function has the action's name."""


def run(service: ToolService, _: ToolCall, values: dict[str, Any]) -> str:
    action = values["action"]
    module = __import__(f"director_ctx.tools.{ACTIONS[action]}", fromlist=[action])
    text = getattr(module, action)(service.project(), values)
    if action == "show" and PLAN in service.writable and not values["name"]:
        text += f"\n{module.HOW_TO_CHANGE}"
    return page_of(text, "plan", values)
