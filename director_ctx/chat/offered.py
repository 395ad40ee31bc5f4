"""The tools that a model is offered in a chat: those that `dctx mcp` serves, called in this process, and a
program's own.
"""

from __future__ import annotations

import re

from director_ctx.base.errors import UsageProblem
from director_ctx.base.light_json import parse
from director_ctx.base.record import Record
from director_ctx.base.safe_text import safe
from director_ctx.base.text import well_formed
from director_ctx.chat.convert_tools import convert_tools
from director_ctx.chat.exchange import ToolResult, ToolUse
from director_ctx.tools.service import ToolCall, ToolService, answer
from director_ctx.tools.tool import AREAS, definition
from director_ctx.tools.tool_sets import ORIGINAL, SEED, SETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from director_ctx.chat.exchange import Item
    from director_ctx.project.project import Project

CLIENT = "dctx chat"
REFRESHING = {
    "few": (("status", "{}"), ("plan", '{"action":"show"}')),
    "seed": (("get_workflow_summary", "{}"), ("get_current_plan", "{}")),
    "all": (("status", "{}"), ("plan", '{"action":"show"}')),
}
"""What is asked again by a refresh, by set of tools."""
NOT_IN_CHAT = (
    "This chat may not change the {area}.",
    "A person allows that with `dctx chat --continue --write {areas}`.",
)
AT_ONCE = 4
"""Calls that run beside one another, where none of them changes anything."""


_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""As both vendors have it."""


class OwnTool(Record):
    """A tool of a program: its definition in any form, and what it answers."""

    definition: Mapping[str, Any]
    call: Callable[[dict[str, Any]], str]

    @property
    def name(self) -> str:
        (converted,) = convert_tools([self.definition])
        name = str(converted.get("name", ""))
        if not _NAME.fullmatch(name):
            raise UsageProblem(
                f"{name[:80]!r} is no name of a tool that a program can call.",
                "Up to 64 letters, digits, - and _.",
            )
        return name


class OfferedTools:
    """All of them, by their names."""

    def __init__(
        self,
        project: Project | None,
        names: str,
        writable: Sequence[str],
        own: Sequence[OwnTool] = (),
    ) -> None:
        if names not in SETS:
            raise UsageProblem(
                f"There is no set of tools {names!r}.", f"One of: {', '.join(SETS)}."
            )
        tools = SETS[names] if project else ()
        if names == SEED and project:
            # What is told by a locator has to be there for whoever asks.
            tools = (*tools, ORIGINAL)
        root = project.root if project else "."
        self._service = ToolService(root, root, tools, _areas(writable), NOT_IN_CHAT)
        self._own: dict[str, OwnTool] = {}
        for tool in own:
            self._expect_new(tool.name)
            self._own[tool.name] = tool
        self.refreshing = REFRESHING[names] if project else ()

    def _expect_new(self, name: str) -> None:
        if name in self._own or self._service.tool(name):
            raise UsageProblem(
                f"There are two tools {name!r}.", "Give yours another name, or leave one out."
            )

    def definitions(self) -> tuple[Item, ...]:
        """In the form of the Responses API, always in the same order."""
        definitions: list[Any] = []
        for tool in self._service.tools:
            definitions.append(definition(tool, self._service.writable))
        for own in self._own.values():
            definitions.append(own.definition)
        return tuple(convert_tools(definitions))

    def use(self, uses: Sequence[ToolUse]) -> tuple[ToolResult, ...]:
        """The results in the order of the calls."""
        one_by_one = len(uses) < 2 or any(map(self._may_change, uses))
        if one_by_one:
            return tuple(map(self._sendable_result, uses))

        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(AT_ONCE) as threads:
            results = threads.map(self._sendable_result, uses)
            return tuple(results)

    def _may_change(self, use: ToolUse) -> bool:
        tool = self._service.tool(use.name)
        # Nobody knows what a program's own does.
        return tool is None or tool.changes(self._service.writable)

    def _sendable_result(self, use: ToolUse) -> ToolResult:
        result = self._result(use)
        return result.replace(text=well_formed(result.text))

    def _result(self, use: ToolUse) -> ToolResult:
        try:
            given = parse(use.arguments or "{}")
        except ValueError as error:
            return ToolResult(use, f"The arguments are no JSON: {error}.", is_error=True)
        if not isinstance(given, dict):
            return ToolResult(use, "The arguments are no object.", is_error=True)

        own = self._own.get(use.name)
        if own:
            return _own_result(own, use, given)
        tool = self._service.tool(use.name)
        if tool is None:
            names = ", ".join([tool.name for tool in self._service.tools] + list(self._own))
            return ToolResult(use, f"There is no such tool; there are: {names}.", is_error=True)
        answered = answer(ToolCall(self._service, CLIENT), tool, given)
        return ToolResult(use, answered.text, answered.is_error)


def _areas(writable: Sequence[str]) -> tuple[str, ...]:
    """What may be changed, as a list or with commas between."""
    names = writable.split(",") if isinstance(writable, str) else writable
    areas = [name.strip() for name in names if name.strip()]
    for area in areas:
        if area not in AREAS:
            raise UsageProblem(
                f"write: {area!r} is nothing that can be changed.",
                f"One or more of: {', '.join(AREAS)}.",
            )
    return tuple(areas)


def _own_result(own: OwnTool, use: ToolUse, given: dict[str, Any]) -> ToolResult:
    try:
        return ToolResult(use, safe(str(own.call(given))))
    except Exception as error:
        # The model can do something about it; the program that offered the tool sees it in the turn.
        return ToolResult(use, safe(f"{type(error).__name__}: {error}"), is_error=True)
