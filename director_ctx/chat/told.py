"""What a model is told at the next request, by part; pure."""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.chat.items import from_compaction, items_of
from director_ctx.chat.job import COMPACT
from director_ctx.chat.reach import ANSWERED, ASSISTANT, CALLED, COMPACTED, USER, verbatim
from director_ctx.chat.request import summary_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.job import TurnJob
    from director_ctx.chat.reach import ChatStanding

_NAMES = {
    COMPACTED: "compaction",
    USER: "user",
    ASSISTANT: "assistant",
    CALLED: "calls",
    ANSWERED: "tool results",
}


def parts(standing: ChatStanding, job: TurnJob) -> dict[str, int]:
    """Tokens, by our own count."""
    sizes = {
        "instructions": job.count(job.instructions),
        "tools": job.count(dump(list(job.tools))),
    }
    if standing.reach.context:
        sizes["context, once"] = job.count(job.context())
    elif standing.reach.held:
        sizes["context, once"] = standing.reach.held
    if standing.reach.since:
        sizes["summary"] = job.count(summary_text(standing, job))
    told = verbatim(standing)
    if job.editing == COMPACT:
        told = from_compaction(told)
    for role, name in _NAMES.items():
        rows = [row for row in told if row.role == role]
        items = items_of(rows, standing.reach.short)
        if items:
            sizes[name] = job.count(dump(items))
    return sizes
