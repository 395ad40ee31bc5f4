"""A configuration that makes sense, with tokens in the place of shares of a model's window."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.context.settings.budget import DEFAULT_WINDOW, MODELS, Window, find_model
from director_ctx.context.settings.request import Settings
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.strategies.config import (
    ContextConfig,
    checked,
    config_from,
    has_shares,
    in_tokens,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def settled(
    config: ContextConfig | Mapping[str, Any] | None,
    here: ProjectHere | None = None,
    window: int = 0,
) -> ContextConfig:
    """Every mistake in it is told at once. Without a project it is that of the current folder.
    `window` is that of the model that is asked, for settings that name no model.
    """
    known = checked(config) if isinstance(config, ContextConfig) else config_from(config)
    if not has_shares(known):
        return known
    if not window or known.model:
        window = _window(known.model, here or ProjectHere(None))
    return in_tokens(known, window)


def window_of(name: str, here: ProjectHere) -> Window:
    """The window of a model that a request names, else of the project's, else the usual one."""
    settings = _settings(here)
    name = name or settings.model or ""
    model = find_model(name, settings.models)
    if model is None:
        return Window(DEFAULT_WINDOW, "the usual window")
    return Window(model.window, f"the window of {name}")


def smallest_window(here: ProjectHere) -> int:
    """Of all models that are known here."""
    known = {**MODELS, **_settings(here).models}
    return min(model.window for model in known.values())


def _settings(here: ProjectHere) -> Settings:
    """Those of the project; the shipped ones where they cannot be read: whoever only wants to know a
    window has not asked for them.
    """
    try:
        return here.settings or Settings()
    except DctxError:
        return Settings()


def _window(name: str, here: ProjectHere) -> int:
    """Of the model that the configuration names, else of the project's."""
    # A project may have models of its own in `dctx.yaml`, under names that nobody else knows.
    own_models = None
    if here.settings:
        own_models = here.settings.models
        name = name or here.settings.model or ""
    if not name:
        raise UsageProblem(
            "A share of a window is asked for, and no model is named.",
            "Say model=NAME beside it, or say tokens.",
        )
    model = find_model(name, own_models)
    if model is None:
        raise UsageProblem(
            f"The model {name!r} is not known.",
            "`dctx profiles --models` lists those that are; or say tokens.",
        )
    return model.window
