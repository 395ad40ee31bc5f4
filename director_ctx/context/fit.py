"""Takes the ladder rung by rung until the text fits. Deterministic: a smaller budget only goes further down."""

from __future__ import annotations

from director_ctx.context.budget import OVER, REDUCED, WITHIN
from director_ctx.context.layouts import Block, join
from director_ctx.context.reductions import LADDER
from director_ctx.context.sections import Reduction
from director_ctx.context.tags import protected_tags
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from director_ctx.context.reductions import Rung
    from director_ctx.context.sections import Draft, Section

    Render = Callable[[Mapping[str, Section]], tuple[Block, ...]]
    Count = Callable[[str], int]
    SmallEnough = Callable[[Sequence[Block]], bool]


class Fitting(Record):
    """The text after some number of rungs."""

    blocks: tuple[Block, ...]
    text: str
    used: int
    whole: int
    """Tokens before any rung was taken."""
    reductions: tuple[Reduction, ...] = ()
    status: str = WITHIN


def fit(draft: Draft, protect: Sequence[str], render: Render, limit: int, count: Count) -> Fitting:
    """The first stage that is within the limit, or the last one, marked as over."""
    return first_within(stages(draft, protect, render, count), limit)


def first_within(ladder: Iterable[Fitting], limit: int, small_enough: SmallEnough | None = None) -> Fitting:
    """The same of stages that are given; where there is a limit to the text itself, it has to hold as well."""
    last = None
    for last in ladder:
        if last.used <= limit and (small_enough is None or small_enough(last.blocks)):
            break
    assert last is not None
    return last.replace(status=OVER if last.used > limit else REDUCED if last.reductions else WITHIN)


def stages(draft: Draft, protect: Sequence[str], render: Render, count: Count) -> Iterator[Fitting]:
    """The whole text, then each shorter one. A rung that would not shorten the text is skipped."""
    sections, blocks = draft.sections, render(draft.sections)
    text = join(blocks)
    taken = tuple(Reduction("file-limit", tag, count(before), count(after)) for tag, before, after in draft.cuts)
    whole = count(text)
    yield Fitting(blocks, text, whole, whole, taken)
    for rung in open_rungs(protect):
        shorter = rung.apply(sections, draft.replacements)
        if shorter is sections:
            continue
        new_blocks = render(shorter)
        new_text = join(new_blocks)
        if len(new_text) < len(text):
            taken = (*taken, *_compare(rung.name, blocks, new_blocks, count))
            sections, blocks, text = shorter, new_blocks, new_text
            yield Fitting(blocks, text, count(text), whole, taken)


def open_rungs(protect: Sequence[str]) -> list[Rung]:
    """The rungs that no protection closes."""
    closed = protected_tags(tuple(protect))
    return [rung for rung in LADDER if rung.group not in closed]


def _compare(rung: str, before: Sequence[Block], after: Sequence[Block], count: Count) -> list[Reduction]:
    old = {block.section.tag: block.text for block in before}
    new = {block.section.tag: block.text for block in after}
    return [
        Reduction(rung, tag, count(old[tag]) if tag in old else 0, count(new[tag]) if tag in new else 0)
        for tag in [*old, *(tag for tag in new if tag not in old)]
        if old.get(tag) != new.get(tag)
    ]
