"""What changed between two contexts, section by section, and where a model's cached prefix ends."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.memory.runs.run import Told

SAME, CHANGED, ADDED, GONE = "same", "changed", "added", "gone"
MOST_LINES = 20_000


class Difference(Record):
    """One section in two contexts; None where it is not in one of them."""

    tag: str
    old: Told | None
    new: Told | None

    @property
    def what(self) -> str:
        if self.old is None or self.new is None:
            return GONE if self.old else ADDED
        return SAME if self.old.sha256 == self.new.sha256 else CHANGED


class Comparison(Record):
    sections: tuple[Difference, ...]
    first: str = ""
    """The first section that is not the same in the same place; empty if all are."""
    same_tokens: int = 0
    """What stands before it."""

    @property
    def moved(self) -> bool:
        """Whether all sections are the same, and only their order is another."""
        return bool(self.first) and all(one.what == SAME for one in self.sections)


def compare(old: Sequence[Told], new: Sequence[Told]) -> Comparison:
    """Every section of both, in the order of the new one; what is gone stands where it was."""
    before, after = {one.tag: one for one in old}, {one.tag: one for one in new}
    sections = tuple(
        Difference(tag, before.get(tag), after.get(tag))
        for tag in _merged(list(before), list(after))
    )
    first, same = _first(old, new)
    return Comparison(sections, first, same)


def _merged(old: Sequence[str], new: Sequence[str]) -> list[str]:
    merged = list(new)
    for place, tag in enumerate(old):
        if tag not in merged:
            merged.insert(merged.index(old[place - 1]) + 1 if place else 0, tag)
    return merged


def _first(old: Sequence[Told], new: Sequence[Told]) -> tuple[str, int]:
    same = 0
    for place in range(max(len(old), len(new))):
        one, other = (told[place] if place < len(told) else None for told in (old, new))
        if one is None or other is None or (one.tag, one.sha256) != (other.tag, other.sha256):
            found = other or one
            return (found.tag if found else ""), same
        same += other.tokens
    return "", same


def changed_lines(old: str, new: str) -> Iterator[str]:
    """A unified diff without the names of files."""
    from difflib import unified_diff

    before, after = old.split("\n"), new.split("\n")
    if max(len(before), len(after)) > MOST_LINES:
        yield f"({len(before):,} lines before and {len(after):,} after: too many to compare)"
        return
    lines = unified_diff(before, after, lineterm="", n=3)
    yield from (line for place, line in enumerate(lines) if place > 1)


def difference_json(one: Difference) -> dict[str, Any]:
    """A section as every comparison shows it."""
    tokens = (told and told.tokens for told in (one.old, one.new))
    return {"tag": one.tag, **dict(zip(("before", "after"), tokens, strict=True)), "what": one.what}
