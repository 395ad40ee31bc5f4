"""Who writes the summary that stands for what a cut takes out of a conversation."""

from __future__ import annotations

from director_ctx.history.summaries.summarize import SummaryJob, check_using, summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Count, Message
    from director_ctx.history.messages.target import WriteSummary


def writer_of(using: str, count: Count) -> WriteSummary:
    """Writes one of some messages, in at most so many tokens; raises NoSummary where there is none."""
    check_using(using)

    def write(messages: Sequence[Message], tokens: int) -> str:
        # A model does not count, and may write a quarter more than it is asked for.
        job = SummaryJob(
            messages=messages,
            previous="",
            target=max(1, int(tokens / MORE)),
            count=count,
        )
        return summarize(using, job)

    return write


MORE = 1.25
