"""What is asked next, out of how a chat stands, and how large it would be; pure."""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.chat.excerpt import excerpt
from director_ctx.chat.exchange import Asked
from director_ctx.chat.items import from_compaction, items_of, message, without_compactions
from director_ctx.chat.job import CLEAR, COMPACT
from director_ctx.chat.pairs import in_pairs
from director_ctx.chat.reach import IN_INPUT, IN_INSTRUCTIONS, known, news, verbatim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.exchange import Item
    from director_ctx.chat.job import TurnJob
    from director_ctx.chat.reach import ChatStanding

ANSWER = 4_000
"""Tokens that are left free for an answer, where that much is there."""
LEAST_FOR = {CLEAR: 0, COMPACT: 50_000}
"""Tokens, below which Anthropic does nothing."""
SUMMARY_SHARE = 8
"""One in so many parts of the limit is for a summary."""
CHARACTERS = 4
"""Of a token, about."""
_SUMMARY = "What was said before, in short:\n\n{summary}"
_ALL_OF_IT = 'All of it: original {{"locator":"{locator}"}}'


def asked(standing: ChatStanding, job: TurnJob, may_call: bool = True) -> Asked:
    """The next request: only what is new, where the provider has the rest; else everything."""
    keeps = job.keeps and standing.keeps
    is_kept = keeps and standing.response is not None
    return Asked(
        model=job.model,
        instructions=instructions(standing, job),
        items=tuple(_items(standing, job, is_kept)),
        tools=job.tools,
        previous=standing.response if is_kept else None,
        store=keeps,
        background=job.background,
        may_call=may_call,
        editing=job.editing,
        editing_from=max(LEAST_FOR[job.editing], job.limit // 2) if job.editing else 0,
        checks_cache=job.checks_cache,
        compared=standing.response if job.checks_cache else None,
    )


def _items(standing: ChatStanding, job: TurnJob, is_kept: bool) -> list[Item]:
    items: list[Item] = []
    reach = standing.reach
    if not is_kept and reach.since and reach.told_in == IN_INPUT:
        items.append(message(summary_text(standing, job)))
    if reach.context:
        items.append(message(job.context()))

    if is_kept:
        new = in_pairs(without_compactions(news(standing)), known(standing))
        return items + items_of(new)
    rows = verbatim(standing)
    if job.editing == COMPACT:
        rows = from_compaction(rows)
    else:
        rows = without_compactions(rows)
    return items + items_of(in_pairs(rows), reach.short, standing.thoughts)


def instructions(standing: ChatStanding, job: TurnJob) -> str:
    """They are not inherited from one answer to the next, so they go along each time."""
    reach = standing.reach
    if not reach.since or reach.told_in != IN_INSTRUCTIONS:
        return job.instructions
    told = summary_text(standing, job)
    if not reach.told_for:
        told = _pointer(standing)
    return f"{job.instructions}\n\n{told}".strip()


def summary_text(standing: ChatStanding, job: TurnJob) -> str:
    told = _SUMMARY.format(summary=summary_of(standing, job))
    if standing.reach.before:
        told += f"\n\n{_pointer(standing)}"
    return told


def summary_of(standing: ChatStanding, job: TurnJob) -> str:
    """Nobody has to go without: of what cannot be summed up the beginning of each message is told."""
    if standing.summary or not standing.reach.since:
        return standing.summary
    characters = job.limit // SUMMARY_SHARE * CHARACTERS
    return excerpt(standing, characters)


def _pointer(standing: ChatStanding) -> str:
    """Where everything is that was said before."""
    if not standing.reach.before:
        return ""
    return _ALL_OF_IT.format(locator=standing.reach.before)


def size(request: Asked, standing: ChatStanding, job: TurnJob) -> int:
    """Tokens of a request with all that it stands on: the provider's own number, and ours for what is new."""
    items = dump(list(request.items))
    written = job.count(items)
    if request.previous:
        return standing.tokens + written
    tools = dump(list(request.tools))
    return written + job.count(request.instructions) + job.count(tools)


def room(job: TurnJob) -> int:
    """Tokens that a request may have, so that its answer finds room, too."""
    return job.limit - min(ANSWER, job.limit // 5)
