"""When a proxy cuts, down to what, and where the messages of a request are."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.context.tokens.counting import whole
from director_ctx.history.compress.options import wish_of
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.limits import step
from director_ctx.memory.store.notice import shared_unasked
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.history.compress.options import Wish

RESPONSES = "openai-responses"
WIRES = (
    ("/v1/messages", "anthropic", "messages"),
    ("/v1/messages/count_tokens", "anthropic", "messages"),
    ("/chat/completions", "openai-chat", "messages"),
    ("/responses", RESPONSES, "input"),
    ("/responses/input_tokens", RESPONSES, "input"),
)
"""How a path ends; the format of its messages, and where they are."""
ONLY_SIZES = ("/v1/messages/count_tokens", "/responses/input_tokens")
"""What is asked for there is how large a request is."""
LEAST = {"chars/4": 3}
"""Bytes of a request for each token; with other counters one. A request with fewer is not read."""

KEPT_THERE = ("previous_response_id", "conversation")
"""Where a request says that the provider has what came before: what it brings, the model has never
seen.
"""
REFERENCE = "item_reference"


def wire_of(path: str) -> tuple[str, str, str] | None:
    without_query, _, _ = path.partition("?")
    for wire in WIRES:
        end_of_path, _, _ = wire
        if without_query.endswith(end_of_path):
            return wire
    return None


def main_wire_of(path: str) -> str | None:
    """The format of a request that a model answers; None of one that only asks for a size."""
    wire = wire_of(path)
    if wire is None:
        return None
    end, format, _ = wire
    if end in ONLY_SIZES:
        return None
    return format


def kept_there(document: Mapping[str, Any], elements: Sequence[Any]) -> bool:
    """Whether the provider keeps the conversation, or a part of it."""
    if any(document.get(key) is not None for key in KEPT_THERE):
        return True
    return any(map(_is_reference, elements))


def _is_reference(element: Any) -> bool:
    return isinstance(element, dict) and element.get("type") == REFERENCE


class CutRule(Record):
    """When to cut, and down to what."""

    wish: Wish
    limit: int
    target: int
    dry_run: bool = False
    root: str | None = None

    @property
    def small(self) -> int:
        """Bytes of a request that cannot be too long."""
        # Then no request is ever too long.
        if not self.wish.config.enabled:
            return 1 << 62
        return self.limit * LEAST.get(self.wish.counter, 1)

    @property
    def step(self) -> int:
        """How much has to come before a cut that could not reach the target is tried again."""
        return step(self.limit, self.target)


def rule_of(values: Mapping[str, Any]) -> CutRule:
    """What nobody said is as `ContextConfig` has it."""
    wish = wish_of({**values, "from_": None, "to": None, "strict": False})
    limit = int(wish.config.limit)
    if values["limit"] is not None:
        limit = whole(values["limit"], "--limit")

    # Rare and big steps keep the provider's cache: so the usual target is far below the limit.
    target = int(ContextConfig(limit=limit).target_tokens)
    if wish.target:
        target = wish.target
    elif wish.ratio is not None:
        target = max(1, int(limit * wish.ratio))
    if target >= limit:
        raise UsageProblem(
            f"The target ({target:,} tokens) is not below the limit ({limit:,}).",
            "Lower it, or raise the limit.",
        )
    # What is cut says by what it is had again.
    if values.get("retrieve") and wish.config.retrieval == "auto":
        wish.config.retrieval = "tool"
    return CutRule(
        wish=wish.replace(target=target, ratio=None),
        limit=limit,
        target=target,
        dry_run=bool(values["dry_run"]),
        root=values["root"],
    )


def expect_own_store(rule: CutRule) -> None:
    """Whole conversations go to nobody else who did not ask for them."""
    keeps_originals = rule.wish.config.enabled and not rule.dry_run
    if keeps_originals and shared_unasked(project_here(rule.root)):
        raise DctxError(
            "The store is one that others may read, and the originals of what is cut would go there.",
            "`hooks: {archive: true}` in .director/dctx.yaml allows it for this project; else leave DCTX_STORE out.",
        )
