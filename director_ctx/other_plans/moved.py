"""Which unit of the source is which unit of then, where a tool numbers anew or not at all."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.model import DOUBT, SourceRemark
from director_ctx.other_plans.wording import title
from director_ctx.project.reading.model import numbered
from director_ctx.project.taken import mark_of
from director_ctx.upkeep.slug import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.other_plans.model import OtherGoal, OtherStep, OtherTask
    from director_ctx.project.taken import TakenPlan

    Bucket = tuple[list["UnitNow"], list["UnitThen"]]

ALIKE = 2 / 3
MOST_COMPARED = 1_000_000


class UnitThen(Record):
    """A step or task as it was taken over."""

    key: str
    at: str
    name: str
    """The mark of its name."""
    words: frozenset[str]
    group: str = ""
    """Of a task: where its step is."""
    inside: frozenset[str] = frozenset()
    """Of a step: the marks of its tasks' names."""


class UnitNow(Record):
    """A step or task as the source has it now."""

    unit: OtherStep | OtherTask
    name: str
    words: frozenset[str]
    group: str = ""
    """Of a task: where its step is that was taken over; nothing where that is new."""
    inside: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        return self.unit.key


class MovedUnits(Record):
    """Now's keys with those of then, and where that could not be told for certain."""

    keys: dict[str, str]
    remarks: tuple[SourceRemark, ...] = ()


def moved_keys(taken: TakenPlan, goals: Sequence[OtherGoal]) -> dict[str, str]:
    return moved_units(taken, goals).keys


def moved_units(taken: TakenPlan, goals: Sequence[OtherGoal]) -> MovedUnits:
    """For tools that number anew whenever they like: a unit whose name is the same is the same, whatever its
    number is now. Of equal names first those of the same step.
    """
    moved: dict[str, str] = {}
    remarks: list[SourceRemark] = []
    for goal in goals:
        tasks_then = _then(taken, goal.key, "task")
        steps_then = _with_inside(_then(taken, goal.key, "step"), tasks_then)
        steps = _Matching([_step_now(step) for step in goal.steps], steps_then)
        steps.match_all()

        places = {step.key: step.at for step in steps_then}
        tasks_now: list[UnitNow] = []
        for step in goal.steps:
            group = places.get(steps.matched.get(step.key, ""), "")
            tasks_now += [_now(task).replace(group=group) for task in step.tasks]
        tasks = _Matching(tasks_now, tasks_then)
        tasks.match_all()
        for matching in (steps, tasks):
            moved.update(matching.matched)
            remarks += matching.doubts
    return MovedUnits(moved, tuple(remarks))


def _then(taken: TakenPlan, goal: str, kind: str) -> list[UnitThen]:
    """What was taken over of one goal, in the order of its numbers."""
    depth = 2 if kind == "step" else 4
    # The headings of a list stand behind its file's name.
    beginnings = (f"{goal}/", f"{goal.removeprefix('file:')}#")
    units: list[UnitThen] = []
    for key in sorted(taken.units, key=_in_order):
        unit = taken.units[key]
        is_kind = unit.at.startswith("goals/") and unit.at.count("/") == depth
        is_of_goal = key.removeprefix("step:").startswith(beginnings)
        if is_kind and is_of_goal:
            group = unit.at.rpartition("/tasks/")[0]
            name = unit.marks.get("name", "")
            units.append(UnitThen(key, unit.at, name, _words_of(unit.at), group))
    return units


def _in_order(key: str) -> str:
    """So that 1.10 comes behind 1.9."""
    return re.sub(r"\d+", lambda match: match[0].zfill(9), key)


def _with_inside(steps: Sequence[UnitThen], tasks: Sequence[UnitThen]) -> list[UnitThen]:
    inside: dict[str, set[str]] = {}
    for task in tasks:
        inside.setdefault(task.group, set()).add(task.name)
    return [step.replace(inside=frozenset(inside.get(step.at, ()))) for step in steps]


def _words_of(at: str) -> frozenset[str]:
    """The words of a name, as far as they are in its file's."""
    _, _, name = at.rpartition("/")
    parsed = numbered(name)
    if parsed is None:
        return frozenset()
    _, words = parsed
    return frozenset(words.split("-"))


def _now(unit: OtherStep | OtherTask) -> UnitNow:
    name = title(unit.name)
    return UnitNow(unit, mark_of(name), frozenset(slug(name).split("-")))


def _step_now(step: OtherStep) -> UnitNow:
    inside = frozenset(mark_of(title(task.name)) for task in step.tasks)
    return _now(step).replace(inside=inside)


class _Matching:
    """Steps or tasks of one goal: what is surest is matched first, and what is matched is out of the way."""

    def __init__(self, now: Sequence[UnitNow], then: Sequence[UnitThen]) -> None:
        self.matched: dict[str, str] = {}
        self.doubts: list[SourceRemark] = []
        self._every_now = now
        self._known = {unit.key for unit in then}
        self._then = {unit.key: unit for unit in then}

    def match_all(self) -> None:
        """By name in the same step, by name alone, by most of its words, by what is inside it, and then by what is
        left.
        """
        self._by_name(lambda unit: f"{unit.name} {unit.group}")
        self._by_name(lambda unit: unit.name)
        self._by_words(lambda now, then: now.group == then.group)
        self._by_words(lambda now, then: True)
        self._by_inside(self._now(), [*self._then.values()], least=0.5)
        for now in self._now():
            then = self._then.get(now.key)
            if then and then.group == now.group:
                self._match(now, then)
        for now in self._now():
            if now.key in self._known:
                # Another has its place by now; it is new, and may not be taken for that one.
                self.matched[now.key] = ""

    def _now(self) -> list[UnitNow]:
        return [unit for unit in self._every_now if unit.key not in self.matched]

    def _match(self, now: UnitNow, then: UnitThen) -> None:
        self.matched[now.key] = then.key
        del self._then[then.key]

    def _by_name(self, place: Callable[[UnitNow | UnitThen], str]) -> None:
        for every_now, every_then in self._buckets(place):
            self._by_inside(every_now, every_then, least=0.0)
            now, then = self._left(every_now, every_then)
            if len(now) != len(then):
                self._by_key(now, then)
            for unit, before in zip(*self._left(now, then), strict=False):
                self._match(unit, before)
            if len(now) > 1 or len(then) > 1:
                self._doubt(now)

    def _left(self, now: Sequence[UnitNow], then: Sequence[UnitThen]) -> Bucket:
        return (
            [unit for unit in now if unit.key not in self.matched],
            [unit for unit in then if unit.key in self._then],
        )

    def _buckets(self, place: Callable[[UnitNow | UnitThen], str]) -> Iterator[Bucket]:
        """What is equal, in the order of the source."""
        buckets: dict[str, Bucket] = {}
        for then in self._then.values():
            buckets.setdefault(place(then), ([], []))[1].append(then)
        for now in self._now():
            if place(now) in buckets:
                buckets[place(now)][0].append(now)
        for bucket in buckets.values():
            if all(bucket):
                yield bucket

    def _by_key(self, now: Sequence[UnitNow], then: Sequence[UnitThen]) -> None:
        by_key = {unit.key: unit for unit in then}
        for unit in now:
            if unit.key in by_key:
                self._match(unit, by_key[unit.key])

    def _doubt(self, now: Sequence[UnitNow]) -> None:
        """Who has its number of then, too, is told for certain."""
        others = [unit for unit in now if self.matched.get(unit.key) != unit.key]
        if not others:
            return
        unit = others[0].unit
        says = (
            f"{title(unit.name)!r} is there {len(now)} times, and was renumbered; "
            "which is which of before was told by their order"
        )
        self.doubts.append(SourceRemark(DOUBT, says, unit.path, unit.line))

    def _by_inside(self, now: Sequence[UnitNow], then: Sequence[UnitThen], least: float) -> None:
        """Steps by the tasks that they have in common, those with the most of them first."""
        if len(now) * len(then) > MOST_COMPARED:
            return
        shares: list[tuple[float, UnitNow, UnitThen]] = []
        for unit in now:
            for before in then:
                share = _share(unit.inside, before.inside)
                if share > 0 and share >= least:
                    shares.append((share, unit, before))
        shares.sort(key=lambda row: -row[0])
        for _, unit, before in shares:
            if unit.key not in self.matched and before.key in self._then:
                self._match(unit, before)

    def _by_words(self, may_be: Callable[[UnitNow, UnitThen], bool]) -> None:
        """Two thirds of the words in common, and more than any other has."""
        for now in self._now():
            if len(self._then) * len(self._every_now) > MOST_COMPARED:
                return
            best: UnitThen | None = None
            highest = 0.0
            for then in self._then.values():
                share = _share(now.words, then.words)
                if share > highest and may_be(now, then):
                    best, highest = then, share
            if best and highest >= ALIKE:
                self._match(now, best)


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    every = one | other
    return len(one & other) / len(every) if every else 0.0
