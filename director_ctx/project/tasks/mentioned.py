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

LONGEST = 200_000
_AROUND = "`'\"<>()[]{}*_.,;:!?#"
_UNITS = ("goal", "step", "task")
_BETWEEN = frozenset(("of", "in", ">", "-", "/", ",", "the", "and", "->"))


class Mentioned(Record):
    """What a text says about its task."""

    place: Place | None
    unknown: str = ""
    """What it names instead, that is no task of this plan."""


def mentioned_task(project: Project, text: str) -> Mentioned:
    """A path comes before a reference: it can mean nothing else."""
    words = _spread(text[:LONGEST]).split()
    paths = {path: word for word in words if (path := _path(word))}
    references = {} if paths else {**_slashed(words), **_labelled(words)}
    if not paths and not references:
        return Mentioned(None)
    known = list(places(project))
    by_name = {tuple(names_of(place)): place for place in known}
    by_number = {_numbers(place): place for place in reversed(known)}
    found = [by_name[path] for path in paths if path in by_name]
    found += [by_number[numbers] for numbers in references if numbers in by_number]
    if found:
        return Mentioned(found[0])
    # Three numbers may be a date; a path or labels cannot.
    meant = [*paths.values(), *(shown for shown in references.values() if " " in shown)]
    return Mentioned(None, meant[0].rstrip(_AROUND) if meant else "")


def _spread(text: str) -> str:
    """With room around what joins names: `goal=1`, `(1/2/3)` and links in Markdown."""
    for mark in "()[]<>\"'`|=,":
        text = text.replace(mark, f" {mark} ") if mark in ",>" else text.replace(mark, " ")
    return text


def _path(word: str) -> tuple[str, ...] | None:
    """The names of goal, step and task in the path of a task file, whether it is done meanwhile or
    not.
    """
    plain = word.strip(_AROUND).replace("\\", "/")
    path, ending, line = plain.rpartition("goals/")[2].partition(".md")
    parts = path.split("/")
    if "goals/" not in plain or not ending or (line and line[0] not in ":#"):
        return None
    return (
        (parts[0], parts[1], parts[3].removesuffix(".done"))
        if len(parts) == 4 and parts[2] == "tasks"
        else None
    )


def _slashed(words: Sequence[str]) -> dict[tuple[int, ...], str]:
    """`1/2/3`"""
    split = (word.strip(_AROUND).split("/") for word in words)
    found = (parts for parts in split if len(parts) == 3 and all(map(_is_number, parts)))
    return {tuple(map(int, parts)): "/".join(parts) for parts in found}


def _labelled(words: Sequence[str]) -> dict[tuple[int, ...], str]:
    """`Goal 1 > Step 2 > Task 3`, in this order or the other way round, with `of`, `in` or a comma
    between.
    """
    found: dict[tuple[int, ...], str] = {}
    tokens = [
        plain
        for word in words
        if (plain := word.casefold().strip(_AROUND)) and plain not in _BETWEEN
    ]
    for start in range(len(tokens) - 5):
        labels, numbers = tuple(tokens[start : start + 6 : 2]), tokens[start + 1 : start + 6 : 2]
        if labels in (_UNITS, _UNITS[::-1]) and all(map(_is_number, numbers)):
            goal, step, task = map(int, numbers if labels == _UNITS else numbers[::-1])
            found[goal, step, task] = f"goal {goal} > step {step} > task {task}"
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _numbers(place: Place) -> tuple[int, ...]:
    return tuple(unit.number for unit in (place.goal, place.step, place.task) if unit)
