"""What the four beats of `dctx demo` say; each line has a style. A beat that quotes is told how wide
the terminal is; the others have columns that are fitted to it when they are printed.
"""

from __future__ import annotations

from director_ctx.clients.demo.receiving import AGENT_IS_TOLD, KIND, YOU_SAY
from director_ctx.context.assembly import RUNG_TITLES
from director_ctx.context.settings.tags import (
    CODEBASE,
    DECISIONS,
    EVERYWHERE_PROTECTED,
    GROUPS,
    INSTRUCTIONS,
    RECENT,
    STEP,
    TASK,
    VISION,
    title,
)
from director_ctx.doors.cli.shared.wrapping import wrapped
from director_ctx.project.tasks.progress import COMPLETE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.demo.receiving import Received
    from director_ctx.context.assembly import Assembly, Printed
    from director_ctx.project.project import Project
    from director_ctx.project.tasks.progress import GoalProgress, StepProgress
    from director_ctx.upkeep.status import Status

    Lines = Iterator[tuple[str, str]]

CAPTION, COMMAND, ASIDE, KEPT, CUT = "bold cyan", "bold", "dim", "green", "yellow"
WIDTH = 80
"""Columns that every beat fits, however wide the terminal is."""
BEGINNING, SHORTEST_BEGINNING = 44, 8
"""Letters that are shown of each part that the agent was sent; fewer than eight say nothing."""
AROUND_BEGINNING = 36
"""Columns that a part's tag and its lines take."""
_SAYS = {
    VISION: "what the project is, and for whom",
    STEP: "the step that the task belongs to",
    DECISIONS: "what you decided, and what is put off",
    TASK: "the task itself",
    CODEBASE: "notes about the code, chosen for the task",
    RECENT: "what was finished last, told from git",
    INSTRUCTIONS: "how to work",
}
DEFERRED = "### Deferred"


def plan_lines(project: Project, state: Status) -> Lines:
    yield "1. The plan: a folder of Markdown files, .director/", CAPTION
    yield "", ""
    for goal in state.goals:
        yield from _goal_lines(project, state, goal)
    yield "", ""
    yield "   The whole of it: dctx status", ASIDE


def _goal_lines(project: Project, state: Status, goal: GoalProgress) -> Lines:
    name = f"Goal {goal.goal.number}: {goal.title}"
    yield f"   {name:<50}{goal.done} of {goal.total} tasks done", ""
    if goal.state == COMPLETE:
        return
    for step in goal.steps:
        yield f"     Step {step.step.number}: {step.title}", ""
        yield from _task_lines(project, state, step)


def _task_lines(project: Project, state: Status, step: StepProgress) -> Lines:
    upcoming = None
    if state.next.task:
        upcoming = state.next.task.place.task
    for task in project.tasks(step.step):
        name = project.title(task)
        if task.done:
            yield f"       [x] {name}", ASIDE
        elif task == upcoming:
            yield f"       [ ] {name:<39}<- next", COMMAND
        else:
            yield f"       [ ] {name}", ""


def context_lines(context: Assembly, width: int = WIDTH) -> Lines:
    yield "2. Exactly this goes to an agent that does the next task", CAPTION
    yield "", ""
    yield "   $ dctx assemble builder", COMMAND
    for section in context.sections:
        says = _SAYS.get(section.tag, "")
        yield f"   {f'<{section.tag}>':<18}{section.tokens:>6,} tokens  {says}".rstrip(), ""
    budget = context.budget
    yield f"   {'In all':<18}{budget.used:>6,} tokens, of {budget.limit:,} allowed", COMMAND
    yield f"   Left out: {len(context.omissions)} notes that this task does not need", ASIDE
    yield "", ""
    yield "   What you put off is withheld from the work; the agent is told so:", ""
    for quoted in _deferred(context):
        for line in wrapped(f"   | {quoted}", width, "   |   "):
            yield line, CUT


def _deferred(context: Assembly) -> list[str]:
    """What was put off, and the rule about it, as they stand in the context."""
    said = ""
    for section in context.sections:
        if section.tag == DECISIONS:
            said = section.text
    _, _, after = said.partition(f"{DEFERRED}\n")
    items, _, rules = after.partition("\n\n")
    lines = [DEFERRED, *items.splitlines()[-1:]]
    for line in rules.splitlines():
        if line.startswith("- Deferred"):
            lines.append(line)
    return lines


def receiving_lines(context: Assembly, received: Received, width: int = WIDTH) -> Lines:
    yield "3. A sub-agent receives it, and nobody pasted anything", CAPTION
    yield "", ""
    yield f"   You say:  {YOU_SAY}", COMMAND
    for line in wrapped(f"   {_way(received)}", width, "   "):
        yield line, ""
    yield "", ""
    for section in context.sections:
        yield _quoted(section, width), ""
    yield f"   | {AGENT_IS_TOLD}", COMMAND
    yield "", ""
    same = "what the agent was sent is not the context of beat 2."
    style = CUT
    if received.whole and context.text.strip() in received.prompt:
        same = "what `dctx assemble builder` prints, to the byte, and the prompt behind it."
        style = KEPT
    yield f"   {len(received.prompt):,} characters:", style
    yield f"   {same}", style


def _way(received: Received) -> str:
    if received.by_client:
        return (
            "Claude Code ran just now, offline, with a script in place of its model, and "
            f"spawned a {KIND} agent. The first message to that agent:"
        )
    return (
        f"Claude Code {received.why_not}. In its place, an event that it sent "
        f"once for a {KIND} agent. What `dctx hook` makes of its prompt:"
    )


def _quoted(section: Printed, width: int) -> str:
    """A part in a line: its tag, how it begins, and how long it is."""
    tag, *lines = section.text.strip().splitlines()
    beginning = next(filter(None, lines))
    length = f"{len(lines) - 1:>6} lines"
    room = min(BEGINNING, width - AROUND_BEGINNING)
    if room < SHORTEST_BEGINNING:
        return f"   | {tag:<18}{length}"
    return f"   | {tag:<18}{_clipped(beginning, room):<{room}}{length}"


def _clipped(line: str, room: int) -> str:
    if len(line) <= room:
        return line
    return f"{line[: room - 1]}…"


def cutting_lines(whole: Assembly, cut: Assembly) -> Lines:
    limit = cut.budget.limit
    yield "4. Over budget: what was cut, and what never is", CAPTION
    yield "", ""
    yield f"   $ dctx assemble builder --budget {limit}", COMMAND
    after = _by_group(cut.sections)
    for group, tokens in _by_group(whole.sections).items():
        left = after.get(group, 0)
        if left < tokens:
            how = _how(cut, group)
            yield f"   {'cut':<11}{title(group):<17}{tokens:>6,} ->{left:>6,} tokens  {how}", CUT

    before = {section.tag: section.text for section in whole.sections}
    for section in cut.sections:
        if section.tag in EVERYWHERE_PROTECTED and section.text == before[section.tag]:
            name = title(section.tag)
            yield f"   {'never cut':<11}{name:<17}{section.tokens:>6,} tokens, the same bytes", KEPT
    yield f"   {'in all':<28}{cut.budget.used:>6,} tokens, of {limit:,} allowed", COMMAND


def _by_group(sections: Sequence[Printed]) -> dict[str, int]:
    """Tokens by section; a summary counts for what it stands for."""
    tokens: dict[str, int] = {}
    for section in sections:
        group = _group(section.tag)
        tokens[group] = tokens.get(group, 0) + section.tokens
    return tokens


def _group(tag: str) -> str:
    for group, tags in GROUPS.items():
        if tag in tags:
            return group
    return tag


def _how(cut: Assembly, group: str) -> str:
    """The last thing that was done to a section, in words."""
    how = ""
    for reduction in cut.reductions:
        if _group(reduction.tag) == group:
            how = RUNG_TITLES[reduction.rung]
    return how.partition(": ")[2]
