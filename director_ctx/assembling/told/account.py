"""Everything that is on record of one context: its texts, what was cut, and what was not chosen."""

from __future__ import annotations

from director_ctx.base.record import as_dict
from director_ctx.context.assembly import RUNG_TITLES
from director_ctx.memory.runs.account import read_account
from director_ctx.memory.runs.run import run_json
from director_ctx.memory.runs.storage import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.runs.account import RunCut
    from director_ctx.memory.runs.run import Run

    Json = dict[str, Any]


def told_json(root: str, run: Run) -> Json:
    """A run with its texts; null where they were forgotten."""
    sections = []
    for section in run.sections:
        sections.append({**as_dict(section), "text": read_text(root, section.sha256)})
    account = read_account(root, run)
    told: Json = {**run_json(run), "sections": sections}
    if account is None:
        return {**told, "cuts": None, "not_chosen": None, "stable_prefix_tokens": None}
    return {
        **told,
        "cuts": [_cut_json(cut) for cut in account.cuts],
        "not_chosen": [as_dict(left_out) for left_out in account.not_chosen],
        "stable_prefix_tokens": account.stable,
    }


def _cut_json(cut: RunCut) -> Json:
    # A line of the record may be of another version, with rungs that are no more.
    return {**as_dict(cut), "says": RUNG_TITLES.get(cut.rung, cut.rung)}
