"""Which unit of the source is which unit of then, where a tool numbers anew."""

from __future__ import annotations

from director_ctx.other_plans.wording import title
from director_ctx.project.reading.model import numbered
from director_ctx.project.taken import mark_of
from director_ctx.upkeep.slug import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.other_plans.model import OtherGoal, OtherStep, OtherTask
    from director_ctx.project.reading.model import Goal, Step, Task
    from director_ctx.project.taken import TakenPlan

    Unit = Goal | Step | Task
    Other = OtherGoal | OtherStep | OtherTask

ALIKE = 2 / 3
MOST_COMPARED = 1_000_000


def moved_keys(taken: TakenPlan, goals: Sequence[OtherGoal]) -> dict[str, str]:
    """For tools that number anew whenever they like: a unit whose name is the same is the same, whatever its
    number is now.
    """
    moved: dict[str, str] = {}
    for goal in goals:
        steps: dict[str, str] = {}
        tasks: dict[str, str] = {}
        for step in goal.steps:
            steps[step.key] = step.name
            for task in step.tasks:
                tasks[task.key] = task.name

        for kind, names in (("step", steps), ("task", tasks)):
            own = _own(taken, kind, goal.key)
            words = {key: _words(taken.units[key].at) for key in own}
            moved.update(_matched(own, names, words))
    return moved


def _own(taken: TakenPlan, kind: str, goal: str) -> dict[str, str]:
    """What was taken over of one goal: keys with the mark of the name."""
    depth = 2 if kind == "step" else 4
    own: dict[str, str] = {}
    for key, unit in taken.units.items():
        is_kind = unit.at.count("/") == depth
        is_of_goal = key.removeprefix("step:").startswith(f"{goal}/")
        if is_kind and is_of_goal:
            own[key] = unit.marks.get("name", "")
    return own


def _words(at: str) -> frozenset[str]:
    """The words of a name, as far as they are in its file's."""
    _, _, name = at.rpartition("/")
    parsed = numbered(name)
    if parsed is None:
        return frozenset()
    _, words = parsed
    return frozenset(words.split("-"))


def _matched(
    own: dict[str, str], names: Mapping[str, str], words: Mapping[str, frozenset[str]]
) -> dict[str, str]:
    """Now's keys with those of then: of the same key and name, by name alone, by most of its words, and then by
    what is left.
    """
    matching = _Matching(own, names)
    matching.by_key_and_name()
    matching.by_name()
    matching.by_most_words(words)
    matching.by_what_is_left()
    return matching.matched


class _Matching:
    """The units of one goal, while each gets the key that it had."""

    def __init__(self, own: dict[str, str], names: Mapping[str, str]) -> None:
        self.matched: dict[str, str] = {}
        self._own = own
        self._left = dict(own)
        """Keys of then that no unit has yet, with the marks of their names."""
        self._names = names
        self._marks = {key: mark_of(title(name)) for key, name in names.items()}

    def by_key_and_name(self) -> None:
        for key, mark in self._marks.items():
            if self._left.get(key) == mark:
                self._match(key, key)

    def by_name(self) -> None:
        by_mark = _by_mark(self._left)
        for key, mark in self._marks.items():
            if key not in self.matched and by_mark.get(mark):
                before = by_mark[mark].pop(0)
                self._match(key, before)

    def by_most_words(self, words: Mapping[str, frozenset[str]]) -> None:
        for key, name in self._names.items():
            is_too_much = len(self._left) * len(self._names) > MOST_COMPARED
            if key in self.matched or is_too_much:
                continue
            of_name = frozenset(slug(title(name)).split("-"))
            before = _most_alike(of_name, self._left, words)
            if before:
                self._match(key, before)

    def by_what_is_left(self) -> None:
        for key in self._marks:
            if key in self._left and key not in self.matched:
                self._match(key, key)
            elif key in self._own:
                # Another has its place by now; it is new, and may not be taken for that one.
                self.matched.setdefault(key, "")

    def _match(self, key: str, before: str) -> None:
        self.matched[key] = before
        del self._left[before]


def _by_mark(left: Mapping[str, str]) -> dict[str, list[str]]:
    by_mark: dict[str, list[str]] = {}
    for key, mark in left.items():
        keys = by_mark.setdefault(mark, [])
        keys.append(key)
    return by_mark


def _most_alike(
    name: frozenset[str], left: Mapping[str, str], words: Mapping[str, frozenset[str]]
) -> str:
    """Two thirds of the words in common, and more than any other has."""
    best = ""
    highest = 0.0
    for key in left:
        every = name | words[key]
        share = len(name & words[key]) / len(every) if every else 0.0
        if share > highest:
            best, highest = key, share
    return best if highest >= ALIKE else ""
