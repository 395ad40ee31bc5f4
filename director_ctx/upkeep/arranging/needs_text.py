"""A text of Needs First after goals, steps and tasks have got other numbers: it names the same ones
as before.

The words stay; numbers change where they stand. Where that would not do, the place is named in full.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.tasks.needs import EXPLICIT, parse_needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from director_ctx.project.tasks.needs import NeededUnit
    from director_ctx.upkeep.arranging.numbers import Moved, Ref

UNITS = ("goal", "step", "task")
REMOVED = "a removed {}"
_MENTION = re.compile(
    r"\b(?P<unit>goal|step|task)s?\b(?P<before>[\s#*_`\[]*)"
    r"(?P<numbers>\d{1,6}\b(?:\s*(?:,|&|-|\u2013|\u2014|\band\b|\bor\b|\bto\b|\bthrough\b)"
    r"(?:\s*(?:and|or)\b)?\s*#?\d{1,6}\b)*)",
    re.IGNORECASE,
)
_DEEPER = re.compile(r"[\s*_`\]]*(?:,|>|:|\(|-|\u2013|\u2014|the|\s)*[\s*_`\[]*", re.IGNORECASE)
_SHALLOWER = re.compile(
    r"[\s*_`\]]*(?:(?:\(|\bin\b|\bof\b|\bfrom\b|\bthe\b)[\s*_`\[]*)+", re.IGNORECASE
)


class _Said(Record):
    """One mention in a text: `Tasks 1-3`."""

    unit: int
    """How many numbers a reference to it has."""
    numbers: str
    start: int
    end: int


def needs_after(text: str, old: Ref, new: Ref, moved: Moved) -> str:
    """The text of a goal's, step's or task's file that was at `old` and is at `new`."""
    needs = parse_needs(text)
    if needs.kind != EXPLICIT:
        return text
    wanted = set()
    for reference in needs.references:
        if not reference.relative:
            wanted.add(moved.now(meant(reference, old)))
    wanted.discard(None)
    relative = {reference for reference in needs.references if reference.relative}

    def fits(candidate: str) -> bool:
        return _says(candidate, new) == (wanted, relative)

    if None not in {moved.now(ref) for ref in _refs(text, old)} and fits(text):
        return text
    changed = _with_chains(text, old, new, moved)
    if fits(changed):
        return changed
    return _in_full(text, sorted(filter(None, wanted)), relative, new)


def meant(reference: NeededUnit, place: Ref) -> Ref:
    """The numbers that a reference means where it stands."""
    goal = place[0] if reference.goal is None else reference.goal
    if reference.unit == "goal":
        return (reference.number,)
    if reference.unit == "step":
        return goal, reference.number
    step = reference.step
    if step is None:
        step = place[1]
    return goal, step, reference.number


def _refs(text: str, place: Ref) -> list[Ref]:
    refs = []
    for reference in parse_needs(text).references:
        if not reference.relative:
            refs.append(meant(reference, place))
    return refs


def _says(text: str, place: Ref) -> tuple[set[Ref | None], set[NeededUnit]]:
    references = parse_needs(text).references
    relative = {reference for reference in references if reference.relative}
    return set(_refs(text, place)), relative


def _with_chains(text: str, old: Ref, new: Ref, moved: Moved) -> str:
    """Each place that the text names, named anew; from the end, so that offsets stay true."""
    for chain in reversed(list(_chains(text))):
        start = chain[0].start
        end = _closed(text, start, chain[-1].end)
        said = text[start:end]
        refs = _refs(said, old)
        if not refs:
            continue
        again = _renamed(said, refs, old, new, moved)
        text = text[:start] + again + text[end:]
    return text


def _chains(text: str) -> Iterable[list[_Said]]:
    """Mentions that name one place together, as the reader of Needs First takes them."""
    chain: list[_Said] = []
    for match in _MENTION.finditer(text):
        unit = UNITS.index(match["unit"].casefold()) + 1
        said = _Said(unit, match["numbers"], match.start(), match.end())
        if chain and not _belongs(text, chain[-1], said):
            yield chain
            chain = []
        chain.append(said)
    if chain:
        yield chain


def _belongs(text: str, left: _Said, right: _Said) -> bool:
    between = text[left.end : right.start]
    if left.unit < right.unit:
        return bool(_DEEPER.fullmatch(between))
    if left.unit > right.unit:
        return bool(_SHALLOWER.fullmatch(between))
    return False


def _closed(text: str, start: int, end: int) -> int:
    """The end with the bracket that a place in brackets is closed by."""
    said = text[start:end]
    if said.count("(") > said.count(")") and text[end : end + 1] == ")":
        return end + 1
    return end


def _renamed(said: str, refs: Sequence[Ref], old: Ref, new: Ref, moved: Moved) -> str:
    """One place as it is called now: the same words where they will do, else in full."""
    left: list[Ref] = []
    removed = ""
    for ref in refs:
        now = moved.now(ref)
        if now is None:
            removed = UNITS[len(ref) - 1]
        else:
            left.append(now)

    if not removed and left == _refs(said, new):
        return said
    if not removed and len(left) == 1:
        again = _other_numbers(said, left[0])
        if _refs(again, new) == left:
            return again

    phrases = [named(ref, new) for ref in sorted(left)]
    if removed:
        phrases.append(REMOVED.format(removed))
    return joined(phrases)


def _other_numbers(said: str, ref: Ref) -> str:
    """The same words with the numbers of another place."""

    def number(match: re.Match[str]) -> str:
        unit = UNITS.index(match["unit"].casefold())
        if unit >= len(ref):
            return match[0]
        head = match[0].removesuffix(match["numbers"])
        return f"{head}{ref[unit]}"

    return _MENTION.sub(number, said)


def named(ref: Ref, place: Ref) -> str:
    """A unit in full, as far as its place does not say it: `Task 3 (in Step 2 of Goal 1)`."""
    if len(ref) == 1:
        return f"Goal {ref[0]}"
    in_goal = "" if ref[0] == place[0] else f" of Goal {ref[0]}"
    if len(ref) == 2:
        return f"Step {ref[1]}{in_goal}"
    if ref[:2] == place[:2]:
        return f"Task {ref[2]}"
    return f"Task {ref[2]} (in Step {ref[1]}{in_goal})"


def joined(phrases: Sequence[str]) -> str:
    """The deepest first: `Step 2, Task 3` would be one place."""
    in_order = sorted(phrases, key=_depth)
    if len(in_order) < 2:
        return "".join(in_order)
    return f"{', '.join(in_order[:-1])} and {in_order[-1]}"


def _depth(phrase: str) -> int:
    first_word = phrase.partition(" ")[0].casefold()
    if first_word in UNITS:
        return -UNITS.index(first_word)
    return 1


def _in_full(text: str, wanted: Sequence[Ref], relative: Iterable[NeededUnit], place: Ref) -> str:
    """A sentence of its own. What was written stays beside it, for people to read."""
    phrases = [named(ref, place) for ref in wanted]
    phrases += sorted(map(str, relative))
    before = " ".join(text.split()).replace("--", "- -")
    sentence = "Nothing that is there any more."
    if phrases:
        sentence = f"Needs {joined(phrases)}."
    return f"\n{sentence}\n<!-- It said: {before} -->\n\n"
