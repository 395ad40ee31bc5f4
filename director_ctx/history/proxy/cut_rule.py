"""When a proxy cuts, and down to what."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.context.tokens.counting import whole
from director_ctx.history.compress.configured import smallest_window, window_of
from director_ctx.history.compress.options import Wish, settings, wish_of
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.strategies.config import ContextConfig, setting
from director_ctx.history.strategies.limits import step
from director_ctx.memory.store.notice import shared_unasked
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.context.settings.budget import Window

USUAL_SHARE = 0.9
"""Of a model's window, where that is less than the usual limit."""


class CutRule(Record):
    """When to cut, and down to what. Sizes are tokens as the provider counts them, as far as that is
    known.
    """

    wish: Wish
    limit: int
    target: int
    dry_run: bool = False
    root: str | None = None
    limit_from: str = ""
    """Who or what said the limit."""
    least_limit: int = 0
    """The lowest that any model could have; 0 where all have the same."""
    values: Mapping[str, Any] = {}
    """What the rule was made of."""

    @property
    def small(self) -> int:
        """Bytes of a request that cannot be too long: no tokenizer makes two tokens of a byte."""
        # Where nothing is enabled, no request is ever too long.
        return self.least_limit or self.limit if self.wish.config.enabled else 1 << 62

    @property
    def step(self) -> int:
        """How much has to come before a cut that could not reach the target is tried again."""
        return step(self.limit, self.target)

    def as_json(self) -> dict[str, Any]:
        return {"tokens": self.limit, "from": self.limit_from, "target": self.target}

    def of_model(self, model: str) -> CutRule:
        """The same for a model, of whose window a limit may be a share."""
        if not self.least_limit or not model:
            return self
        return rule_of(self.values, model)


def rule_of(values: Mapping[str, Any], model: str = "") -> CutRule:
    """What nobody said is as `ContextConfig` has it."""
    here = ProjectHere(values["root"])
    said = settings(values["set_"] or ())
    window = window_of(said.get("model") or model, here)
    wish = wish_of(values, here, window.tokens)
    limit, limit_from, share = _limit(values["limit"], said, wish, window)
    least_limit = 0
    if share and not said.get("model"):
        least_limit = min(limit, max(1, int(smallest_window(here) * share)))

    # Rare and big steps keep the provider's cache: so the usual target is far below the limit.
    target = int(ContextConfig(limit=limit).target_tokens)
    if wish.target:
        target = wish.target
    if target >= limit:
        raise UsageProblem(
            f"The target ({target:,} tokens) is not below the limit ({limit:,}).",
            "Lower it, or raise the limit.",
        )
    return CutRule(
        wish=wish.replace(target=target),
        limit=limit,
        target=target,
        dry_run=bool(values["dry_run"]),
        root=values["root"],
        limit_from=limit_from,
        least_limit=least_limit,
        values=values,
    )


def _limit(
    option: str | None,
    said: Mapping[str, Any],
    wish: Wish,
    window: Window,
) -> tuple[int, str, float]:
    """The limit, where it is from, and which share of its window another model may have instead; 0
    where all have the same.
    """
    share = None
    if option is not None:
        share = _share(option)
        if share is None:
            return whole(option, "--limit"), "--limit", 0
    elif isinstance(said.get("limit"), float):
        share = said["limit"]
    elif "limit" in said:
        return int(wish.config.limit), "the settings", 0
    # Where no limit is said: the usual one, unless the model takes less.
    tokens = max(1, int(window.tokens * (share or USUAL_SHARE) + 1e-6))
    if share or tokens < wish.config.limit:
        return tokens, f"{share or USUAL_SHARE:.0%} of {window}", share or USUAL_SHARE
    return int(wish.config.limit), "the default", USUAL_SHARE


def _share(text: str) -> float | None:
    """0.9 or 90%; None for a number of tokens."""
    if "%" not in text and "." not in text:
        return None
    try:
        _, share = setting(f"limit={text}")
    except UsageProblem as problem:
        raise UsageProblem(
            f"--limit {text}: that is no share of a window.",
            "Say a number of tokens, such as 120000, or a share, such as 90%.",
        ) from problem
    return float(share)


def expect_own_store(rule: CutRule) -> None:
    """Whole conversations go to nobody else who did not ask for them."""
    keeps_originals = rule.wish.config.enabled and not rule.dry_run
    if keeps_originals and shared_unasked(project_here(rule.root)):
        raise DctxError(
            "The store is one that others may read, and the originals of what is cut would go there.",
            "`hooks: {archive: true}` in .director/dctx.yaml allows it for this project; else leave DCTX_STORE out.",
        )
