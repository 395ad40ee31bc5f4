"""What tools cost an agent that asks by them: the lists that its client shows it, and real answers.

Nothing is written: a context that is only measured is not put on record.
"""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.comparing.tool_lists import SEARCH_CALL
from director_ctx.base.light_json import dump
from director_ctx.base.safe_text import safe
from director_ctx.doors.mcp.serving.introduction import INSTRUCTIONS, SEED_INSTRUCTIONS
from director_ctx.tools.arguments import checked
from director_ctx.tools.call import ToolCall
from director_ctx.tools.context import shown_context
from director_ctx.tools.tool import definition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.assembling.comparing.asked import Asked
    from director_ctx.assembling.comparing.tool_lists import ToolList
    from director_ctx.context.assembly import Assembly
    from director_ctx.doors.mcp.serving.service import Service
    from director_ctx.project.project import Project
    from director_ctx.tools.tool import Tool

    Exchange = tuple[str, str]
    """A call as the model writes it, and what it reads then."""

ALWAYS = ("anthropic/alwaysLoad", True)
REST = "The rest: "
"""Words at the end of a page that has another behind it."""
LONGEST_END = 1_000
"""Characters in which these words stand."""


def first_texts(service: Service, shown: ToolList) -> list[str]:
    """What a client puts into the first request because of this server."""
    texts = []
    for tool in service.tools:
        if _is_deferred(tool, shown):
            texts.append(f"{shown.prefix}{tool.name}")
        else:
            texts.append(_definition(tool, shown))
    if shown.instructions:
        instructions = SEED_INSTRUCTIONS
        if service.tool("context"):
            instructions = INSTRUCTIONS
        texts.append(instructions)
    return texts


def _is_deferred(tool: Tool, shown: ToolList) -> bool:
    return shown.deferred and ALWAYS not in tool.meta


def _definition(tool: Tool, shown: ToolList) -> str:
    listed = definition(tool, ())
    return f"{shown.prefix}{tool.name} {listed['description']} {dump(listed['inputSchema'])}"


def exchanges(service: Service, shown: ToolList, calls: Sequence[Asked]) -> list[Exchange]:
    """The calls with their real answers, page for page; before them one for tools that the model
    knows only by name.
    """
    every = _search(service, shown, calls)
    for name, given in calls:
        every += _pages(service, shown, name, given)
    return every


def _search(service: Service, shown: ToolList, calls: Sequence[Asked]) -> list[Exchange]:
    wanted = {name for name, _ in calls}
    names = []
    definitions = []
    for tool in service.tools:
        if tool.name in wanted and _is_deferred(tool, shown):
            names.append(f"{shown.prefix}{tool.name}")
            definitions.append(_definition(tool, shown))
    if not names:
        return []

    call = SEARCH_CALL.format(names=",".join(names))
    return [(call, "\n".join(definitions))]


def _pages(
    service: Service, shown: ToolList, name: str, given: Mapping[str, Any]
) -> Iterator[Exchange]:
    """One call after another, until nothing is left."""
    tool = service.tool(name)
    assert tool
    page = 1
    asked = dict(given)
    while True:
        answer = safe(_answer(service, tool, asked, shown))
        yield f"{shown.prefix}{name} {dump(asked)}", answer
        if REST not in answer[-LONGEST_END:]:
            return
        page += 1
        asked = {**given, "page": page}


def _answer(service: Service, tool: Tool, given: dict[str, Any], shown: ToolList) -> str:
    values = checked(tool, given, ())
    if tool.name == "context":
        # Its own function would put the context on record.
        assembly = _context(service.project(), values["agent"], values["task"])
        return shown_context(assembly, values, shown.connects_as)

    module = __import__(f"director_ctx.tools.{tool.module}", fromlist=[tool.call])
    function = getattr(module, tool.call)
    text: str = function(service, ToolCall(shown.connects_as), values)
    return text


def _context(project: Project, agent: str, task: str | None) -> Assembly:
    """It is asked for section by section, page by page, and in several ways."""
    name = f"measured context: {agent} {task}"
    return project.once(name, lambda: assemble(project, agent, task=task))
