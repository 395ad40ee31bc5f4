"""Which messages of the store a summary is to stand for: chosen by number or by id, in whole turns."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.text import plain
from director_ctx.history.messages.turns import rounds
from director_ctx.history.sessions.transcript import as_message
from director_ctx.memory.conversations.messages import about_of, all_messages, open_messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.memory.conversations.messages import StoredMessage
    from director_ctx.memory.store.store import Store


def select_messages(
    store: Store,
    select: str | None,
    ids: Sequence[str],
) -> tuple[list[StoredMessage], int]:
    """Those that are chosen and the rest of their turns; how many that rest is."""
    if select is not None and ids:
        raise UsageProblem("--select and --messages exclude each other.", "Use one of them.")
    fresh = fresh_messages(store)
    if select is not None:
        chosen = _by_number(store, fresh, select)
    elif ids:
        chosen = _by_id(fresh, ids)
    else:
        return fresh, 0
    chosen_ids = {message.id for message in chosen}
    whole = _whole_turns(fresh, chosen_ids)
    return whole, len(whole) - len(chosen)


def fresh_messages(store: Store) -> list[StoredMessage]:
    """What is not archived, and no summary."""
    fresh: list[StoredMessage] = []
    for message in open_messages(store):
        if not about_of(message.metadata).get("isCompressed"):
            fresh.append(message)
    return fresh


def _whole_turns(fresh: Sequence[StoredMessage], chosen: set[str]) -> list[StoredMessage]:
    """With the rest of their turns: no result of a tool is left without its call."""
    conversation = [as_message(message) for message in fresh]
    whole: list[StoredMessage] = []
    for places in rounds(conversation):
        turn = [fresh[place] for place in places]
        if any(message.id in chosen for message in turn):
            whole += turn
    return whole


def _by_id(fresh: Sequence[StoredMessage], ids: Sequence[str]) -> list[StoredMessage]:
    starts: list[str] = []
    for written in ids:
        for start in written.split(","):
            if start.strip():
                starts.append(start.strip())
    if not starts:
        raise UsageProblem(
            "--messages names no message.", "`dctx history show store --json` lists messages."
        )
    for start in starts:
        if not any(message.id.startswith(start) for message in fresh):
            raise DctxError(
                f"There is no message {plain(start)} that could be compressed.",
                "`dctx history show store --json` lists messages; archived ones cannot be compressed again.",
            )
    return [message for message in fresh if message.id.startswith(tuple(starts))]


def _by_number(
    store: Store,
    fresh: list[StoredMessage],
    select: str,
) -> list[StoredMessage]:
    """As `dctx history show store --json` has them: archived ones are counted too."""
    ranges = _ranges(select)
    numbers: dict[str, int] = {}
    for number, message in enumerate(all_messages(store), 1):
        numbers[message.id] = number
    chosen: list[StoredMessage] = []
    for message in fresh:
        number = numbers.get(message.id, 0)
        if any(low <= number <= high for low, high in ranges):
            chosen.append(message)
    if not chosen and fresh:
        low = numbers[fresh[0].id]
        high = numbers[fresh[-1].id]
        raise DctxError(
            f"--select {select}: no message there can be compressed.",
            f"Those that can are {low} to {high}.",
        )
    return chosen


def _ranges(select: str) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for piece in select.split(","):
        low, dash, high = piece.strip().partition("-")
        if not dash:
            high = low
        # Python itself refuses to read numbers of thousands of digits.
        if len(piece) > 20 or not _is_number(low) or not _is_number(high):
            raise UsageProblem(
                f"--select {select}: {piece!r} is no range.", "Write numbers such as 1-20,25."
            )
        ranges.append((int(low), int(high)))
    return ranges


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
