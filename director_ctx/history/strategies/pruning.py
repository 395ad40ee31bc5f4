"""Turns by their importance: what is below the threshold goes, and with a target whatever matters
least.
"""

from __future__ import annotations

from director_ctx.history.digest.digest_message import digest_others, summaries
from director_ctx.history.messages.message import size
from director_ctx.history.messages.stubs import is_summary
from director_ctx.history.messages.turns import turns
from director_ctx.history.signals.importance import (
    ImportanceScorer,
    merge_similar,
    state_words,
    tells_error,
    tells_state,
)
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim
    from director_ctx.history.strategies.config import ContextConfig

_TRIES = 6
"""So often it is guessed how much room a digest of the others takes."""


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    """Until nothing more goes: what was merged makes room, and a digest takes some."""
    shorter = _pruned(messages, aim)
    while True:
        pruned_again = _pruned(shorter, aim)
        if size(pruned_again) >= size(shorter):
            return shorter
        shorter = pruned_again


def _pruned(messages: Sequence[Message], aim: Aim) -> list[Message]:
    rows = turns(messages)
    safe = protected(messages, aim, rows)
    stay = safe | summaries(messages)
    must = {turn for turn, row in enumerate(rows) if not stay.isdisjoint(row)}
    scores = _scores(messages, rows, aim.config)
    least = aim.config.importance_threshold
    above = [turn for turn, score in enumerate(scores) if turn not in must and score >= least]
    # The most important first; of two that matter as much, the later one.
    above.sort(key=lambda turn: (scores[turn], turn), reverse=True)

    left = _fitted(messages, rows, must, above, aim)
    if not aim.config.merge_similar:
        return left
    safe_messages = [messages[index] for index in safe]
    unlike = _unlike_neighbours(left, safe_messages, aim.config)
    return merge_similar(left, unlike, aim.count)


def _unlike_neighbours(
    left: Sequence[Message],
    safe: Sequence[Message],
    config: ContextConfig,
) -> set[int]:
    """The places of what is not merged with its neighbours: what is protected, errors, changes of
    state.
    """
    # By identity, as places are others by now; what was left alone is still the same object.
    safe_identities = set(map(id, safe))
    words = state_words(config)
    places: set[int] = set()
    for index, message in enumerate(left):
        stands_for_itself = id(message) in safe_identities or is_summary(message)
        if stands_for_itself or tells_error(message, config) or tells_state(message, words):
            places.add(index)
    return places


def _scores(
    messages: Sequence[Message],
    rows: Sequence[range],
    config: ContextConfig,
) -> list[float]:
    """Of every turn; those around an error matter as much as it does."""
    scorer = ImportanceScorer(config)
    scores: list[float] = []
    for turn, row in enumerate(rows):
        since = len(rows) - 1 - turn
        scores.append(scorer.of_turn(messages[row.start : row.stop], since))
    if not config.preserve_errors:
        return scores

    around = config.keep_error_context
    near: set[int] = set()
    for index, message in enumerate(messages):
        if tells_error(message, config):
            near.update(range(index - around, index + around + 1))
    weight = config.importance_weights["error"]
    for turn, row in enumerate(rows):
        if not near.isdisjoint(row):
            scores[turn] = max(scores[turn], weight)
    return scores


def _fitted(
    messages: Sequence[Message],
    rows: Sequence[range],
    must: set[int],
    above: list[int],
    aim: Aim,
) -> list[Message]:
    """With everything above the threshold; with a target, as much of it as there is room for."""
    if aim.target is None:
        return _with_turns(messages, rows, must.union(above), aim)

    sizes = [size(messages[row.start : row.stop]) for row in rows]
    room = aim.target - sum(sizes[turn] for turn in must)
    left: list[Message] = []
    for _ in range(_TRIES):
        important = _as_many_as_fit(above, sizes, room)
        left = _with_turns(messages, rows, must.union(important), aim)
        over = size(left) - aim.target
        if over <= 0 or room <= 0:
            break
        # The digest of the others takes some, too.
        room -= over
    return left


def _with_turns(
    messages: Sequence[Message],
    rows: Sequence[range],
    chosen: set[int],
    aim: Aim,
) -> list[Message]:
    stay = {index for turn in chosen for index in rows[turn]}
    return digest_others(messages, stay, aim.count)


def _as_many_as_fit(
    above: Sequence[int],
    sizes: Sequence[int],
    room: int,
) -> list[int]:
    """The most important turns that fit, one after the other; one that does not makes room for
    smaller ones.
    """
    chosen: list[int] = []
    for turn in above:
        if sizes[turn] <= room:
            room -= sizes[turn]
            chosen.append(turn)
    return chosen
