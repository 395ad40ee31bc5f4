"""A summary in the place of the store's messages: which are chosen, what would be compressed, doing
it, undoing it.
"""

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
from director_ctx.history.summaries.summarize import EXTRACTIVE, SummaryJob, prompt_for, summarize
from director_ctx.history.summaries.summarizers import SECONDS
from director_ctx.memory.conversations import summaries as rows
from director_ctx.memory.conversations.messages import about_of, open_messages
from director_ctx.memory.conversations.summaries import Compression, NewSummary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.memory.conversations.messages import StoredMessage as Kept
    from director_ctx.memory.store.store import Store


def selected(store: Store, select: str | None, ids: Sequence[str]) -> tuple[list[Kept], int]:
    """Those that are chosen and the rest of their turns; how many that rest is."""
    if select is not None and ids:
        raise UsageProblem("--select and --messages exclude each other.", "Use one of them.")
    every = fresh(store)
    if select is not None:
        chosen = _numbered(store, every, select)
    elif ids:
        chosen = _named(every, ids)
    else:
        return every, 0
    whole = _whole(every, {message.id for message in chosen})
    return whole, len(whole) - len(chosen)


def fresh(store: Store) -> list[Kept]:
    """What is not archived, and no summary."""
    every = open_messages(store)
    return [kept for kept in every if not about_of(kept.metadata).get("isCompressed")]


def _whole(fresh: Sequence[Kept], chosen: set[str]) -> list[Kept]:
    """With the rest of their turns."""
    whole: list[Kept] = []
    for row in rounds([as_message(kept) for kept in fresh]):
        turn = [fresh[index] for index in row]
        if any(kept.id in chosen for kept in turn):
            whole += turn
    return whole


def _named(fresh: Sequence[Kept], ids: Sequence[str]) -> list[Kept]:
    wanted: list[str] = []
    for given in ids:
        wanted += filter(None, map(str.strip, given.split(",")))
    if not wanted:
        raise UsageProblem(
            "--messages names none.", "`dctx history show store --json` lists messages."
        )
    starts = tuple(wanted)
    named = {kept.id: kept for kept in fresh if kept.id.startswith(starts)}
    for start in wanted:
        if not any(identity.startswith(start) for identity in named):
            raise DctxError(
                f"There is no message {plain(start)} that could be compressed.",
                "`dctx history show store --json` lists messages; archived ones cannot be compressed again.",
            )
    return list(named.values())


def _numbered(store: Store, fresh: list[Kept], select: str) -> list[Kept]:
    """By their numbers, as `dctx history show store --json` has them: archived ones are counted
    too.
    """
    from director_ctx.memory.conversations.messages import all_messages

    ranges = _ranges(select)
    numbers = {kept.id: number for number, kept in enumerate(all_messages(store), 1)}
    chosen: list[Kept] = []
    for kept in fresh:
        number = numbers.get(kept.id, 0)
        if any(low <= number <= high for low, high in ranges):
            chosen.append(kept)
    if not chosen and fresh:
        low, high = numbers[fresh[0].id], numbers[fresh[-1].id]
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
        if len(piece) > 20 or not _is_number(low) or not _is_number(high):
            raise UsageProblem(
                f"--select {select}: {piece!r} is no range.", "Write numbers such as 1-20,25."
            )
        ranges.append((int(low), int(high)))
    return ranges


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


TOO_SOON = 5_000
"""Fewer tokens than this are better kept as they are."""
MOST_ERRORS = 3
"""So many that are open are named before a compression, the newest."""
MANUAL = "manual"
_SPOKEN = ("user", "human", "assistant", "ai", "director")


class NothingNew(DctxError):
    """There is no message since the last compression."""


class SummaryWay(Record):
    """How a summary is made."""

    count: Callable[[str], int]
    using: str = EXTRACTIVE
    target: int = TARGET
    seconds: float = SECONDS
    by: str = MANUAL
    parts: Callable[[], Mapping[str, str]] = dict
    """Parts 1 to 5 of a context as they are now, for whoever writes a summary from a prompt."""


class SummaryPlan(Record):
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
) -> SummaryPlan:
    """Only messages that are not archived, and no summaries; those that are chosen, or all."""
    kept, added = selected(store, select, ids)
    plan = plan_of(store, kept, count)
    if not added:
        return plan
    more = "1 more message is" if added == 1 else f"{added:,} more messages are"
    warning = f"A turn is never split, so {more} taken with those that you chose."
    return plan.replace(warnings=(warning, *plan.warnings))


def plan_of(store: Store, kept: Sequence[Kept], count: Callable[[str], int]) -> SummaryPlan:
    """Builds on whatever stands."""
    summaries = rows.compressions(store)
    standing = rows.standing(store)
    earlier = [summary for summary in summaries if summary.id in standing]
    newest = summaries[-1].id if summaries else None
    return _plan(store, kept, earlier, newest, count)


def plan_of_session(
    store: Store, kept: Sequence[Kept], own: set[str], count: Callable[[str], int]
) -> SummaryPlan:
    """Builds on the last summary of that session alone, whose messages are `own`."""
    last = last_of_session(store, own)
    return _plan(store, kept, [last] if last else [], None, count)


def last_of_session(store: Store, own: set[str]) -> Compression | None:
    for summary in reversed(rows.compressions(store)):
        if summary.created_by == rows.SESSION and own.intersection(summary.messages or ()):
            return summary
    return None


def _plan(
    store: Store,
    kept: Sequence[Kept],
    earlier: Sequence[Compression],
    newest: str | None,
    count: Callable[[str], int],
) -> SummaryPlan:
    messages = tuple(as_messages(store, kept))
    if not messages:
        since = "yet"
        if earlier:
            since = f"since the compression of {_minute(earlier[-1])}"
        raise NothingNew(
            f"There is nothing to compress: the store has no messages {since}.",
            "`dctx history import` takes a client's session into the store.",
        )
    tokens = measure(messages, count)
    spoken = sum(message.role.casefold() in _SPOKEN for message in kept)
    warnings = _warnings(messages, tokens, joined(earlier))
    return SummaryPlan(
        tuple(kept), messages, spoken, tokens, tuple(earlier), newest, tuple(warnings)
    )


def _minute(summary: Compression) -> str:
    """When it was made, as people are told."""
    return summary.created_at[:16].replace("T", " ")


def joined(earlier: Sequence[Compression]) -> str:
    return "\n\n".join(summary.text.strip() for summary in earlier)


def _warnings(messages: Sequence[Message], tokens: int, previous: str) -> list[str]:
    warnings: list[str] = []
    if tokens < TOO_SOON:
        warnings.append(f"It is soon to compress: these are only {tokens:,} tokens.")
    errors = open_errors(messages, previous)
    for error in errors[:MOST_ERRORS]:
        warnings.append(f"An error is still open: {error}")
    more = len(errors) - MOST_ERRORS
    if more == 1:
        warnings.append("So is 1 more.")
    elif more > 1:
        warnings.append(f"So are {more} more.")
    return warnings


def prompt_of(plan: SummaryPlan, way: SummaryWay) -> str:
    """What whoever writes the summary is given; an empty text where nobody is."""
    return "" if way.using == EXTRACTIVE else prompt_for(_job(plan, way))


def write_summary(plan: SummaryPlan, way: SummaryWay, prompt: str = "") -> str:
    """The summary. The earlier one is an input of its own. `prompt` is what it would be made from,
    if that is known.
    """
    return summarize(way.using, _job(plan, way), prompt)


def _job(plan: SummaryPlan, way: SummaryWay) -> SummaryJob:
    """Whoever reads notes by their headings is given those of others as quotes."""
    previous = _as_notes(plan.earlier) if way.using == EXTRACTIVE else joined(plan.earlier)
    return SummaryJob(plan.messages, previous, way.target, way.count, way.parts, way.seconds)


def _as_notes(earlier: Sequence[Compression]) -> str:
    texts: list[str] = []
    for summary in earlier:
        text = summary.text.strip()
        texts.append(text if summary.summarizer == EXTRACTIVE else quoted(text))
    return "\n\n".join(texts)


def stands_for(plan: SummaryPlan, count: Callable[[str], int]) -> int:
    """The tokens of what a summary replaces: the messages, and the summaries before it."""
    return plan.tokens + sum(count(one.text) for one in plan.earlier)


def keep(store: Store, plan: SummaryPlan, text: str, way: SummaryWay) -> Compression:
    """All of it in one transaction. Raises Overtaken where somebody else was faster."""
    new = NewSummary(
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
    summaries = rows.compressions(store)
    if not start:
        if summaries:
            return summaries[-1]
        raise _no_summary("There is no summary yet.")
    named = [summary for summary in summaries if summary.id.startswith(start)]
    if len(named) > 1:
        raise DctxError(
            f"{plain(start)} is the start of {len(named)} summaries.", "Give more of the id."
        )
    if not named:
        raise _no_summary(f"There is no summary {plain(start)!r}.")
    return named[0]


def _no_summary(what: str) -> DctxError:
    return DctxError(what, "`dctx history compressions` lists those that there are.")


def undo(store: Store, start: str) -> tuple[Compression, int]:
    """Takes the newest summary back: its messages are open again. How many they are."""
    summary = find(store, start)
    newest = rows.compressions(store)[-1]
    if newest.id != summary.id:
        why = "newer ones build on it"
        if summary.id in rows.standing(store):
            why = "a newer one stands beside it"
        raise DctxError(
            f"Summary {summary.id[:8]} cannot be undone: {why}.",
            f"Undo {newest.id[:8]} of {_minute(newest)} first.",
        )
    if summary.messages is None:
        raise DctxError(
            f"Summary {summary.id[:8]} cannot be undone: it does not say which messages it stands for.",
            "It was made by another program.",
        )
    return summary, rows.take_back(store, summary)
