"""Which of the store's messages a summary is to stand for: by numbers, by ids, always whole turns."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.history.messages.message import measure
from director_ctx.history.messages.quoted import quoted
from director_ctx.history.messages.turns import rounds
from director_ctx.history.sessions.transcript import as_message, as_messages
from director_ctx.history.strategies.config import TARGET
from director_ctx.history.summaries.notes import open_errors
from director_ctx.history.summaries.summarize import EXTRACTIVE, Job, prompt_for, summarize
from director_ctx.history.summaries.summarizers import SECONDS
from director_ctx.memory.conversations import summaries as rows
from director_ctx.memory.conversations.messages import about_of, open_messages
from director_ctx.memory.conversations.summaries import Compression, New

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from director_ctx.history.messages.message import Message
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
        raise UsageProblem(
            "--messages names none.", "`dctx history show store --json` lists messages."
        )
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
    """By their numbers, as `dctx history show store --json` has them: archived ones are counted
    too.
    """
    from director_ctx.memory.conversations.messages import all_messages

    wanted = _ranges(select)
    numbers = {one.id: number for number, one in enumerate(all_messages(store), 1)}
    found = [
        one for one in fresh if any(low <= numbers.get(one.id, 0) <= high for low, high in wanted)
    ]
    if not found and fresh:
        low, high = numbers[fresh[0].id], numbers[fresh[-1].id]
        raise DctxError(
            f"--select {select}: no message there can be compressed.",
            f"Those that can are {low} to {high}.",
        )
    return found


def _ranges(select: str) -> list[tuple[int, int]]:
    found = []
    for piece in select.split(","):
        low, dash, high = piece.strip().partition("-")
        if (
            not (
                low.isascii()
                and low.isdigit()
                and (not dash or (high.isascii() and high.isdigit()))
            )
            or len(piece) > 20
        ):
            raise UsageProblem(
                f"--select {select}: {piece!r} is no range.", "Write numbers such as 1-20,25."
            )
        found.append((int(low), int(high) if dash else int(low)))
    return found


TOO_SOON = 5_000
"""Fewer tokens than this are better kept as they are."""
MOST_ERRORS = 3
"""So many that are open are named before a compression, the newest."""
MANUAL = "manual"
_SPOKEN = ("user", "human", "assistant", "ai", "director")


class NothingNew(DctxError):
    """There is no message since the last compression."""


class Way(Record):
    """How a summary is made."""

    count: Callable[[str], int]
    using: str = EXTRACTIVE
    target: int = TARGET
    seconds: float = SECONDS
    by: str = MANUAL
    parts: Callable[[], Mapping[str, str]] = dict
    """Parts 1 to 5 of a context as they are now, for whoever writes a summary from a prompt."""


class Planned(Record):
    """What a compression would take, and what it builds on."""

    kept: tuple[Kept, ...]
    messages: tuple[Message, ...]
    spoken: int
    """Messages of the user and the assistant, as the design counts them."""
    tokens: int
    earlier: tuple[Compression, ...]
    """The summaries that it takes up, oldest first."""
    newest: str | None
    """The newest summary of all."""
    warnings: tuple[str, ...]

    @property
    def previous(self) -> Compression | None:
        return self.earlier[-1] if self.earlier else None


def planned(
    store: Store, count: Callable[[str], int], select: str | None = None, ids: Sequence[str] = ()
) -> Planned:
    """Only messages that are not archived, and no summaries; those that are chosen, or all."""
    kept, added = selected(store, select, ids)
    plan = plan_of(store, kept, count)
    if not added:
        return plan
    more = "1 more message is" if added == 1 else f"{added:,} more messages are"
    return plan.replace(
        warnings=(
            f"A turn is never split, so {more} taken with those that you chose.",
            *plan.warnings,
        )
    )


def plan_of(store: Store, kept: Sequence[Kept], count: Callable[[str], int]) -> Planned:
    """Builds on whatever stands."""
    found, names = rows.compressions(store), rows.standing(store)
    earlier = [one for one in found if one.id in names]
    return _plan(store, kept, earlier, found[-1].id if found else None, count)


def plan_of_session(
    store: Store, kept: Sequence[Kept], own: set[str], count: Callable[[str], int]
) -> Planned:
    """Builds on the last summary of that session alone, whose messages are `own`."""
    last = last_of_session(store, own)
    return _plan(store, kept, [last] if last else [], None, count)


def last_of_session(store: Store, own: set[str]) -> Compression | None:
    found = (one for one in reversed(rows.compressions(store)) if one.created_by == rows.SESSION)
    return next((one for one in found if own.intersection(one.messages or ())), None)


def _plan(
    store: Store,
    kept: Sequence[Kept],
    earlier: Sequence[Compression],
    newest: str | None,
    count: Callable[[str], int],
) -> Planned:
    messages = tuple(as_messages(store, kept))
    if not messages:
        since = (
            f" since the compression of {earlier[-1].created_at[:16].replace('T', ' ')}"
            if earlier
            else " yet"
        )
        raise NothingNew(
            f"There is nothing to compress: the store has no messages{since}.",
            "`dctx history import` takes a client's session into the store.",
        )
    tokens = measure(messages, count)
    spoken = sum(one.role.casefold() in _SPOKEN for one in kept)
    warnings = _warnings(messages, tokens, joined(earlier))
    return Planned(tuple(kept), messages, spoken, tokens, tuple(earlier), newest, tuple(warnings))


def joined(earlier: Sequence[Compression]) -> str:
    return "\n\n".join(one.text.strip() for one in earlier)


def _warnings(messages: Sequence[Message], tokens: int, previous: str) -> list[str]:
    found = []
    if tokens < TOO_SOON:
        found.append(f"It is soon to compress: these are only {tokens:,} tokens.")
    wrong = open_errors(messages, previous)
    found += [f"An error is still open: {text}" for text in wrong[:MOST_ERRORS]]
    more = len(wrong) - MOST_ERRORS
    return [*found, f"So {'is' if more == 1 else 'are'} {more} more."] if more > 0 else found


def prompt_of(plan: Planned, way: Way) -> str:
    """What whoever writes the summary is given; an empty text where nobody is."""
    return "" if way.using == EXTRACTIVE else prompt_for(_job(plan, way))


def write_summary(plan: Planned, way: Way, prompt: str = "") -> str:
    """The summary. The earlier one is an input of its own. `prompt` is what it would be made from,
    if that is known.
    """
    return summarize(way.using, _job(plan, way), prompt)


def _job(plan: Planned, way: Way) -> Job:
    """Whoever reads notes by their headings is given those of others as quotes."""
    previous = _as_notes(plan.earlier) if way.using == EXTRACTIVE else joined(plan.earlier)
    return Job(plan.messages, previous, way.target, way.count, way.parts, way.seconds)


def _as_notes(earlier: Sequence[Compression]) -> str:
    texts = [
        one.text.strip() if one.summarizer == EXTRACTIVE else quoted(one.text.strip())
        for one in earlier
    ]
    return "\n\n".join(texts)


def stands_for(plan: Planned, count: Callable[[str], int]) -> int:
    """The tokens of what a summary replaces: the messages, and the summaries before it."""
    return plan.tokens + sum(count(one.text) for one in plan.earlier)


def keep(store: Store, plan: Planned, text: str, way: Way) -> Compression:
    """All of it in one transaction. Raises Overtaken where somebody else was faster."""
    new = New(
        text=text,
        count=plan.spoken,
        messages=tuple(one.id for one in plan.kept),
        previous=plan.previous.id if plan.previous else None,
        summarizer=way.using,
        tokens_in=stands_for(plan, way.count),
        tokens_out=way.count(text),
        created_by=way.by,
        newest=plan.newest,
    )
    return rows.keep(store, new)


def find(store: Store, start: str | None) -> Compression:
    """The summary whose id begins like this; the newest for none."""
    found = rows.compressions(store)
    named = [one for one in found if one.id.startswith(start)] if start else found[-1:]
    if len(named) == 1:
        return named[0]
    if named:
        raise DctxError(
            f"{plain(start or '')} is the start of {len(named)} summaries.", "Give more of the id."
        )
    what = f"There is no summary {plain(start)!r}." if start else "There is no summary yet."
    raise DctxError(what, "`dctx history compressions` lists those that there are.")


def undo(store: Store, start: str) -> tuple[Compression, int]:
    """Takes the newest summary back: its messages are open again. How many they are."""
    one = find(store, start)
    newest = rows.compressions(store)[-1]
    if newest.id != one.id:
        why = (
            "a newer one stands beside it"
            if one.id in rows.standing(store)
            else "newer ones build on it"
        )
        raise DctxError(
            f"Summary {one.id[:8]} cannot be undone: {why}.",
            f"Undo {newest.id[:8]} of {newest.created_at[:16].replace('T', ' ')} first.",
        )
    if one.messages is None:
        raise DctxError(
            f"Summary {one.id[:8]} cannot be undone: it does not say which messages it stands for.",
            "It was made by another program.",
        )
    return one, rows.take_back(store, one)
