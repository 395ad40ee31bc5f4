"""OpenSpec's `tasks.md`: groups with their boxes, and what stands in a box."""

from __future__ import annotations

import re
from itertools import islice

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import (
    boxes_of_parts,
    dedented,
    is_titled,
    joined,
    nested,
)
from director_ctx.other_plans.model import Criterion, OtherTask
from director_ctx.other_plans.wording import item, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.formats.parts import TickBox

_GROUP = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,6}){0,5}[a-z]?)(?P<end>[.):]?)\s+")
_ID = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,6}){1,5})[.)]?\s+")
_WHOLE = re.compile(r"\d{1,6}[.)]\s+")
_VERIFY = re.compile(r"(?<![\w-])verify\b", re.IGNORECASE)
_AND = re.compile(r"(?:^|\s)(?:and|then|also)$", re.IGNORECASE)
_WORK = re.compile(r"verify(?:\s*,|\s+(?:and|or|their|his|her|its|your)\b)", re.IGNORECASE)
_CHECK = re.compile(r"`|\b(?:tests?|pass(?:es)?|that|it)\b", re.IGNORECASE)
MOST_CLAUSES = 20
"""Times that a task may say `verify` before nobody looks any more."""
_ENDS = (",", ";", ".", "(", "\u2013", "\u2014", "--", " -")


class TaskGroup(Record):
    """A heading of `tasks.md` with the boxes below it."""

    number: str
    name: str
    line: int
    boxes: tuple[TickBox, ...] = ()


class BoxText(Record):
    """What stands behind a box: its id, if it has one, and the words."""

    id: str
    words: str


class VerifiedText(Record):
    """What is to be done, and how it is verified, as far as the task says so."""

    task: str
    how: str = ""


def groups_of(text: str) -> list[TaskGroup]:
    """Every heading that has boxes right below it; what stands above all headings is a group, too."""
    groups: list[TaskGroup] = []
    above = ""
    for part, every in boxes_of_parts(text, in_code=True):
        own = tuple(box for box in every if not is_empty(box))
        number, name = _numbered(part.title, len(groups) + 1)
        if part.level <= 2:
            above = part.title
        elif above and not is_titled(above, "tasks"):
            _, above_name = _numbered(above, len(groups) + 1)
            name = f"{above_name}: {name}"
        if own:
            is_named = bool(part.title)
            groups.append(TaskGroup(number, name if is_named else "Tasks", part.line, own))
    return groups


def is_empty(box: TickBox) -> bool:
    return not box.text and not box.below


def _numbered(heading: str, position: int) -> tuple[str, str]:
    """`1. Models` is number 1; `404 page` has none, unless it is in the place of one."""
    match = _GROUP.match(heading)
    if match is None:
        return "", heading
    number = match["number"]
    if number.isdecimal() and not match["end"] and number != str(position):
        return "", heading
    return number, heading[match.end() :]


def tasks_of(group: TaskGroup, change: str, key: str, path: str) -> Iterator[OtherTask]:
    """The outer boxes; those inside them are how one sees that the outer one is done."""
    for index, (box, inner) in enumerate(nested(group.boxes), 1):
        said = _said(box.text, group.number)
        own_key = f"{change}/{said.id}" if said.id else f"{key}/{index}"
        yield OtherTask(
            key=own_key,
            name=_name(said.words),
            path=path,
            line=box.line,
            text=joined(said.words, dedented(box.below)),
            criteria=tuple(_criteria(said, inner, group.number)),
            done=box.ticked,
            begun=box.begun,
            id=said.id,
        )


def open_inside(text: str, line: int) -> list[int]:
    """The lines of the boxes inside the one in this line that are not ticked; OpenSpec counts each."""
    for _, own in boxes_of_parts(text, in_code=True):
        for box, inner in nested(own):
            if box.line == line:
                return [each.line for each in inner if not each.ticked]
    return []


def _said(text: str, above: str) -> BoxText:
    """Without its id. `2.5 seconds at most` in group 1 begins with an amount, and not with an id."""
    match = _ID.match(text)
    if match and _is_below(match["number"], above):
        return BoxText(match["number"], text[match.end() :])
    whole = _WHOLE.match(text)
    return BoxText("", text[whole.end() :] if whole else text)


def _is_below(number: str, above: str) -> bool:
    """Whether an id may stand below a group or box of that number: 1.2 below 1, and 1.2.1 below 1.2."""
    if "." in above:
        return number.startswith(f"{above}.")
    whole, _, _ = number.partition(".")
    return not above or whole == above.rstrip("abcdefghijklmnopqrstuvwxyz")


def _criteria(task: BoxText, inner: Sequence[TickBox], group: str) -> Iterator[Criterion]:
    """How the task itself says that it is verified, and the boxes inside it."""
    how = _verified(task.words).how
    if how:
        yield Criterion(how)

    for box in inner:
        said = _said(box.text, task.id or group)
        yield Criterion(item(f"{said.words}\n{dedented(box.below)}", most=2000), box.ticked)


def _name(text: str) -> str:
    return title(_verified(text).task).rstrip(" ,;:")


def _verified(text: str) -> VerifiedText:
    """`Read the file and verify that it is whole`; a `Verify e-mail` button is what is to be done."""
    for match in islice(_VERIFY.finditer(text), MOST_CLAUSES):
        head = text[: match.start()].rstrip(" *_")
        behind = text[match.start() :].replace("**", "")
        task = _without_and(head)
        if _is_quoted(head) or not _begins_a_check(head, task, behind):
            continue
        rest = ""
        if head.endswith("("):
            behind, _, rest = behind.rpartition(")") if ")" in behind else (behind, "", "")
        return VerifiedText(f"{task} {rest.strip()}".strip(), behind.strip())
    return VerifiedText(text)


def _without_and(head: str) -> str:
    bare = head.rstrip(" ,;:.(-\u2013\u2014")
    without = _AND.sub("", bare).rstrip(" ,;:.(-\u2013\u2014")
    return without or bare


def _is_quoted(head: str) -> bool:
    return any(head.count(mark) % 2 for mark in ('"', "`")) or head.count("\u201c") > head.count(
        "\u201d"
    )


def _begins_a_check(head: str, task: str, behind: str) -> bool:
    """`Sign and verify tokens` is one thing to do, as `Users verify their address` is."""
    if not any(map(str.isalnum, task)) or _WORK.match(behind):
        return False
    is_and = bool(_AND.search(head))
    if not is_and and not head.endswith(_ENDS):
        return False
    says_more = len(task.split()) > 2 or bool(_CHECK.search(behind))
    return says_more or not (is_and or head.endswith(","))
