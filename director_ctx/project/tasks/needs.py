"""What a task's "Needs First" says: nothing, named units, or prose that a program cannot judge."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import without_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1
    )
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
            return f"the {self.relative} {self.unit}{'s' if self.relative == 'earlier' else ''}"
        named = (("goal", self.goal), ("step", self.step), (self.unit, self.number))
        return ", ".join(f"{unit.title()} {number}" for unit, number in named if number is not None)


class Needs(Record):
    kind: str
    references: tuple[NeededUnit, ...] = ()


def parse_needs(text: str) -> Needs:
    """Declared free to start, explicit references, or assumed from the order."""
    tokens = tokenize(without_comments(text))
    references = find_references(tokens)
    if says_nothing(tokens, bool(references)):
        return Needs(DECLARED)
    return Needs(EXPLICIT, references) if references else Needs(ASSUMED)


def tokenize(text: str) -> list[str]:
    """Lower-case words, numbers and the punctuation that joins them; markup is dropped."""
    text = text.replace("\u2019", "'").replace("'s ", " ")
    for mark in "*_`[]\"'\u2019":
        text = text.replace(mark, "")
    for dash in "\u2013\u2014":
        text = text.replace(dash, " - ")
    for mark in ",:;()>&.#-\n":
        text = text.replace(mark, f" {mark} ") if mark != "." else text.replace(". ", " . ")
    return [token.rstrip(".") or token for token in text.lower().split()]


def says_nothing(tokens: Sequence[str], names_units: bool) -> bool:
    """Only the leading word counts, or a plain "can start right away"; the rest may be about other
    work.

    "Nothing can start until Step 1 ..." and "Once Step 1 is done this can start right away" say the
    opposite.
    """
    if names_units and {"until", "unless", "once", "after", "when"} & set(tokens):
        return False
    rest = list(tokens)
    while rest and rest[0] in _LEADS:
        rest.pop(0)
    first, second = [*rest, "", ""][:2]
    if (
        first in _NOTHING
        or (first == "no" and second in _NO)
        or (first, second) == ("not", "applicable")
    ):
        return True
    return not names_units and _can_start(tokens)


def _can_start(tokens: Sequence[str]) -> bool:
    for index, token in enumerate(tokens):
        if token in ("start", "begin"):
            after, before = tuple(tokens[index + 1 : index + 3]), tokens[max(0, index - 2) : index]
            soon = after[:1] in (("now",), ("immediately",), ("anytime",)) or after in (
                ("right", "away"),
                ("right", "now"),
                ("at", "once"),
                ("any", "time"),
            )
            if soon and not {"cannot", "cant", "not"} & set(before):
                return True
    return False


def find_references(tokens: Sequence[str]) -> tuple[NeededUnit, ...]:
    """Every unit named by number or as the previous one."""
    found: list[NeededUnit] = []
    mentions = find_mentions(tokens)
    index = 0
    while index < len(mentions):
        chain = [mentions[index]]
        while index + 1 < len(mentions) and _joined(chain[-1], mentions[index + 1], tokens):
            index += 1
            chain.append(mentions[index])
        found.extend(_resolve(chain)[:MOST])
        if len(found) > MOST:
            break
        index += 1
    return tuple(dict.fromkeys([*found, *_relative(tokens)]))


class Mention(Record):
    unit: str
    numbers: tuple[int, ...]
    start: int
    end: int


def find_mentions(tokens: Sequence[str]) -> list[Mention]:
    """Every goal, step or task that is named by number, in the order of the text."""
    found = []
    index = 0
    while index < len(tokens):
        unit = _UNITS.get(tokens[index])
        numbers, end = _numbers(tokens, index + 1) if unit else ((), index + 1)
        if unit and numbers:
            found.append(Mention(unit, numbers, index, end))
        index = max(end, index + 1)
    return found


def _numbers(tokens: Sequence[str], index: int) -> tuple[tuple[int, ...], int]:
    """`1`, `1 and 2`, `1, 2 and 3`, `1-3`, `1 through 3`, from a position on."""
    found: list[int] = []
    joiner, end = "", index
    while index < len(tokens):
        number = _number(tokens[index])
        if number is not None and (joiner or not found):
            span = range(found[-1] + 1, number + 1) if joiner == "to" else range(number, number + 1)
            found.extend(span[:MOST])
            joiner, end = "", index + 1
        elif found and tokens[index] in (",", "and", "&", "or"):
            joiner = "and"
        elif found and tokens[index] in ("-", "to", "through"):
            joiner = "to"
        elif tokens[index] != "#":
            break
        index += 1
    return tuple(found), end


def _number(token: str) -> int | None:
    if token.isascii() and token.isdigit() and len(token) <= 6:
        return int(token)
    return _WORDS.get(token)


def _joined(left: Mention, right: Mention, tokens: Sequence[str]) -> bool:
    """`Goal 1, Step 2` and `Task 3 (in Step 2)` are one place; `Step 2, all of Goal 1` are two."""
    between = [token for token in tokens[left.end : right.start] if token != "the"]
    if _ORDER.index(left.unit) < _ORDER.index(right.unit):
        return all(token in (",", ">", ":", "(", "-") for token in between)
    down = _ORDER.index(left.unit) > _ORDER.index(right.unit)
    return down and bool(between) and all(token in ("(", "in", "of", "from") for token in between)


def _resolve(chain: list[Mention]) -> list[NeededUnit]:
    last = max(chain, key=lambda mention: _ORDER.index(mention.unit))
    above = {mention.unit: mention.numbers[0] for mention in chain if mention is not last}
    return [
        NeededUnit(last.unit, number, goal=above.get("goal"), step=above.get("step"))
        for number in last.numbers
    ]


def _relative(tokens: Sequence[str]) -> list[NeededUnit]:
    found = []
    for index, token in enumerate(tokens):
        if token in _BEFORE:
            near = tokens[index + 1 : index + 3]
            word = next((word for word in near if word in _UNITS), "")
            if word:
                many = word.endswith("s")
                found.append(NeededUnit(_UNITS[word], relative="earlier" if many else "previous"))
    return found
