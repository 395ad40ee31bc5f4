"""Who writes summaries for the strategy of that name, where it is asked for."""

from __future__ import annotations

from director_ctx.history.strategies.config import SUMMARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.messages.message import Count
    from director_ctx.history.messages.target import WriteSummary
    from director_ctx.history.strategies.config import ContextConfig

_WRITERS = "director_ctx.history.summaries.summarize"


def summary_writer(strategy: str, config: ContextConfig, count: Count) -> WriteSummary | None:
    """None for every other strategy."""
    if strategy != SUMMARY:
        return None
    # By its name, as strategies are: what writes summaries stands above this room, and is imported
    # only where somebody wants one.
    module = __import__(_WRITERS, fromlist=["writer_of"])
    writer: WriteSummary = module.writer_of(config.using, count)
    return writer
