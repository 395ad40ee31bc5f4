"""Which of the store's messages a summary is to stand for: by numbers, by ids, always whole turns."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.text import plain
from director_ctx.history.messages.turns import rounds
from director_ctx.history.sessions.transcript import as_message
from director_ctx.memory.conversations.messages import about_of, open_messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.memory.conversations.messages import Message as Kept
    from director_ctx.memory.store.store import Store


def selected(store: Store, select: str | None, ids: Sequence[str]) -> tuple[list[Kept], int]:
    """Those that are chosen and the rest of their turns; how many that rest is."""
    if select is not None and ids:
        raise UsageProblem("--select and --messages exclude each other.", "Use one of them.")
    found = fresh(store)
    if select is None and not ids:
        return found, 0
    chosen = _numbered(store, found, select) if select is not None else _named(found, ids)
    whole = _whole(found, {one.id for one in chosen})
    return whole, len(whole) - len(chosen)


def fresh(store: Store) -> list[Kept]:
    """What is not archived, and no summary."""
    return [one for one in open_messages(store) if not about_of(one.metadata).get("isCompressed")]


def _whole(fresh: Sequence[Kept], chosen: set[str]) -> list[Kept]:
    found: list[Kept] = []
    for row in rounds([as_message(one) for one in fresh]):
        turn = [fresh[place] for place in row]
        if any(one.id in chosen for one in turn):
            found += turn
    return found


def _named(fresh: Sequence[Kept], ids: Sequence[str]) -> list[Kept]:
    wanted = [name.strip() for given in ids for name in given.split(",") if name.strip()]
    if not wanted:
        raise UsageProblem("--messages names none.", "`dctx history show store --json` lists messages.")
    starts = tuple(wanted)
    found = {one.id: one for one in fresh if one.id.startswith(starts)}
    missing = [name for name in wanted if not any(one.startswith(name) for one in found)]
    if missing:
        raise DctxError(
            f"There is no message {plain(missing[0])} that could be compressed.",
            "`dctx history show store --json` lists messages; archived ones cannot be compressed again.",
        )
    return list(found.values())


def _numbered(store: Store, fresh: list[Kept], select: str) -> list[Kept]:
    """By their numbers, as `dctx history show store --json` has them: archived ones are counted too."""
    from director_ctx.memory.conversations.messages import all_messages

    wanted = _ranges(select)
    numbers = {one.id: number for number, one in enumerate(all_messages(store), 1)}
    found = [one for one in fresh if any(low <= numbers.get(one.id, 0) <= high for low, high in wanted)]
    if not found and fresh:
        low, high = numbers[fresh[0].id], numbers[fresh[-1].id]
        raise DctxError(
            f"--select {select}: no message there can be compressed.", f"Those that can are {low} to {high}."
        )
    return found


def _ranges(select: str) -> list[tuple[int, int]]:
    found = []
    for piece in select.split(","):
        low, dash, high = piece.strip().partition("-")
        if (
            not (low.isascii() and low.isdigit() and (not dash or (high.isascii() and high.isdigit())))
            or len(piece) > 20
        ):
            raise UsageProblem(f"--select {select}: {piece!r} is no range.", "Write numbers such as 1-20,25.")
        found.append((int(low), int(high) if dash else int(low)))
    return found
