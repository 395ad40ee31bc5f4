"""A configuration that makes sense, with tokens in the place of shares of a model's window."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.history.strategies.config import ContextConfig, has_shares
from director_ctx.history.strategies.config_values import checked, config_from, in_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def settled(config: ContextConfig | Mapping[str, Any] | None) -> ContextConfig:
    """Every mistake in it is told at once."""
    known = checked(config) if isinstance(config, ContextConfig) else config_from(config)
    if not has_shares(known):
        return known
    return in_tokens(known, _window(known.model))


def _window(name: str) -> int:
    """Of the model that the configuration names, else of the project's."""
    from director_ctx.context.settings.budget import find_model
    from director_ctx.context.settings.options import load_settings
    from director_ctx.memory.store.open import project_here

    project = project_here(None)
    settings = load_settings(project) if project else None
    name = name or (settings.model if settings else None) or ""
    if not name:
        raise UsageProblem(
            "A share of a window is asked for, and no model is named.",
            "Say model=NAME beside it, or say tokens.",
        )
    model = find_model(name, settings.models if settings else None)
    if model is None:
        raise UsageProblem(
            f"The model {name!r} is not known.",
            "`dctx profiles --models` lists those that are; or say tokens.",
        )
    return model.window
