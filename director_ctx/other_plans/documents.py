"""What the documents of a goal, step and task say, section by section; and what else a plan brings: the vision, notes
and reference.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.other_plans.model import EARLIER, OtherGoal, OtherStep
from director_ctx.other_plans.wording import as_text, item, on_one_line, title
from director_ctx.project.taken import TITLES, mark_of
from director_ctx.project.tasks.decisions import DEFERRED, FLEXIBLE, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.other_plans.model import OtherTask, OtherVision

Numbers = tuple[int, ...]
"""Where a unit stands: the numbers of its goal, step and task."""

NAME = "name"
INSIDE = "in"
"""Among the marks of a step and a task: where the one above it was."""
DONE_THERE = "done"
"""Among the marks of a task: that its source said that it is done."""
BEGUN = "begun"
"""Among the marks of a task: that its source had it as begun."""
WHAT, DONE, NEEDS = "What To Do", "Done When", "Needs First"
SOURCE = "Source"
"""The task's id in its tool: other tasks and people name it by that."""
TASKS, STEPS, STATUS = "Tasks", "Steps", "Status"
ORDER = {
    "goal": ("What Success Looks Like", STEPS, STATUS),
    "step": ("What This Delivers", TASKS, NEEDS, "Decisions"),
    "task": (WHAT, "Why It Matters", "Size", DONE, NEEDS, SOURCE),
}
NO_CRITERIA = "- [ ] _{tool} does not say how one sees that this is done._"
MOST_NAMED = 60
"""Units that one sentence names; a task with more needs waits for their steps."""


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

    def document(self, number: int, extra: Mapping[str, str]) -> str:
        """A new document. `extra` are the sections that follow from the folder."""
        head = f"# {self.kind.capitalize()} {number}: {self.name}"
        if self.kind == "task":
            head = f"# Task: {self.name}"
        texts = {**self.sections, **extra}
        pieces = [head]
        for section in ORDER[self.kind]:
            if texts.get(section) or section in extra:
                pieces.append(f"## {section}\n\n{texts[section]}".rstrip())
        return "\n\n".join(pieces) + "\n"


def ticks_of(section: str) -> str:
    """The name of the mark that says which boxes of a section the source had ticked."""
    return f"{section}, ticked"


def unticked(text: str) -> str:
    """The same with every box open: who ticks one has changed nothing of what it says."""
    bare = "\n".join(line.rstrip() for line in text.strip().split("\n"))
    return bare.replace("- [x] ", "- [ ] ").replace("- [X] ", "- [ ] ")


def unit_text(other: OtherGoal | OtherStep | OtherTask, tool: str, needs: str) -> UnitText:
    """`needs` is the sentence on what it needs first."""
    name = title(other.name)
    text = as_text(other.text) or name
    if isinstance(other, OtherGoal):
        return UnitText("goal", name, {ORDER["goal"][0]: text})
    if isinstance(other, OtherStep):
        delivers, _, _, decisions = ORDER["step"]
        sections = {delivers: text, NEEDS: needs, decisions: _decided(other)}
        return UnitText("step", name, sections)
    if other.divided:
        # Of what it said it keeps everything but what it waits for.
        return UnitText("task", name, {NEEDS: needs}, other.begun and not other.done)
    criteria: list[str] = []
    for criterion in other.criteria:
        says = item(criterion.text, most=2000)
        if says:
            criteria.append(f"- [{'x' if criterion.met else ' '}] {says}")
    sections = {
        WHAT: text,
        "Why It Matters": as_text(other.why),
        "Size": f"**Estimate:** {other.size}" if other.size else "",
        DONE: "\n".join(criteria) or NO_CRITERIA.format(tool=TITLES[tool]),
        NEEDS: needs,
        SOURCE: f"{TITLES[tool]}: {item(other.id, most=80)}" if other.id else "",
    }
    return UnitText("task", name, sections, other.begun and not other.done)


def _decided(step: OtherStep) -> str:
    pieces: list[str] = []
    told: set[str] = set()
    for kind in (LOCKED, FLEXIBLE, DEFERRED):
        texts = [item(decision.text) for decision in step.decisions if decision.kind == kind]
        new = [text for text in dict.fromkeys(texts) if text and text not in told]
        told.update(new)
        if new:
            pieces.append(f"### {kind}\n\n" + "\n".join(f"- {text}" for text in new))
    return "\n\n".join(pieces)


def about(text: str, name: str) -> str:
    """What stands behind a name in a list."""
    says = on_one_line(text.split("\n\n", maxsplit=1)[0])
    if not says or says == name or says[:1] in "#>|" or "<!--" in says:
        return ""
    return says


# --- Needs First ---


def needs_of_step(step: OtherStep) -> Sequence[str]:
    """It can begin when one of those tasks can that wait for no other task in it."""
    if step.needs:
        return step.needs
    own = {task.key for task in step.tasks}
    needs_of_first: list[list[str]] = []
    for index, task in enumerate(step.tasks):
        needs = [need for need in task.needs if need != EARLIER]
        if not own.isdisjoint(needs) or (index and EARLIER in task.needs):
            continue
        if not needs:
            return ()
        needs_of_first.append(needs)
    every = dict.fromkeys(need for needs in needs_of_first for need in needs)
    common = [need for need in every if all(need in needs for needs in needs_of_first)]
    return common or list(every)


def said_needs(place: Numbers, needs: Sequence[Numbers], before: Sequence[int]) -> str:
    """The sentence for a task, or for a step. `before` are the numbers of the tasks before it in its step."""
    is_task = len(place) == 3
    own: set[int] = set()
    others: list[Numbers] = []
    for need in dict.fromkeys(needs):
        if is_task and len(need) == 3 and need[:2] == place[:2]:
            own.add(need[2])
        else:
            others.append(need)
    pieces = [*_said_siblings(own, sorted(before)), *_said_others(place[0], others)]
    if pieces:
        return f"{'; '.join(pieces)}."
    return f"Nothing -- this {'' if is_task else 'step '}can start right away."


def _said_siblings(numbers: set[int], earlier: Sequence[int]) -> Iterator[str]:
    if earlier and numbers == {earlier[-1]}:
        yield "The previous task"
    elif len(earlier) > 1 and numbers == set(earlier):
        yield "The earlier tasks"
    else:
        named = sorted(numbers)
        for start in range(0, len(named), MOST_NAMED):
            *first, last = named[start : start + MOST_NAMED]
            if first:
                yield f"Tasks {', '.join(map(str, first))} and {last}"
            else:
                yield f"Task {last}"


def _said_others(goal: int, needs: list[Numbers]) -> Iterator[str]:
    for depth in (2, 1):
        if len(needs) > MOST_NAMED:
            # The whole steps, or goals: no text may name as many units as this.
            needs = list(dict.fromkeys(need[:depth] for need in needs))
    for need in needs[:MOST_NAMED]:
        said = [
            f"{kind} {number}" for kind, number in zip(("Goal", "Step", "Task"), need, strict=False)
        ]
        if len(need) == 1 or need[0] != goal:
            yield ", ".join(said)
        else:
            yield said[1] if len(need) == 2 else f"{said[2]} (in {said[1]})"


# --- VISION.md ---

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


def vision_document(vision: OtherVision, name: str, tool: str) -> str:
    """VISION.md as far as the source says it; what it does not say is asked, and not made up."""
    says = {**vision.sections, "Project Name": vision.name or name}
    if not says.get("What It Does", "").strip():
        says["What It Does"] = (
            f"[UNCLEAR] {TITLES[tool]}'s plan does not say what the project does."
        )
    rows: list[str] = []
    for decision in vision.decisions:
        what, why = (item(text, most=200).replace("|", "/") for text in decision)
        rows.append(f"| {what} | {why} |")
    if rows:
        says["Decisions Made"] = "\n".join(["| Decision | Why |", "|---|---|", *rows])
    pieces = ["# Vision"]
    for section in _VISION:
        text = as_text(says.get(section, ""))
        if text:
            pieces.append(f"## {section}\n{text}")
    return "\n\n".join(pieces) + "\n"
