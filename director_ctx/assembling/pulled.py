"""What the prompt of the pull layout says of this agent, this project and this task."""

from __future__ import annotations

from director_ctx.base.text import plain
from director_ctx.context.instructions import Extras
from director_ctx.context.place import task_json
from director_ctx.context.settings.pulled import NOTES, first_call, tool_lines
from director_ctx.context.settings.tags import INSTRUCTIONS, PULLED_TOOLS, SYSTEM
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.assembling.material import AssemblyJob


def pulled_extras(job: AssemblyJob, changes: str) -> Extras:
    """Without the lists of files, which the tools give to whoever asks."""
    task = task_json(job.project, job.place) or {}
    ref = task.get("ref", "")
    profile = job.profile
    tools = PULLED_TOOLS[job.layout]
    own_section = INSTRUCTIONS
    if INSTRUCTIONS not in profile.sections:
        own_section = SYSTEM
    if INSTRUCTIONS in job.wanted:
        # They stand below the prompt already.
        own_section = ""
    notes = [tag for tag in NOTES if tag in profile.sections and tag not in job.wanted]
    notes_call = ""
    if notes and not own_section:
        notes_call = first_call(tools, plain(profile.name), ref, notes)
    blanks = {
        "agent": plain(profile.name),
        "purpose": plain(profile.purpose),
        "project": plain(project_name(job.project)),
        "task_ref": ref,
        "task_title": plain(task.get("title", "")),
        "tools": tool_lines(tools),
        "own_section": own_section,
        "first_call": first_call(tools, plain(profile.name), ref),
        "notes_call": notes_call,
    }
    return Extras(issues=job.request.issues or "", changes=changes, blanks=blanks)
