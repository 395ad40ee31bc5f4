"""The context of an agent, a task, or some of its sections."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble, keep_record
from director_ctx.assembling.only_sections import only_sections
from director_ctx.base.answer_pages import CHARACTERS, page_of
from director_ctx.context.assembly import reduced_line
from director_ctx.doors.mcp.tools.default_tools import WHOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.context.assembly import Assembly
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.service import Service

AGENT = "builder"
TAKE_ALL = ("claude-code",)
"""Clients that pass on as much of this tool's answer as its definition asks for."""


def run(service: Service, call: ClientCall, values: dict[str, Any]) -> str:
    project = service.project()
    agent = values["agent"] or AGENT
    assembly = assemble(project, agent, task=values["task"])

    wanted = values["sections"] or ()
    part = only_sections(assembly, wanted, "sections")
    call.check()
    # On record is what was handed out, once, however many pages it takes.
    if not values["page"]:
        keep_record(project, assembly)

    text = part.text + _remarks(assembly, part)
    same = _call_for_the_same(assembly, values)
    return page_of(text, "context", same, _narrower(assembly), _most(call))


def _call_for_the_same(assembly: Assembly, values: dict[str, Any]) -> dict[str, Any]:
    """With the task that was meant: another one may be the next by the time that the rest is asked
    for.
    """
    if not assembly.task:
        return values
    return {**values, "task": assembly.task["ref"]}


def _most(call: ClientCall) -> int:
    if call.client in TAKE_ALL:
        return WHOLE
    return CHARACTERS


def _remarks(assembly: Assembly, part: Assembly) -> str:
    """What is worth knowing about the context, behind it."""
    remarks = list(assembly.warnings)
    if part.reductions:
        remarks.append(reduced_line(part.reductions, assembly.budget))
    return "".join(f"\n[{remark}]" for remark in remarks)


def _narrower(assembly: Assembly) -> str:
    tags = ", ".join(section.tag for section in assembly.sections)
    return f" For less, name sections: {tags}."
