"""A summary in the place of the store's messages: what would be compressed, doing it, undoing it."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.history.messages.message import measure
from director_ctx.history.messages.quoted import quoted
from director_ctx.history.sessions.transcript import as_messages
from director_ctx.history.strategies.config import TARGET
from director_ctx.history.summaries.notes import open_errors
from director_ctx.history.summaries.selection import select_messages
from director_ctx.history.summaries.summarize import EXTRACTIVE, SummaryJob, prompt_for, summarize
from director_ctx.memory.conversations import summaries as stored_summaries
from director_ctx.memory.conversations.summaries import Compression, NewSummary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from director_ctx.history.messages.message import Count, Message
    from director_ctx.memory.conversations.messages import StoredMessage
    from director_ctx.memory.store.store import Store


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

    count: Count
    using: str = EXTRACTIVE
    target: int = TARGET
    by: str = MANUAL
    parts: Callable[[], Mapping[str, str]] = dict
    """Parts 1 to 5 of a context as they are now, for whoever writes a summary from a prompt."""


class SummaryPlan(Record):
    """What a compression would take, and what it builds on."""

    kept: tuple[StoredMessage, ...]
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
    store: Store,
    count: Count,
    select: str | None = None,
) -> SummaryPlan:
    """Only messages that are not archived, and no summaries; those that are chosen, or all."""
    chosen, added = select_messages(store, select)
    plan = plan_of(store, chosen, count)
    if not added:
        return plan
    more = "1 more message is" if added == 1 else f"{added:,} more messages are"
    warning = f"A turn is never split, so {more} taken with those that you chose."
    return plan.replace(warnings=(warning, *plan.warnings))


def plan_of(
    store: Store,
    kept: Sequence[StoredMessage],
    count: Count,
) -> SummaryPlan:
    """Builds on whatever stands."""
    summaries = stored_summaries.compressions(store)
    standing = stored_summaries.standing(store)
    earlier = [summary for summary in summaries if summary.id in standing]
    newest = summaries[-1].id if summaries else None
    return _plan(store, kept, earlier, newest, count)


def plan_of_session(
    store: Store,
    kept: Sequence[StoredMessage],
    own: set[str],
    count: Count,
) -> SummaryPlan:
    """Builds on the last summary of that session alone, whose messages are `own`."""
    # Several sessions compact beside one another: built on the newest summary of all, a session
    # would be told of what another one was asked.
    last = last_of_session(store, own)
    return _plan(store, kept, [last] if last else [], None, count)


def last_of_session(store: Store, own: set[str]) -> Compression | None:
    for summary in reversed(stored_summaries.compressions(store)):
        is_of_one = summary.created_by == stored_summaries.SESSION
        if is_of_one and own.intersection(summary.messages or ()):
            return summary
    return None


def _plan(
    store: Store,
    kept: Sequence[StoredMessage],
    earlier: Sequence[Compression],
    newest: str | None,
    count: Count,
) -> SummaryPlan:
    messages = tuple(as_messages(store, kept))
    if not messages:
        since = f"since the summary of {_minute(earlier[-1])}" if earlier else "yet"
        raise NothingNew(
            f"There is nothing to sum up: the store has no messages {since}.",
            "`dctx history import` takes a client's session into the store.",
        )
    tokens = measure(messages, count)
    warnings = _warnings(messages, tokens, joined(earlier))
    return SummaryPlan(
        kept=tuple(kept),
        messages=messages,
        spoken=sum(message.role.casefold() in _SPOKEN for message in kept),
        tokens=tokens,
        earlier=tuple(earlier),
        newest=newest,
        warnings=tuple(warnings),
    )


def _minute(summary: Compression) -> str:
    """When it was made, as people are told."""
    return summary.created_at[:16].replace("T", " ")


def joined(earlier: Sequence[Compression]) -> str:
    return "\n\n".join(summary.text.strip() for summary in earlier)


def _warnings(
    messages: Sequence[Message],
    tokens: int,
    previous: str,
) -> list[str]:
    warnings: list[str] = []
    if tokens < TOO_SOON:
        warnings.append(f"It is soon to compress: these are only {tokens:,} tokens.")
    errors = open_errors(messages, previous)
    warnings += [f"An error is still open: {error}" for error in errors[:MOST_ERRORS]]
    more = len(errors) - MOST_ERRORS
    if more > 0:
        warnings.append("So is 1 more." if more == 1 else f"So are {more} more.")
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
    previous = joined(plan.earlier)
    if way.using == EXTRACTIVE:
        # It reads notes by their headings, and is given those of others as quotes.
        texts = ((summary.text.strip(), summary.summarizer) for summary in plan.earlier)
        own = (text if by == EXTRACTIVE else quoted(text) for text, by in texts)
        previous = "\n\n".join(own)
    return SummaryJob(
        messages=plan.messages,
        previous=previous,
        target=way.target,
        count=way.count,
        parts=way.parts,
    )


def stands_for(plan: SummaryPlan, count: Count) -> int:
    """The tokens of what a summary replaces: the messages, and the summaries before it."""
    return plan.tokens + sum(count(summary.text) for summary in plan.earlier)


def keep(
    store: Store,
    plan: SummaryPlan,
    text: str,
    way: SummaryWay,
) -> Compression:
    """All of it in one transaction. Raises Overtaken where somebody else was faster."""
    new = NewSummary(
        text=text,
        count=plan.spoken,
        messages=tuple(message.id for message in plan.kept),
        previous=plan.previous.id if plan.previous else None,
        summarizer=way.using,
        tokens_in=stands_for(plan, way.count),
        tokens_out=way.count(text),
        created_by=way.by,
        newest=plan.newest,
    )
    return stored_summaries.keep(store, new)


def find(store: Store, start: str) -> Compression | None:
    """The summary whose id begins like this."""
    named = [one for one in stored_summaries.compressions(store) if one.id.startswith(start)]
    if len(named) > 1:
        raise DctxError(
            f"{plain(start)} is the start of {len(named)} summaries.", "Give more of the id."
        )
    return named[0] if named else None


def undo(store: Store, start: str) -> tuple[Compression, int]:
    """Takes the newest summary back: its messages are open again. How many they are."""
    summary = find(store, start)
    if summary is None:
        raise DctxError(
            f"There is no summary {plain(start)!r}.",
            "`dctx history list --summaries` lists every summary.",
        )
    newest = stored_summaries.compressions(store)[-1]
    if newest.id != summary.id:
        is_beside = summary.id in stored_summaries.standing(store)
        why = "a newer one stands beside it" if is_beside else "newer ones build on it"
        raise DctxError(
            f"Summary {summary.id[:8]} cannot be undone: {why}.",
            f"Undo {newest.id[:8]} of {_minute(newest)} first.",
        )
    if summary.messages is None:
        raise DctxError(
            f"Summary {summary.id[:8]} cannot be undone: it does not say which messages it stands for.",
            "Another program made this summary.",
        )
    return summary, stored_summaries.take_back(store, summary)
