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
    made = _pruned(messages, aim)
    while size(again := _pruned(made, aim)) < size(made):
        made = again
    return made


def _pruned(messages: Sequence[Message], aim: Aim) -> list[Message]:
    rows = turns(messages)
    safe = protected(messages, aim, rows)
    stay = safe | summaries(messages)
    must = {number for number, row in enumerate(rows) if any(place in stay for place in row)}
    scores = _scores(messages, rows, aim.config)
    above = [
        number
        for number, score in enumerate(scores)
        if number not in must and score >= aim.config.importance_threshold
    ]
    above.sort(key=lambda number: (-scores[number], -number))
    made = _fitted(messages, rows, must, above, aim)
    return (
        merged(made, _unlike_others(messages, made, safe, aim.config), aim.count)
        if aim.config.merge_similar
        else made
    )


def _unlike_others(
    messages: Sequence[Message], made: Sequence[Message], safe: set[int], config: ContextConfig
) -> set[int]:
    """The places of what is not merged with its neighbours: what is protected, errors, changes of
    state.
    """
    whole, state = {id(messages[place]) for place in safe}, words(config)
    return {
        place
        for place, one in enumerate(made)
        if id(one) in whole
        or is_summary(one)
        or tells_error(one, config)
        or tells_state(one, state)
    }


def _scores(
    messages: Sequence[Message], rows: Sequence[range], config: ContextConfig
) -> list[float]:
    """Of every turn; those around an error matter as much as it does."""
    scorer = ImportanceScorer(config)
    last = len(rows) - 1
    scores = [
        scorer.of_turn([messages[place] for place in row], last - number)
        for number, row in enumerate(rows)
    ]
    if not config.preserve_errors:
        return scores
    near = _near_errors(messages, config)
    weight = config.importance_weights["error"]
    return [
        max(score, weight) if any(place in near for place in row) else score
        for score, row in zip(scores, rows, strict=True)
    ]


def _near_errors(messages: Sequence[Message], config: ContextConfig) -> set[int]:
    around = config.keep_error_context
    return {
        near
        for place, message in enumerate(messages)
        if tells_error(message, config)
        for near in range(max(0, place - around), min(len(messages), place + around + 1))
    }


def _fitted(
    messages: Sequence[Message], rows: Sequence[range], must: set[int], above: list[int], aim: Aim
) -> list[Message]:
    """With everything above the threshold; with a target, as much of it as there is room for."""
    sizes = [size(messages[row.start : row.stop]) for row in rows]
    room = None if aim.target is None else aim.target - sum(sizes[number] for number in must)
    made: list[Message] = []
    for _ in range(_TRIES):
        chosen = must | set(above if room is None else _first(above, sizes, room))
        made = without(messages, {place for number in chosen for place in rows[number]}, aim.count)
        over = 0 if aim.target is None else size(made) - aim.target
        if over <= 0 or room is None or room <= 0:
            break
        room -= over
    return made


def _first(above: Sequence[int], sizes: Sequence[int], room: int) -> list[int]:
    chosen = []
    for number in above:
        if sizes[number] <= room:
            room -= sizes[number]
            chosen.append(number)
    return chosen
