"""Calls with their results: whoever is told of a call is told at once what came of it, and of no result without
its call; pure. Providers refuse anything else, and go on refusing it.
"""

from __future__ import annotations

from director_ctx.chat.reach import ANSWERED, CALLED, unanswered
from director_ctx.chat.rows import stub_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.memory.conversations.chat_records import ChatRow


def in_pairs(rows: Sequence[ChatRow], known: Sequence[ChatRow] = ()) -> list[ChatRow]:
    """Every call with a result directly behind it and its neighbours, a stub where nobody carried it out. `known` is
    what the provider has already: what it still waits for comes first.
    """
    waiting = unanswered(known)
    results = _results([*waiting, *rows])
    told = [results[number] for number in range(len(waiting))]

    calls: list[int] = []
    for number, row in enumerate(rows, len(waiting)):
        is_next_call = row.role == CALLED and calls and _is_beside(rows, number - len(waiting))
        if not is_next_call:
            told += [results[call] for call in calls]
            calls = []
        if row.role == ANSWERED:
            # It was told with its call, or nobody asked for it.
            continue
        told.append(row)
        if row.role == CALLED:
            calls.append(number)
    return told + [results[call] for call in calls]


def _is_beside(rows: Sequence[ChatRow], number: int) -> bool:
    """Whether a call is of the same answer as the one before it."""
    return rows[number - 1].response == rows[number].response


def _results(rows: Sequence[ChatRow]) -> dict[int, ChatRow]:
    """By the number of its call, what that was answered last before the same id is used again."""
    last_call: dict[str, int] = {}
    results: dict[int, ChatRow] = {}
    for number, row in enumerate(rows):
        if row.role == CALLED:
            last_call[row.call] = number
            results[number] = stub_row(row)
        elif row.role == ANSWERED and row.call in last_call:
            results[last_call[row.call]] = row
    return results
