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

        # To the first stage that fits, or the last one.
        stage = self.whole
        depth = 0
        while not fits(stage) and self._reaches(depth):
            stage = self._taken[depth].after
            depth += 1
        taken = self._taken[:depth]
        if fits(stage):
            stage, taken = self._back_up(stage, taken, fits)

        reductions: list[Reduction] = []
        for tag, before, after in self._draft.cuts:
            sizes = self._count(before), self._count(after)
            reductions.append(Reduction("file-limit", tag, *sizes))
        reductions += [_reduction(step, self._count) for step in taken]
        status = REDUCED if reductions else WITHIN
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

    def all_the_way(self) -> Sequence[Taken]:
        """Every rung that shortens the text, in order, as if no limit were ever kept."""
        while self._reaches(len(self._taken)):
            pass
        return tuple(self._taken)

    def _reaches(self, depth: int) -> bool:
        """Whether the ladder goes down that far."""
        while self._rungs and len(self._taken) <= depth:
            rung = self._rungs.pop(0)
            self._take(rung)
        return depth < len(self._taken)

    def _take(self, rung: Rung) -> None:
        """A rung that would not shorten the text is skipped."""
        before = self._taken[-1].after if self._taken else self.whole
        sections = rung.apply(before.sections, self._draft.replacements)
        # A rung that finds nothing to do gives back the very sections that it got.
        if sections is before.sections:
            return
        # Counting is what takes time, so it waits until the text is known to be shorter.
        blocks = self._render(sections)
        text = join(blocks)
        if len(text) < len(before.text):
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
            if step is not taken[-1] and group not in settled:
                # The sections of the rung's group as they were before it, all others as they are.
                members = GROUPS.get(group, (group,))
                kept = {tag: one for tag, one in stage.sections.items() if tag not in members}
                before = step.before.sections.items()
                fuller = self._stage(kept | {tag: one for tag, one in before if tag in members})
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


def _reduction(step: Taken, count: Count) -> Reduction:
    """What the rung made of the sections that it changed."""
    before = {block.tag: block.text for block in step.before.blocks}
    after = {block.tag: block.text for block in step.after.blocks}
    old = {tag: text for tag, text in before.items() if text != after.get(tag)}
    new = [text for tag, text in after.items() if text != before.get(tag)]
    tag = next(iter(old)) if len(old) == 1 else step.rung.group
    return Reduction(step.rung.name, tag, sum(map(count, old.values())), sum(map(count, new)))
