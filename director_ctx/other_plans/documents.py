"""What the documents of a goal, step and task say, section by section."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.other_plans.needs import Numbers, said_needs, said_step_needs
from director_ctx.other_plans.wording import as_text, item, on_one_line, title
from director_ctx.project.taken import TITLES, mark_of
from director_ctx.project.tasks.decisions import DEFERRED, FLEXIBLE, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.other_plans.model import (
        Criterion,
        OtherGoal,
        OtherStep,
        OtherTask,
        OtherVision,
    )

NAME = "name"
INSIDE = "in"
"""Among the marks of a step and a task: where the one above it was."""
DONE_THERE = "done"
"""Among the marks of a task: that its source said that it is done."""
BEGUN = "begun"
"""What origins say of a task that its source had as begun."""
WHAT, WHY, SIZE, DONE, NEEDS = (
    "What To Do",
    "Why It Matters",
    "Size",
    "Done When",
    "Needs First",
)
SOURCE = "Source"
"""The task's id in its tool: other tasks and people name it by that."""
DELIVERS, DECISIONS, TASKS = "What This Delivers", "Decisions", "Tasks"
SUCCESS, STEPS, STATUS = "What Success Looks Like", "Steps", "Status"
ORDER = {
    "goal": (SUCCESS, STEPS, STATUS),
    "step": (DELIVERS, TASKS, NEEDS, DECISIONS),
    "task": (WHAT, WHY, SIZE, DONE, NEEDS, SOURCE),
}
OURS = frozenset((TASKS, STEPS, STATUS))
"""Sections that follow from the files of the folder, whatever the source says."""
NO_CRITERIA = "- [ ] _{tool} does not say how one sees that this is done._"
_VISION = (
    "Project Name",
    "What It Does",
    "Who It's For",
    "Key Features",
    "Tech Stack",
    "Success Looks Like",
    "Decisions Made",
    "Open Questions",
)


class UnitText(Record):
    """A goal, step or task as its document says it: its name, and its sections without headings."""

    kind: str
    name: str
    sections: Mapping[str, str]
    begun: bool = False

    def marks(self) -> dict[str, str]:
        marks = {NAME: mark_of(self.name)}
        if self.begun:
            marks[BEGUN] = mark_of(BEGUN)
        for section, text in self.sections.items():
            bare = unticked(text)
            marks[section] = mark_of(bare)
            if bare != text:
                marks[ticks_of(section)] = mark_of(text)
        return marks


def ticks_of(section: str) -> str:
    """The name of the mark that says which boxes of a section the source had ticked."""
    return f"{section}, ticked"


def unticked(text: str) -> str:
    """The same with every box open: who ticks one has changed nothing of what it says."""
    bare = "\n".join(line.rstrip() for line in text.strip().split("\n"))
    return bare.replace("- [x] ", "- [ ] ").replace("- [X] ", "- [ ] ")


def task_text(
    task: OtherTask, tool: str, place: Numbers, needs: Sequence[Numbers], before: Sequence[int]
) -> UnitText:
    sections = {
        WHAT: as_text(task.text) or title(task.name),
        WHY: as_text(task.why),
        SIZE: f"**Estimate:** {task.size}" if task.size else "",
        DONE: _done_when(task.criteria, tool),
        NEEDS: said_needs(place, needs, before),
        SOURCE: f"{TITLES[tool]}: {item(task.id, most=80)}" if task.id else "",
    }
    return UnitText("task", title(task.name), sections, task.begun and not task.done)


def _done_when(criteria: Sequence[Criterion], tool: str) -> str:
    lines: list[str] = []
    for criterion in criteria:
        says = item(criterion.text, most=2000)
        if says:
            mark = "x" if criterion.met else " "
            lines.append(f"- [{mark}] {says}")
    if not lines:
        return NO_CRITERIA.format(tool=TITLES[tool])
    return "\n".join(lines)


def step_text(step: OtherStep, place: Numbers, needs: Sequence[Numbers]) -> UnitText:
    sections = {
        DELIVERS: as_text(step.text) or title(step.name),
        NEEDS: said_step_needs(place, needs),
        DECISIONS: _decided(step),
    }
    return UnitText("step", title(step.name), sections)


def _decided(step: OtherStep) -> str:
    pieces: list[str] = []
    told: set[str] = set()
    for kind in (LOCKED, FLEXIBLE, DEFERRED):
        lines: list[str] = []
        for decision in step.decisions:
            says = item(decision.text)
            if decision.kind == kind and says and says not in told:
                told.add(says)
                lines.append(f"- {says}")
        if lines:
            pieces.append(f"### {kind}\n\n" + "\n".join(lines))
    return "\n\n".join(pieces)


def goal_text(goal: OtherGoal) -> UnitText:
    text = as_text(goal.text) or title(goal.name)
    return UnitText("goal", title(goal.name), {SUCCESS: text})


def about(text: str, name: str) -> str:
    """What stands behind a name in a list."""
    says = on_one_line(text.split("\n\n", maxsplit=1)[0])
    if not says or says == name or says[:1] in "#>|" or "<!--" in says:
        return ""
    return says


def whole_document(unit: UnitText, number: int, extra: Mapping[str, str]) -> str:
    """A new document. `extra` are the sections that follow from the folder."""
    head = f"# Task: {unit.name}"
    if unit.kind != "task":
        head = f"# {unit.kind.capitalize()} {number}: {unit.name}"
    pieces = [head]
    for section in ORDER[unit.kind]:
        text = extra.get(section, unit.sections.get(section, ""))
        if text or section in extra:
            pieces.append(f"## {section}\n\n{text}".rstrip())
    return "\n\n".join(pieces) + "\n"


def vision_document(vision: OtherVision, name: str, tool: str) -> str:
    """VISION.md as far as the source says it; what it does not say is asked, and not made up."""
    says = dict(vision.sections)
    says["Project Name"] = vision.name or name
    if not says.get("What It Does", "").strip():
        says["What It Does"] = (
            f"[UNCLEAR] {TITLES[tool]}'s plan does not say what the project does."
        )
    rows = [f"| {_cell(what)} | {_cell(why)} |" for what, why in vision.decisions]
    if rows:
        says["Decisions Made"] = "\n".join(["| Decision | Why |", "|---|---|", *rows])
    pieces = ["# Vision"]
    for section in _VISION:
        text = as_text(says.get(section, ""))
        if text:
            pieces.append(f"## {section}\n{text}")
    return "\n\n".join(pieces) + "\n"


def _cell(text: str) -> str:
    return item(text, most=200).replace("|", "/")
