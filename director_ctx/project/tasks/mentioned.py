"""Which task a text for an agent is about: the first task file or full reference in it that this
plan has.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.tasks.names import names_of
from director_ctx.project.tasks.next import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place

    Names = tuple[str, ...]
    """Of goal, step and task, as they are on disk."""
    Numbers = tuple[int, ...]
    """The same in numbers."""

LONGEST = 200_000
_AROUND = "`'\"<>()[]{}*_.,;:!?#"
_DOWNWARDS = ["goal", "step", "task"]
_UPWARDS = ["task", "step", "goal"]
_BETWEEN = frozenset(("of", "in", ">", "-", "/", ",", "the", "and", "->"))


class Mentioned(Record):
    """What a text says about its task."""

    place: Place | None
    unknown: str = ""
    """What it names instead, that is no task of this plan."""


def mentioned_task(project: Project, text: str) -> Mentioned:
    """A path comes before a reference: it can mean nothing else."""
    words = _spread(text[:LONGEST]).split()
    paths = _paths(words)
    references: dict[Numbers, str] = {}
    if not paths:
        references = {**_slashed(words), **_labelled(words)}
    if not paths and not references:
        return Mentioned(None)

    by_name: dict[Names, Place] = {}
    by_number: dict[Numbers, Place] = {}
    for place in places(project):
        names = tuple(names_of(place))
        by_name[names] = place
        # Of two with the same numbers the first counts.
        by_number.setdefault(_numbers(place), place)
    for path in paths:
        if path in by_name:
            return Mentioned(by_name[path])
    for numbers in references:
        if numbers in by_number:
            return Mentioned(by_number[numbers])

    for word in (*paths.values(), *references.values()):
        # Three numbers may be a date; a path or labels cannot.
        if paths or " " in word:
            return Mentioned(None, word.rstrip(_AROUND))
    return Mentioned(None)


def _spread(text: str) -> str:
    """With room around what joins names: `goal=1`, `(1/2/3)` and links in Markdown."""
    for mark in "()[]<\"'`|=":
        text = text.replace(mark, " ")
    # These two join the words of a reference, so they stay.
    for mark in ",>":
        text = text.replace(mark, f" {mark} ")
    return text


def _paths(words: Sequence[str]) -> dict[Names, str]:
    """The task files among some words, by their names, each with its word."""
    paths: dict[Names, str] = {}
    for word in words:
        path = _path(word)
        if path:
            paths[path] = word
    return paths


def _path(word: str) -> Names | None:
    """The names of goal, step and task in the path of a task file, whether it is done meanwhile or
    not.
    """
    plain = word.strip(_AROUND).replace("\\", "/")
    if "goals/" not in plain:
        return None
    inner = plain.rpartition("goals/")[2]
    path, ending, behind = inner.partition(".md")
    # Behind it may stand a line of the file or a heading in it.
    is_file = bool(ending) and behind[:1] in ("", ":", "#")
    if not is_file:
        return None

    parts = path.split("/")
    if len(parts) != 4 or parts[2] != "tasks":
        return None
    goal, step, _, task = parts
    return goal, step, task.removesuffix(".done")


def _slashed(words: Sequence[str]) -> dict[Numbers, str]:
    """`1/2/3`"""
    references: dict[Numbers, str] = {}
    for word in words:
        reference = word.strip(_AROUND)
        parts = reference.split("/")
        if len(parts) == 3 and all(map(_is_number, parts)):
            numbers = tuple(map(int, parts))
            references[numbers] = reference
    return references


def _labelled(words: Sequence[str]) -> dict[Numbers, str]:
    """`Goal 1 > Step 2 > Task 3`, in this order or the other way round, with `of`, `in` or a comma
    between.
    """
    tokens: list[str] = []
    for word in words:
        token = word.casefold().strip(_AROUND)
        if token and token not in _BETWEEN:
            tokens.append(token)

    references: dict[Numbers, str] = {}
    for start in range(len(tokens) - 5):
        six = tokens[start : start + 6]
        labels = six[0::2]
        numbers = six[1::2]
        if not all(map(_is_number, numbers)):
            continue
        if labels == _UPWARDS:
            numbers.reverse()
        elif labels != _DOWNWARDS:
            continue
        goal, step, task = map(int, numbers)
        references[goal, step, task] = f"goal {goal} > step {step} > task {task}"
    return references


def _is_number(text: str) -> bool:
    if len(text) > 9:
        return False
    return text.isascii() and text.isdigit()


def _numbers(place: Place) -> Numbers:
    return tuple(unit.number for unit in place.units)
