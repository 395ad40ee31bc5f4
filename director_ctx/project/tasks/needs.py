"""What a task's "Needs First" says: nothing, named units, or prose that a program cannot judge."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import without_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DECLARED, EXPLICIT, ASSUMED = "declared", "explicit", "assumed"

MOST = 100
"""Units in one range, and references in one text; nobody needs more."""

_UNITS = {
    "goal": "goal",
    "goals": "goal",
    "step": "step",
    "steps": "step",
    "task": "task",
    "tasks": "task",
}
_ORDER = ("goal", "step", "task")
_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_LEADS = ("needs", "need", "requires", "require", "first", ":", "-", "*")
_NOTHING = ("nothing", "none", "n/a", "na")
_NO = (
    "prerequisite",
    "prerequisites",
    "dependency",
    "dependencies",
    "requirements",
    "blockers",
    "needs",
    ".",
    "",
)
_CONDITIONS = frozenset(("until", "unless", "once", "after", "when"))
_SOON = ("now", "immediately", "anytime")
_SOON_PAIRS = (("right", "away"), ("right", "now"), ("at", "once"), ("any", "time"))
_DENIALS = frozenset(("cannot", "cant", "not"))
_BEFORE = ("previous", "preceding", "prior", "earlier")


class NeededUnit(Record):
    """A unit that must be complete first. `previous` and `earlier` are relative to the task."""

    unit: str
    number: int = 0
    goal: int | None = None
    step: int | None = None
    relative: str = ""

    def __str__(self) -> str:
        if self.relative:
            ending = "s" if self.relative == "earlier" else ""
            return f"the {self.relative} {self.unit}{ending}"
        named: list[str] = []
        for unit, number in (("goal", self.goal), ("step", self.step), (self.unit, self.number)):
            if number is not None:
                named.append(f"{unit.title()} {number}")
        return ", ".join(named)


class Needs(Record):
    kind: str
    references: tuple[NeededUnit, ...] = ()
    is_prose: bool = False
    """Whether it says something that only a person can judge."""


def parse_needs(text: str) -> Needs:
    """Declared free to start, explicit references, or assumed from the order."""
    tokens = tokenize(without_comments(text))
    references = find_references(tokens)
    if says_nothing(tokens, bool(references)):
        return Needs(DECLARED)
    if references:
        return Needs(EXPLICIT, references)
    return Needs(ASSUMED, is_prose=bool(tokens))


def tokenize(text: str) -> list[str]:
    """Lower-case words, numbers and the punctuation that joins them; markup is dropped."""
    text = text.replace("\u2019", "'").replace("'s ", " ")
    for mark in "*_`[]\"'\u2019":
        text = text.replace(mark, "")
    for dash in "\u2013\u2014":
        text = text.replace(dash, " - ")
    for mark in ",:;()>&":
        text = text.replace(mark, f" {mark} ")
    # Not inside `3.11` or `app.py`; and before the next ones put blanks behind what ends a line.
    text = text.replace(". ", " . ")
    for mark in "#-\n":
        text = text.replace(mark, f" {mark} ")
    return [token.rstrip(".") or token for token in text.lower().split()]


def says_nothing(tokens: Sequence[str], names_units: bool) -> bool:
    """Only the leading word counts, or a plain "can start right away"; the rest may be about other
    work.

    "Nothing can start until Step 1 ..." and "Once Step 1 is done this can start right away" say the
    opposite.
    """
    if names_units and not _CONDITIONS.isdisjoint(tokens):
        return False
    start = 0
    while start < len(tokens) and tokens[start] in _LEADS:
        start += 1
    first, second = [*tokens[start : start + 2], "", ""][:2]
    if first in _NOTHING:
        return True
    if first == "no" and second in _NO:
        return True
    if (first, second) == ("not", "applicable"):
        return True
    return not names_units and _can_start(tokens)


def _can_start(tokens: Sequence[str]) -> bool:
    """`Can start right away`, and not `cannot start now`."""
    for index, token in enumerate(tokens):
        if token not in ("start", "begin"):
            continue
        before = tokens[max(0, index - 2) : index]
        after = tuple(tokens[index + 1 : index + 3])
        is_soon = bool(after) and after[0] in _SOON
        if (is_soon or after in _SOON_PAIRS) and _DENIALS.isdisjoint(before):
            return True
    return False


def find_references(tokens: Sequence[str]) -> tuple[NeededUnit, ...]:
    """Every unit named by number or as the previous one."""
    references: list[NeededUnit] = []
    for chain in _chains(tokens):
        references.extend(_resolve(chain)[:MOST])
        if len(references) > MOST:
            break
    references.extend(_relative(tokens))
    return tuple(dict.fromkeys(references))


def _chains(tokens: Sequence[str]) -> Iterator[list[Mention]]:
    """The mentions, those that name one place together."""
    chain: list[Mention] = []
    for mention in find_mentions(tokens):
        if chain and not _belong_together(chain[-1], mention, tokens):
            yield chain
            chain = []
        chain.append(mention)
    if chain:
        yield chain


class Mention(Record):
    unit: str
    numbers: tuple[int, ...]
    start: int
    end: int


def find_mentions(tokens: Sequence[str]) -> list[Mention]:
    """Every goal, step or task that is named by number, in the order of the text."""
    mentions: list[Mention] = []
    index = 0
    while index < len(tokens):
        unit = _UNITS.get(tokens[index])
        if not unit:
            index += 1
            continue
        numbers, end = _numbers(tokens, index + 1)
        if numbers:
            mentions.append(Mention(unit, numbers, index, end))
        index = max(end, index + 1)
    return mentions


def _numbers(tokens: Sequence[str], index: int) -> tuple[tuple[int, ...], int]:
    """`1`, `1 and 2`, `1, 2 and 3`, `1-3`, `1 through 3`, from a position on; and where they end."""
    numbers: list[int] = []
    joiner = ""
    end = index
    while index < len(tokens):
        token = tokens[index]
        number = _number(token)
        if number is not None and (joiner or not numbers):
            first = number
            if joiner == "to":
                first = numbers[-1] + 1
            span = range(first, number + 1)
            numbers.extend(span[:MOST])
            joiner = ""
            end = index + 1
        elif numbers and token in (",", "and", "&", "or"):
            joiner = "and"
        elif numbers and token in ("-", "to", "through"):
            joiner = "to"
        elif token != "#":
            break
        index += 1
    return tuple(numbers), end


def _number(token: str) -> int | None:
    if token.isascii() and token.isdigit() and len(token) <= 6:
        return int(token)
    return _WORDS.get(token)


def _belong_together(
    left: Mention,
    right: Mention,
    tokens: Sequence[str],
) -> bool:
    """`Goal 1, Step 2` and `Task 3 (in Step 2)` are one place; `Step 2, all of Goal 1` are two."""
    between = set(tokens[left.end : right.start]) - {"the"}
    left_depth = _ORDER.index(left.unit)
    right_depth = _ORDER.index(right.unit)
    if left_depth < right_depth:
        return between <= {",", ">", ":", "(", "-"}
    if left_depth == right_depth or not between:
        return False
    return between <= {"(", "in", "of", "from"}


def _resolve(chain: list[Mention]) -> list[NeededUnit]:
    """The units of the deepest mention; the others say where they are."""
    deepest = max(chain, key=lambda mention: _ORDER.index(mention.unit))
    above: dict[str, int] = {}
    for mention in chain:
        if mention is not deepest:
            above[mention.unit] = mention.numbers[0]
    goal = above.get("goal")
    step = above.get("step")
    return [NeededUnit(deepest.unit, number, goal, step) for number in deepest.numbers]


def _relative(tokens: Sequence[str]) -> Iterator[NeededUnit]:
    for index, token in enumerate(tokens):
        if token not in _BEFORE:
            continue
        for word in tokens[index + 1 : index + 3]:
            if word in _UNITS:
                is_plural = word.endswith("s")
                relative = "earlier" if is_plural else "previous"
                yield NeededUnit(_UNITS[word], relative=relative)
                break
