"""Which task a text for an agent is about: the first task file or full reference in it that this plan has."""

from __future__ import annotations

from director_ctx.folder.naming import names_of
from director_ctx.folder.readiness import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.folder.model import Place
    from director_ctx.folder.project import Project

LONGEST = 200_000
_AROUND = "`'\"<>()[]{}*_.,;:!?#"
_UNITS = ("goal", "step", "task")
_BETWEEN = frozenset(("of", "in", ">", "-", "/", ",", "the", "and", "->"))


def mentioned_task(project: Project, text: str) -> Place | None:
    """A path comes before a reference: it can mean nothing else."""
    words = _spread(text[:LONGEST]).split()
    paths = [wanted for word in words if (wanted := _path(word))]
    references = {} if paths else dict.fromkeys((*_slashed(words), *_labelled(words)))
    if not paths and not references:
        return None
    known = list(places(project))
    by_name = {tuple(names_of(place)): place for place in known}
    by_number = {_numbers(place): place for place in reversed(known)}
    found = [by_name[path] for path in paths if path in by_name]
    found += [by_number[numbers] for numbers in references if numbers in by_number]
    return found[0] if found else None


def _spread(text: str) -> str:
    """With room around what joins names: `goal=1`, `(1/2/3)` and links in Markdown."""
    for mark in "()[]<>\"'`|=,":
        text = text.replace(mark, f" {mark} ") if mark in ",>" else text.replace(mark, " ")
    return text


def _path(word: str) -> tuple[str, ...] | None:
    """The names of goal, step and task in the path of a task file, whether it is done meanwhile or not."""
    plain = word.strip(_AROUND).replace("\\", "/")
    if not plain.endswith(".md") or "goals/" not in plain:
        return None
    parts = plain.rpartition("goals/")[2].split("/")
    if len(parts) != 4 or parts[2] != "tasks":
        return None
    return parts[0], parts[1], parts[3].removesuffix(".md").removesuffix(".done")


def _slashed(words: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """`1/2/3`"""
    for word in words:
        parts = word.strip(_AROUND).split("/")
        if len(parts) == 3 and all(map(_is_number, parts)):
            yield tuple(map(int, parts))


def _labelled(words: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """`Goal 1 > Step 2 > Task 3`, in this order or the other way round, with `of`, `in` or a comma between."""
    tokens = [plain for word in words if (plain := word.casefold().strip(_AROUND)) and plain not in _BETWEEN]
    for start in range(len(tokens) - 5):
        labels, numbers = tuple(tokens[start : start + 6 : 2]), tokens[start + 1 : start + 6 : 2]
        if labels in (_UNITS, _UNITS[::-1]) and all(map(_is_number, numbers)):
            values = tuple(map(int, numbers))
            yield values if labels == _UNITS else values[::-1]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _numbers(place: Place) -> tuple[int, ...]:
    return tuple(unit.number for unit in (place.goal, place.step, place.task) if unit)
