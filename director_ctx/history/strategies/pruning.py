"""Turns by their importance: what is below the threshold goes, and with a target whatever matters
least.
"""

from __future__ import annotations

from director_ctx.history.digest.digest_message import summaries, without
from director_ctx.history.messages.message import size
from director_ctx.history.messages.stubs import is_summary
from director_ctx.history.messages.turns import turns
from director_ctx.history.signals.importance import (
    ImportanceScorer,
    merged,
    tells_error,
    tells_state,
    words,
)
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim
    from director_ctx.history.strategies.config import ContextConfig

_TRIES = 6


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    """Until nothing more goes: what was merged makes room, and a digest takes some."""
    shorter = _pruned(messages, aim)
    while True:
        again = _pruned(shorter, aim)
        if size(again) >= size(shorter):
            return shorter
        shorter = again


def _pruned(messages: Sequence[Message], aim: Aim) -> list[Message]:
    rows = turns(messages)
    safe = protected(messages, aim, rows)
    stay = safe | summaries(messages)
    must = {turn for turn, row in enumerate(rows) if not stay.isdisjoint(row)}
    scores = _scores(messages, rows, aim.config)

    above: list[int] = []
    for turn, score in enumerate(scores):
        if turn not in must and score >= aim.config.importance_threshold:
            above.append(turn)
    above.sort(key=lambda turn: (-scores[turn], -turn))

    left = _fitted(messages, rows, must, above, aim)
    if not aim.config.merge_similar:
        return left
    return merged(left, _unlike_others(messages, left, safe, aim.config), aim.count)


def _unlike_others(
    messages: Sequence[Message], left: Sequence[Message], safe: set[int], config: ContextConfig
) -> set[int]:
    """The places of what is not merged with its neighbours: what is protected, errors, changes of
    state.
    """
    whole = {id(messages[index]) for index in safe}
    state = words(config)

    def is_unlike(message: Message) -> bool:
        if id(message) in whole or is_summary(message):
            return True
        return tells_error(message, config) or tells_state(message, state)

    return {index for index, message in enumerate(left) if is_unlike(message)}


def _scores(
    messages: Sequence[Message], rows: Sequence[range], config: ContextConfig
) -> list[float]:
    """Of every turn; those around an error matter as much as it does."""
    scorer = ImportanceScorer(config)
    last = len(rows) - 1
    scores: list[float] = []
    for turn, row in enumerate(rows):
        own = [messages[index] for index in row]
        scores.append(scorer.of_turn(own, last - turn))
    if not config.preserve_errors:
        return scores

    near = _near_errors(messages, config)
    weight = config.importance_weights["error"]
    for turn, row in enumerate(rows):
        if not near.isdisjoint(row):
            scores[turn] = max(scores[turn], weight)
    return scores


def _near_errors(messages: Sequence[Message], config: ContextConfig) -> set[int]:
    around = config.keep_error_context
    near: set[int] = set()
    for index, message in enumerate(messages):
        if tells_error(message, config):
            near.update(range(max(0, index - around), min(len(messages), index + around + 1)))
    return near


def _fitted(
    messages: Sequence[Message], rows: Sequence[range], must: set[int], above: list[int], aim: Aim
) -> list[Message]:
    """With everything above the threshold; with a target, as much of it as there is room for."""
    if aim.target is None:
        return _with_turns(messages, rows, must.union(above), aim)

    sizes = [size(messages[row.start : row.stop]) for row in rows]
    room = aim.target - sum(sizes[turn] for turn in must)
    left: list[Message] = []
    for _ in range(_TRIES):
        chosen = must.union(_first(above, sizes, room))
        left = _with_turns(messages, rows, chosen, aim)
        over = size(left) - aim.target
        if over <= 0 or room <= 0:
            break
        room -= over  # the digest of the others takes some, too
    return left


def _with_turns(
    messages: Sequence[Message], rows: Sequence[range], chosen: set[int], aim: Aim
) -> list[Message]:
    stay = {index for turn in chosen for index in rows[turn]}
    return without(messages, stay, aim.count)


def _first(above: Sequence[int], sizes: Sequence[int], room: int) -> list[int]:
    """The most important turns that fit, one after the other."""
    chosen = []
    for turn in above:
        if sizes[turn] <= room:
            room -= sizes[turn]
            chosen.append(turn)
    return chosen
