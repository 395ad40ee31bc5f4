"""Which goal, step or task is meant: `goal 2`, `2/1`, `2/1/3`, or a task by whole words."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.text import has_words
from director_ctx.project.reading.model import Place
from director_ctx.project.tasks.names import find_goal, find_step, find_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project


def find_unit(project: Project, name: str) -> Place:
    """The one that is meant. What a number alone means would change with the plan, so it is refused."""
    words = name.strip()
    first_word, _, rest = words.partition(" ")
    kind = first_word.casefold()
    if rest and ">" not in rest:
        if kind == "goal":
            return _wholly(project, Place(find_goal(project, rest)), rest)
        if kind == "step":
            return _step(project, rest.strip())
        if kind == "task":
            return find_task(project, rest.strip(), contains=has_words)

    parts = words.split("/")
    if not all(part.isascii() and part.isdigit() for part in parts):
        return find_task(project, words, contains=has_words)
    if len(parts) == 1:
        raise _number_alone(project, words)
    if len(parts) == 2:
        return _step(project, words)
    return find_task(project, words)


def _step(project: Project, name: str) -> Place:
    place = find_step(project, None, name)
    if place is None:
        raise DctxError("No goal is planned yet.", "Make one first: dctx add goal 'NAME'")
    return _wholly(project, place, name)


def _wholly(project: Project, place: Place, name: str) -> Place:
    """The place, unless only part of a word fits: that is too little to change something."""
    unit = place.units[-1]
    is_number = all(char.isdigit() or char in "/. " for char in name)
    if is_number or has_words(unit.name, name) or has_words(project.title(unit), name):
        return place
    form = place.ref
    if not place.step:
        form = f"'goal {place.ref}'"
    raise DctxError(
        f"Only part of a word of {unit.name} is {name!r}, which is too little to change something.",
        f"If that is meant, say {form}.",
    )


def _number_alone(project: Project, number: str) -> UsageProblem:
    """Elsewhere a number alone is a task of the current step, so both readings are named."""
    forms: list[str] = []
    try:
        goal = find_goal(project, number)
        forms.append(f"'goal {number}' is {project.title(goal)!r}")
    except DctxError:
        pass
    try:
        place = find_task(project, number)
        assert place.task
        forms.append(f"{place.ref} is the task {project.title(place.task)!r}")
    except DctxError:
        pass
    hint = "`dctx status` shows the plan."
    if forms:
        hint = f"Say which: {', '.join(forms)}."
    return UsageProblem(f"{number} alone may be a goal or a task.", hint)
