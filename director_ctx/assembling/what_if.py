"""How one context would fare in other windows."""

from __future__ import annotations

from director_ctx.assembling.assemble import prepare
from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record, as_dict
from director_ctx.context.assembly import budget_json
from director_ctx.context.settings.budget import Budget, parse_budget
from director_ctx.context.settings.options import load_settings, make_request, share_of
from director_ctx.context.settings.profiles import find_profile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.context.sections import Reduction
    from director_ctx.context.settings.budget import Counter
    from director_ctx.project.project import Project

FARTHEST = 10**12
WINDOWS = (8_000, 32_000, 128_000, 200_000, 1_000_000)


class WhatIf(Record):
    """The smallest window in which nothing is cut, and what would go at usual ones."""

    agent: str
    budget: str
    smallest_window: int | None
    """None when the budget is a plain number of tokens."""
    smallest_limit: int
    windows: tuple[tuple[Budget, tuple[Reduction, ...]], ...]
    counter: Counter

    def as_json(self) -> dict[str, Any]:
        """The shape of `dctx budget --what-if --json`."""
        windows = []
        for budget, cuts in self.windows:
            reductions = [as_dict(cut) for cut in cuts]
            windows.append({**budget_json(budget), "reductions": reductions})
        return {
            "agent": self.agent,
            "budget": self.budget,
            "smallest_window": self.smallest_window,
            "smallest_limit": self.smallest_limit,
            "windows": windows,
            "counter": as_dict(self.counter),
        }


def what_if(
    project: Project,
    agent: str | None,
    *,
    count: Callable[[str], int] | None = None,
    counter: str | Counter | None = None,
    **options: Any,
) -> WhatIf:
    """One preparation, judged against every window."""
    prepared = prepare(project, agent, options, count, counter)
    descent = prepared.descent()
    share = prepared.share
    windows = []
    for window in WINDOWS:
        limit = _limit_at(share, window)
        fitting = descent.fit(limit)
        budget = Budget(window, limit, fitting.used, fitting.status)
        windows.append((budget, fitting.reductions))
    whole = descent.whole.used
    return WhatIf(
        agent=prepared.profile.name,
        budget=share,
        smallest_window=smallest_window(share, whole),
        smallest_limit=whole,
        windows=tuple(windows),
        counter=prepared.counter,
    )


def rungs_by_window(project: Project, agent: str | None, **options: Any) -> list[dict[str, Any]]:
    """What would be shortened first, second and so on: each rung with the tokens that it saves, and
    with the window below which it is needed, where the budget is a share of one.
    """
    prepared = prepare(project, agent, options)
    rows = []
    for taken in prepared.descent().all_the_way():
        before, after = taken.before.used, taken.after.used
        rows.append(
            {
                "rung": taken.rung.name,
                "says": taken.rung.says,
                "group": taken.rung.group,
                "below_window": smallest_window(prepared.share, before),
                "below_limit": before,
                "saves": before - after,
            }
        )
    return rows


def budget_share(project: Project, agent: str) -> str:
    """An agent's budget as it was said: a share of its window, or a plain number of tokens."""
    settings = load_settings(project)
    profile = find_profile(agent, settings.profiles)
    return share_of(make_request(agent, {}), settings, profile)


def is_plain_number(share: str) -> bool:
    """Whether a budget is the same in every window."""
    return _limit_at(share, FARTHEST) == _limit_at(share, 2 * FARTHEST)


def smallest_window(share: str, used: int) -> int | None:
    """The least window whose share holds so many tokens."""
    if is_plain_number(share):
        return None

    low = 1
    high = FARTHEST
    while low < high:
        middle = (low + high) // 2
        if _limit_at(share, middle) >= used:
            high = middle
        else:
            low = middle + 1
    return low


def _limit_at(share: str, window: int) -> int:
    try:
        return parse_budget(share, window)
    except UsageProblem:
        return 0
