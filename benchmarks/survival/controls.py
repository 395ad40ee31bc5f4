"""Does the judge judge? Items of other runs must hardly be found, and planted ones must not be
lost.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.survival.items import ID, NAME, PATH, Item
from benchmarks.survival.judge import LOST, RETAINED, Output
from benchmarks.survival.methods import hybrid
from benchmarks.survival.reading import RESULT, is_native, pieces
from benchmarks.survival.targets import Target
from benchmarks.survival.trial import case as cut
from benchmarks.survival.trial import fits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.survival.methods import Method
    from benchmarks.survival.reading import Chat
    from benchmarks.survival.trial import Case

EACH = 3
_SIGNS = "bcdfghjklmnpqrstvwxz"


class Planted(NamedTuple):
    """What became of canaries in one run."""

    retained: int
    lost: int
    all: int


def strangers(case: Case, others: Sequence[Case], method: Method, ratio: float) -> tuple[int, int]:
    """Items of runs in other repositories: how many of them the output has, and how many were
    looked for.
    """
    output = Output(
        case.conversation.messages, method(case.conversation.messages, int(ratio * case.tokens))
    )
    away = {
        target.item
        for one in others
        if one.run.repository != case.run.repository
        for target in one.moment.targets
    }
    return sum(output.holds(item) for item in away), len(away)


def sentence(kind: str, cases: Sequence[Case], ratio: float, step: int = 3) -> str:
    """Both controls on some of the cases, in words."""
    fair = [case for case in cases if fits(case, ratio)][::step]
    away = [strangers(case, cases, _method(case), ratio) for case in fair]
    found, asked = sum(one for one, _ in away), sum(all_of for _, all_of in away)
    birds = [one for case in fair if (one := planted(case, _method(case), ratio))]
    kept, gone, all_of = (
        (sum(column) for column in zip(*birds, strict=True)) if birds else (0, 0, 0)
    )
    chance = (
        f"of {asked:,} items of runs elsewhere {found / asked:.2%} are there by chance; "
        if asked
        else ""
    )
    saved = f"{kept} were retained, {all_of - kept - gone} recoverable, {gone} lost"
    return f"{kind}, controls at {ratio:.0%}: {chance}of {all_of} planted items {saved}."


def _method(case: Case) -> Method:
    return lambda messages, target: hybrid(messages, target, case.conversation.native)


def planted(case: Case, method: Method, ratio: float) -> Planted | None:
    """A line with a random path, id and name in each of a few early results."""
    random = Random(f"{case.run.name} {case.moment.length}")
    chat, items = _with_canaries(case.run.chat[: case.moment.length], random)
    found = cut(case.run._replace(chat=chat), len(chat)) if items else None
    if found is None:
        return None
    messages = found.conversation.messages
    output = Output(messages, method(messages, int(ratio * found.tokens)))
    verdicts = [output.verdict(_target(item, found.moment.lines.holding(item))) for item in items]
    return Planted(verdicts.count(RETAINED), verdicts.count(LOST), len(verdicts))


def _target(item: Item, lines: Sequence[str]) -> Target:
    return Target(item, tuple(lines), lines[-1] if lines else "", False)


def _with_canaries(chat: Chat, random: Random) -> tuple[Chat, list[Item]]:
    native = is_native(chat)
    seen = [
        n
        for n, one in enumerate(chat)
        if any(piece.kind == RESULT for piece in pieces(one, native))
    ]
    places = random.sample(seen[: len(seen) * 2 // 3], min(EACH, len(seen) * 2 // 3))
    made, items = list(chat), []
    for place in places:
        path, name, code = (_word(random, 8) for _ in range(3))
        file, code = f"/srv/{path}/{path}.conf", f"{code}_{random.randrange(10**6, 10**7)}"
        items += [Item(PATH, file), Item(NAME, f"load_{name}"), Item(ID, code)]
        lines = str(chat[place]["content"]).split("\n")
        lines.insert(random.randrange(len(lines) + 1), f"load_{name} read {file} for {code}")
        made[place] = {**chat[place], "content": "\n".join(lines)}
    return made, items


def _word(random: Random, length: int) -> str:
    return "".join(random.choice(_SIGNS) for _ in range(length))
