"""The context of an agent, a task, or some of its sections."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble, keep_record
from director_ctx.assembling.only_sections import only_sections
from director_ctx.base.answer_pages import CHARACTERS, PageDivision, page_of
from director_ctx.base.errors import UsageProblem
from director_ctx.base.text import plain
from director_ctx.context.assembly import reduced_line
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.profiles import find_profile
from director_ctx.memory.runs.run import TOOL, RunOccasion
from director_ctx.project.tasks.next import free_refs
from director_ctx.tools.service import in_calls
from director_ctx.tools.tool import is_whole
from director_ctx.tools.tool_sets import WHOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project
    from director_ctx.tools.service import ToolCall

AGENT = "builder"
TAKE_ALL = ("claude-code",)
"""Clients that pass on as much of this tool's answer as its definition asks for."""


def run(call: ToolCall, values: dict[str, Any]) -> str:
    project = call.project()
    agent = values["agent"] or AGENT
    inputs = _inputs(project, agent, values["inputs"] or {})
    assembly = assemble(project, agent, task=values["task"], **inputs)

    whose = _whose(project, assembly)
    shown = shown_context(assembly, values, call.client, whose)
    call.check()
    # On record is what was handed out, once, however many pages it takes.
    if not values["page"]:
        keep_record(project, assembly, RunOccasion(TOOL, call.client))
    return shown


def shown_context(
    assembly: Assembly, values: dict[str, Any], client: str, whose: Sequence[str] = ()
) -> str:
    """The page that was asked for, as this client takes it. `whose` says who has the task."""
    part = only_sections(assembly, values["sections"] or (), "sections")
    # What is worth knowing about the context stands behind it.
    remarks = [*whose, *map(in_calls, assembly.warnings)]
    if part.reductions:
        remarks.append(reduced_line(part.reductions, assembly.budget))
    text = part.text + "".join(f"\n[{remark}]" for remark in remarks)
    if assembly.task:
        # Another one may be the next by the time that the rest is asked for.
        values = {**values, "task": assembly.task["ref"]}
    tags = ", ".join(section.tag for section in assembly.sections)
    most = WHOLE if client in TAKE_ALL else CHARACTERS
    division = PageDivision(most, sections_left(part))
    return page_of(text, "context", values, f" For less, name sections: {tags}.", division)


def sections_left(part: Assembly) -> Callable[[str], str]:
    """Which sections the text behind a page still has, told by the tags in it."""

    def left_in(rest: str) -> str:
        names = []
        lines = rest.split("\n")
        for section in part.sections:
            if f"<{section.tag}>" in lines:
                names.append(section.tag)
            elif f"</{section.tag}>" in lines:
                names.append(f"more of {section.tag}")
        return f" There: {', '.join(names)}." if names else ""

    return left_in


def _whose(project: Project, assembly: Assembly) -> list[str]:
    """Who has the task, and what another agent can do instead."""
    for claim in project.claims().values():
        if assembly.task and claim.ref == assembly.task["ref"]:
            free = free_refs(project) or "none"
            return [
                f"Task {claim.ref} is {claim.says}. For another agent, the tasks that are free: {free}."
            ]
    return []


def _inputs(project: Project, agent: str, given: dict[str, Any]) -> dict[str, Any]:
    """What the agent's profile takes besides a task."""
    if not given:
        return {}
    takes = find_profile(agent, load_settings(project).profiles).inputs
    for name, value in given.items():
        if name not in takes:
            known = ", ".join(takes) or "none"
            raise UsageProblem(
                f"{agent} has no input {plain(name[:40])!r}.", f"Its inputs: {known}."
            )
        if not isinstance(value, str) or not is_whole(value):
            raise UsageProblem(f"The input {name} has to be a text.")
    return given
