"""Which unit of the source is which unit of then, where a tool numbers anew or not at all: a name that is the same is
the same unit, whatever its number is now.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from director_ctx.other_plans.model import DOUBT, OtherGoal, OtherStep, OtherTask
from director_ctx.other_plans.wording import title
from director_ctx.project.reading.model import numbered
from director_ctx.project.taken import TakenPlan, mark_of
from director_ctx.upkeep.slug import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from director_ctx.other_plans.source import PlanSource

ALIKE = 2 / 3
MOST_COMPARED = 1_000_000


def keys_of_before(
    taken: TakenPlan, goals: Sequence[OtherGoal], source: PlanSource
) -> dict[str, str]:
    """Now's keys with those of then, empty for what is new; what could not be told for certain is remarked."""
    keys: dict[str, str] = {}
    for goal in goals:
        steps_then, tasks_then = (_then(taken, goal.key, depth) for depth in (2, 4))
        for step in steps_then:
            step.inside = {task.name for task in tasks_then if task.group == step.at}
        steps_now = [_now(step) for step in goal.steps]
        keys.update(_Matching(steps_now, steps_then, source).matched)

        places = {step.key: step.at for step in steps_then}
        tasks_now: list[Candidate] = []
        for step_now in goal.steps:
            group = places.get(keys.get(step_now.key, ""), "")
            tasks_now += [_now(task, group) for task in step_now.tasks]
        keys.update(_Matching(tasks_now, tasks_then, source).matched)
    return keys


@dataclass
class Candidate:
    """A step or task, as it was taken over, or as the source has it now."""

    key: str
    name: str
    """The mark of its name."""
    words: Collection[str]
    group: str = ""
    """Of a task: where its step is that was taken over; nothing where that is new."""
    inside: Collection[str] = ()
    """Of a step: the marks of its tasks' names."""
    at: str = ""
    unit: OtherStep | OtherTask | None = None


def _then(taken: TakenPlan, goal: str, depth: int) -> list[Candidate]:
    """What was taken over of one goal, in the order of its numbers."""
    # The headings of a list stand behind its file's name.
    beginnings = (f"{goal}/", f"{goal.removeprefix('file:')}#")
    units: list[Candidate] = []
    # So that 1.10 comes behind 1.9.
    for key in sorted(taken.units, key=lambda key: re.sub(r"\d+", lambda n: n[0].zfill(9), key)):
        unit = taken.units[key]
        is_kind = unit.at.startswith("goals/") and unit.at.count("/") == depth
        if is_kind and key.removeprefix("step:").startswith(beginnings):
            # The words of a name, as far as they are in its file's.
            parsed = numbered(unit.at.rpartition("/")[2])
            words = set(parsed[1].split("-")) if parsed else set()
            group = unit.at.rpartition("/tasks/")[0]
            units.append(Candidate(key, unit.marks.get("name", ""), words, group, at=unit.at))
    return units


def _now(unit: OtherStep | OtherTask, group: str = "") -> Candidate:
    name = title(unit.name)
    now = Candidate(unit.key, mark_of(name), set(slug(name).split("-")), group, unit=unit)
    if isinstance(unit, OtherStep):
        now.inside = {mark_of(title(task.name)) for task in unit.tasks}
    return now


class _Matching:
    """Steps or tasks of one goal: what is surest is matched first, and what is matched is out of the way."""

    def __init__(
        self, now: Sequence[Candidate], then: Sequence[Candidate], source: PlanSource
    ) -> None:
        self.matched: dict[str, str] = {}
        self.source = source
        self._every = now
        self._then = {unit.key: unit for unit in then}
        known = set(self._then)

        self._by_name(lambda unit: f"{unit.name} {unit.group}")
        self._by_name(lambda unit: unit.name)
        self._by_words(in_group=True)
        self._by_words(in_group=False)
        self._by_inside(self._open(now), list(self._then.values()), least=0.5)
        for unit in self._open(now):
            before = self._then.get(unit.key)
            if before and before.group == unit.group:
                self._match(unit, before)
        for unit in self._open(now):
            if unit.key in known:
                # Another has its place by now; it is new, and may not be taken for that one.
                self.matched[unit.key] = ""

    def _open(self, now: Iterable[Candidate]) -> list[Candidate]:
        return [unit for unit in now if unit.key not in self.matched]

    def _match(self, now: Candidate, then: Candidate) -> None:
        self.matched[now.key] = then.key
        del self._then[then.key]

    def _by_name(self, name: Callable[[Candidate], str]) -> None:
        """Of equal names by what is inside, then by their keys, and last by their order."""
        every_now: defaultdict[str, list[Candidate]] = defaultdict(list)
        every_then: defaultdict[str, list[Candidate]] = defaultdict(list)
        for unit in self._open(self._every):
            every_now[name(unit)].append(unit)
        for unit in self._then.values():
            every_then[name(unit)].append(unit)
        for called, equal in every_then.items():
            self._by_inside(every_now[called], equal, least=0.0)
            now = self._open(every_now[called])
            then = [unit for unit in equal if unit.key in self._then]
            if len(now) != len(then):
                for unit in now:
                    if unit.key in {before.key for before in then}:
                        self._match(unit, self._then[unit.key])
            left = [unit for unit in then if unit.key in self._then]
            for unit, before in zip(self._open(now), left, strict=False):
                self._match(unit, before)
            if now and then and len(now) + len(then) > 2:
                self._doubt(now)

    def _doubt(self, now: Sequence[Candidate]) -> None:
        """Who has its number of then, too, is told for certain."""
        others = [unit.unit for unit in now if self.matched.get(unit.key) != unit.key]
        if others and others[0]:
            says = (
                f"{title(others[0].name)!r} is there {len(now)} times, and was renumbered; "
                "which is which of before was told by their order"
            )
            self.source.remark(DOUBT, says, others[0].path, others[0].line)

    def _by_inside(self, now: Sequence[Candidate], then: Sequence[Candidate], least: float) -> None:
        """Steps by the tasks that they have in common, those with the most of them first."""
        if len(now) * len(then) > MOST_COMPARED:
            return
        pairs = [(_share(one.inside, other.inside), one, other) for one in now for other in then]
        for share, unit, before in sorted(pairs, key=lambda pair: -pair[0]):
            is_open = unit.key not in self.matched and before.key in self._then
            if is_open and share > 0 and share >= least:
                self._match(unit, before)

    def _by_words(self, in_group: bool) -> None:
        """Two thirds of the words in common, and more than any other has."""
        for now in self._open(self._every):
            if len(self._then) * len(self._every) > MOST_COMPARED:
                return
            may_be = [
                then for then in self._then.values() if not in_group or then.group == now.group
            ]
            best = max(may_be, key=lambda then: _share(now.words, then.words), default=None)
            if best and _share(now.words, best.words) >= ALIKE:
                self._match(now, best)


def _share(one: Collection[str], other: Collection[str]) -> float:
    every = {*one, *other}
    return (len(one) + len(other) - len(every)) / len(every) if every else 0.0
