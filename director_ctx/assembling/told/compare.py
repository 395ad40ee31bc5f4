"""What changed between two contexts, section by section, and where a model's cached prefix ends."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.memory.runs.run import RunSection

SAME = "same"
CHANGED = "changed"
ADDED = "added"
GONE = "gone"
MOST_LINES = 20_000


class SectionDifference(Record):
    """One section in two contexts; None where it is not in one of them."""

    tag: str
    old: RunSection | None
    new: RunSection | None

    @property
    def what(self) -> str:
        if self.old is None:
            return ADDED
        if self.new is None:
            return GONE
        if self.old.sha256 != self.new.sha256:
            return CHANGED
        return SAME


class Comparison(Record):
    sections: tuple[SectionDifference, ...]
    first: str = ""
    """The first section that is not the same in the same place; empty if all are."""
    same_tokens: int = 0
    """What stands before it."""

    @property
    def moved(self) -> bool:
        """Whether all sections are the same, and only their order is another."""
        if not self.first:
            return False
        return all(difference.what == SAME for difference in self.sections)


def compare(old: Sequence[RunSection], new: Sequence[RunSection]) -> Comparison:
    """Every section of both, in the order of the new one; what is gone stands where it was."""
    before = {section.tag: section for section in old}
    after = {section.tag: section for section in new}
    sections: list[SectionDifference] = []
    for tag in _merged(list(before), list(after)):
        difference = SectionDifference(tag, before.get(tag), after.get(tag))
        sections.append(difference)
    first, same_tokens = _first_difference(old, new)
    return Comparison(tuple(sections), first, same_tokens)


def _merged(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The new tags, and each that is gone behind the one that it stood behind."""
    merged = list(new)
    behind = 0
    for tag in old:
        if tag not in merged:
            merged.insert(behind, tag)
        behind = merged.index(tag) + 1
    return merged


def _first_difference(old: Sequence[RunSection], new: Sequence[RunSection]) -> tuple[str, int]:
    """The first section that is not the same in the same place, and the tokens before it."""
    tokens = 0
    for before, after in zip(old, new, strict=False):
        is_same_tag = before.tag == after.tag
        if not is_same_tag or before.sha256 != after.sha256:
            return after.tag, tokens
        tokens += after.tokens

    # Whatever one of them has more than the other.
    more = [*old[len(new) :], *new[len(old) :]]
    if more:
        return more[0].tag, tokens
    return "", tokens


def changed_lines(old: str, new: str) -> Iterator[str]:
    """A unified diff without the names of files."""
    from difflib import unified_diff
    from itertools import islice

    before = old.split("\n")
    after = new.split("\n")
    if max(len(before), len(after)) > MOST_LINES:
        yield f"({len(before):,} lines before and {len(after):,} after: too many to compare)"
        return

    # The first two lines would name the files.
    yield from islice(unified_diff(before, after, lineterm="", n=3), 2, None)


def difference_json(difference: SectionDifference) -> dict[str, Any]:
    """A section as every comparison shows it."""
    return {
        "tag": difference.tag,
        "before": difference.old.tokens if difference.old else None,
        "after": difference.new.tokens if difference.new else None,
        "what": difference.what,
    }
