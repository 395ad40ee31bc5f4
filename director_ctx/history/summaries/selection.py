"""Which messages of the store a summary is to stand for: chosen by number, in whole turns."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.history.messages.turns import rounds
from director_ctx.history.sessions.transcript import as_message
from director_ctx.memory.conversations.messages import about_of, all_messages, open_messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.conversations.messages import StoredMessage
    from director_ctx.memory.store.store import Store


def select_messages(store: Store, select: str | None) -> tuple[list[StoredMessage], int]:
    """Those that are chosen and the rest of their turns; how many that rest is."""
    fresh = fresh_messages(store)
    if select is None:
        return fresh, 0
    chosen = _by_number(store, fresh, select)
    # No result of a tool is left without its call.
    whole: list[StoredMessage] = []
    for places in rounds([as_message(message) for message in fresh]):
        turn = [fresh[place] for place in places]
        if any(message.id in chosen for message in turn):
            whole += turn
    return whole, len(whole) - len(chosen)


def fresh_messages(store: Store) -> list[StoredMessage]:
    """What is not archived, and no summary."""
    every = open_messages(store)
    return [message for message in every if not about_of(message.metadata).get("isCompressed")]


def _by_number(store: Store, fresh: list[StoredMessage], select: str) -> set[str]:
    """As `dctx history show store --json` has them: archived ones are counted too."""
    ranges = [_range(piece, select) for piece in select.split(",")]
    numbers = {message.id: number for number, message in enumerate(all_messages(store), 1)}
    chosen = {
        message.id
        for message in fresh
        if any(low <= numbers.get(message.id, 0) <= high for low, high in ranges)
    }
    if not chosen and fresh:
        raise DctxError(
            f"--select {select}: no message there can be compressed.",
            f"Those that can are {numbers[fresh[0].id]} to {numbers[fresh[-1].id]}.",
        )
    return chosen


def _range(piece: str, select: str) -> tuple[int, int]:
    low, dash, high = piece.strip().partition("-")
    ends = (low, high if dash else low)
    # Python itself refuses to read numbers of thousands of digits.
    if len(piece) > 20 or not all(end.isascii() and end.isdigit() for end in ends):
        raise UsageProblem(
            f"--select {select}: {piece!r} is no range.", "Write numbers such as 1-20,25."
        )
    return int(ends[0]), int(ends[1])
