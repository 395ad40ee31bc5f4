"""Fits a draft to its budget: down the ladder until the text fits, then back up with whatever still
has room.

The way back begins at the lowest rung, so that what matters most comes back first:
docs/decisions/0030.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.ladder import rungs_for
from director_ctx.context.layouts import PrintedBlock, join
from director_ctx.context.sections import Reduction
from director_ctx.context.settings.budget import OVER, REDUCED, WITHIN
from director_ctx.context.settings.tags import GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from director_ctx.context.ladder import Rung
    from director_ctx.context.sections import Draft, Section

    Sections = Mapping[str, Section]
    Render = Callable[[Sections], tuple[PrintedBlock, ...]]
    Count = Callable[[str], int]
    SmallEnough = Callable[[Sequence[PrintedBlock]], bool]
    Fits = Callable[["Stage"], bool]


def any_size(_: Sequence[PrintedBlock]) -> bool:
    """Where there is no limit to the text itself, only to its tokens."""
    return True


class Fitting(Record):
    """The text as it goes out, and what is gone from it."""

    blocks: tuple[PrintedBlock, ...]
    text: str
    used: int
    whole: int
    """Tokens before any rung was taken."""
    reductions: tuple[Reduction, ...] = ()
    status: str = WITHIN


class Stage(Record):
    """The text at one place of the ladder."""

    sections: Sections
    blocks: tuple[PrintedBlock, ...]
    text: str
    used: int


class Taken(Record):
    """A rung that shortens the text."""

    rung: Rung
    before: Stage
    after: Stage


class Descent:
    """One draft on its way down. What was printed on the way is kept, for the way back and for
    other limits.
    """

    def __init__(
        self,
        draft: Draft,
        protect: Sequence[str],
        render: Render,
        count: Count,
    ) -> None:
        self._draft = draft
        self._render = render
        self._count = count
        self._rungs = rungs_for(tuple(protect))
        self._taken: list[Taken] = []
        self.whole = self._stage(draft.sections)

    def fit(self, limit: int, small_enough: SmallEnough = any_size) -> Fitting:
        """What is within the limit, or all the way down where nothing is; the text itself may have
        a limit, too.
        """

        def fits(stage: Stage) -> bool:
            return stage.used <= limit and small_enough(stage.blocks)

        stage, taken = self._down(fits)
        if fits(stage):
            stage, taken = self._back_up(stage, taken, fits)
        return self._fitting(stage, taken, limit)

    def all_the_way(self) -> Sequence[Taken]:
        """Every rung that shortens the text, in order, as if no limit were ever kept."""
        while self._reaches(len(self._taken)):
            pass
        return tuple(self._taken)

    def _down(self, fits: Fits) -> tuple[Stage, list[Taken]]:
        """To the first stage that fits, or the last one."""
        stage = self.whole
        depth = 0
        while not fits(stage):
            if not self._reaches(depth):
                break
            stage = self._taken[depth].after
            depth += 1
        return stage, self._taken[:depth]

    def _reaches(self, depth: int) -> bool:
        """Whether the ladder goes down that far."""
        while self._rungs and len(self._taken) <= depth:
            rung = self._rungs.pop(0)
            self._take(rung)
        return depth < len(self._taken)

    def _take(self, rung: Rung) -> None:
        """A rung that would not shorten the text is skipped."""
        before = self.whole
        if self._taken:
            before = self._taken[-1].after
        sections = rung.apply(before.sections, self._draft.replacements)
        # A rung that finds nothing to do gives back the very sections that it got.
        if sections is before.sections:
            return

        # Counting is what takes time, so it waits until the text is known to be shorter.
        blocks = self._render(sections)
        text = join(blocks)
        if len(text) >= len(before.text):
            return
        after = Stage(sections, blocks, text, self._count(text))
        self._taken.append(Taken(rung, before, after))

    def _back_up(
        self,
        stage: Stage,
        taken: list[Taken],
        fits: Fits,
    ) -> tuple[Stage, list[Taken]]:
        """Gives back what fits, from the lowest rung upwards."""
        gone: list[Taken] = []
        # Where a lower rung of the group stays taken, a higher one cannot be undone alone.
        settled: set[str] = set()

        for step in reversed(taken):
            group = step.rung.group
            # Without the rung that was taken last it did not fit.
            is_needed = step is taken[-1] or group in settled
            if not is_needed:
                sections = _given_back(stage.sections, step)
                fuller = self._stage(sections)
                if fits(fuller):
                    stage = fuller
                    continue
            settled.add(group)
            gone.append(step)

        gone.reverse()
        return stage, gone

    def _stage(self, sections: Sections) -> Stage:
        blocks = self._render(sections)
        text = join(blocks)
        return Stage(sections, blocks, text, self._count(text))

    def _fitting(self, stage: Stage, gone: Sequence[Taken], limit: int) -> Fitting:
        count = self._count
        reductions: list[Reduction] = []
        for tag, before, after in self._draft.cuts:
            reductions.append(Reduction("file-limit", tag, count(before), count(after)))
        for step in gone:
            reductions.append(_reduction(step, count))

        status = WITHIN
        if reductions:
            status = REDUCED
        if stage.used > limit:
            status = OVER
        return Fitting(
            blocks=stage.blocks,
            text=stage.text,
            used=stage.used,
            whole=self.whole.used,
            reductions=tuple(reductions),
            status=status,
        )


def _given_back(sections: Sections, step: Taken) -> Sections:
    """The sections of the rung's group as they were before it, all others as they are."""
    group = step.rung.group
    members = GROUPS.get(group, (group,))
    before = step.before.sections
    fuller = dict(sections)
    for tag in members:
        fuller.pop(tag, None)
        if tag in before:
            fuller[tag] = before[tag]
    return fuller


def _reduction(step: Taken, count: Count) -> Reduction:
    """What the rung made of the sections that it changed."""
    before = _texts(step.before)
    after = _texts(step.after)
    old = {tag: text for tag, text in before.items() if text != after.get(tag)}
    new = {tag: text for tag, text in after.items() if text != before.get(tag)}
    tag = step.rung.group
    if len(old) == 1:
        (tag,) = old
    return Reduction(
        rung=step.rung.name,
        tag=tag,
        before=sum(map(count, old.values())),
        after=sum(map(count, new.values())),
    )


def _texts(stage: Stage) -> dict[str, str]:
    """By tag, every section as it is printed."""
    return {block.section.tag: block.text for block in stage.blocks}
