"""What changed between two contexts, line by line, as far as their texts are kept."""

from __future__ import annotations

from director_ctx.assembling.told.compare import (
    SAME,
    changed_lines,
    compare,
    difference_json,
)
from director_ctx.base.record import Record
from director_ctx.memory.runs.run import run_json
from director_ctx.memory.runs.storage import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.assembling.told.compare import Comparison, SectionDifference
    from director_ctx.memory.runs.run import Run

_NOT_KEPT = "The text is no longer kept; only the last contexts are kept in full."


class SectionChange(Record):
    """One section, with the lines that changed if both texts are still kept."""

    difference: SectionDifference
    lines: tuple[str, ...] = ()
    why: str = ""
    """Why there are no lines."""

    def lines_json(self) -> list[str] | None:
        if self.why:
            return None
        return list(self.lines)


class ContextChange(Record):
    """Two contexts, and what changed from one to the other."""

    old: Run
    new: Run
    comparison: Comparison
    sections: tuple[SectionChange, ...] = ()
    """Empty where nobody wants the lines."""

    def as_json(self) -> dict[str, Any]:
        """The shape of `dctx diff --json`."""
        by_tag = {section.difference.tag: section for section in self.sections}
        sections = []
        for difference in self.comparison.sections:
            document = difference_json(difference)
            section = by_tag.get(difference.tag)
            # Without the texts, as with --summary, there is no such key; it is null where a text is
            # no longer kept.
            if section:
                document["diff"] = section.lines_json()
            sections.append(document)
        return {
            "old": run_json(self.old),
            "new": run_json(self.new),
            "identical": self.old.sha256 == self.new.sha256,
            "first_difference": self.comparison.first or None,
            "same_tokens": self.comparison.same_tokens,
            "sections": sections,
        }


def context_change(
    root: str, old: Run, new: Run, texts: Mapping[str, str] | None = None
) -> ContextChange:
    """With the lines. `texts` are those, by hash, that are known without the record."""
    bare = context_change_in_short(old, new)
    known = texts or {}
    sections = []
    for difference in bare.comparison.sections:
        sections.append(_section_change(root, difference, known))
    return bare.replace(sections=tuple(sections))


def context_change_in_short(old: Run, new: Run) -> ContextChange:
    return ContextChange(old, new, compare(old.sections, new.sections))


def _section_change(
    root: str, difference: SectionDifference, known: Mapping[str, str]
) -> SectionChange:
    if difference.what == SAME:
        return SectionChange(difference)
    texts: list[str] = []
    for section in (difference.old, difference.new):
        text: str | None = ""
        if section:
            text = known.get(section.sha256)
            text = read_text(root, section.sha256) if text is None else text
        if text is None:
            return SectionChange(difference, why=_NOT_KEPT)
        texts.append(text)
    # A tab behind the mark of a patch would not end where it did in the text.
    lines = [line.expandtabs(4) for line in changed_lines(*texts)]
    return SectionChange(difference, tuple(lines))


def run_to_compare(runs: Sequence[Run], run: Run) -> Run | None:
    """The context before it of the same agent for the same task: of another task nearly all is different.
    Where there is none, that of any task.
    """
    same_task = [other for other in runs if other.task == run.task]
    return run_before(same_task, run) or run_before(runs, run)


def run_before(runs: Sequence[Run], run: Run) -> Run | None:
    """The context before it of the same agent."""
    before = None
    for other in runs:
        if other.id == run.id:
            return before
        if other.agent == run.agent:
            before = other
    return None
