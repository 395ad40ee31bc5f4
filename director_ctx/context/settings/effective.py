"""Every setting of a project as it counts, and who said so."""

from __future__ import annotations

from director_ctx.base.record import Record, as_dict
from director_ctx.context.settings.budget import CHARS, DEFAULT_WINDOW
from director_ctx.context.settings.chat import ChatSettings
from director_ctx.context.settings.hooks import Hooks
from director_ctx.context.settings.options import (
    CLEAN_CONTEXT,
    is_pull_switched_on,
    load_settings,
    said_window,
)
from director_ctx.context.settings.tags import PULL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from director_ctx.context.settings.request import Settings
    from director_ctx.project.project import Project

BUILT_IN = "built in"
OWN = "dctx.yaml"
_VARIABLES = {"record": "DCTX_RECORD", "store": "DCTX_STORE"}
"""What the environment says goes before the file."""
_SWITCH = "DCTX_HOOKS"
_TABLES = ("profiles", "task_types", "research_types", "models")


class Setting(Record):
    """One of them."""

    key: str
    value: object
    origin: str
    """`built in`, `dctx.yaml`, or the variable that goes before both."""


def effective(
    project: Project,
    data: Mapping[str, Any],
    environment: Mapping[str, str],
) -> list[Setting]:
    """All of them; `data` is what `dctx.yaml` has, as plain values."""
    settings = load_settings(project)
    return [
        *_plain(settings, data, environment),
        *_layout(environment),
        *_chat(settings, data),
        *_hooks(project, data, environment),
        *_rows(data),
    ]


def _plain(
    settings: Settings,
    data: Mapping[str, Any],
    environment: Mapping[str, str],
) -> Iterator[Setting]:
    window, _ = said_window(None, None, settings)
    tokens = DEFAULT_WINDOW
    if window:
        tokens = window.tokens
    values = {
        "model": settings.model,
        "window": tokens,
        "budget": settings.budget,
        "counter": settings.counter or CHARS.name,
        "record": settings.record,
        "compress": settings.compress,
        "store": settings.store,
        "workflow_id": settings.workflow_id,
    }
    for key, value in values.items():
        variable = _VARIABLES.get(key, "")
        if environment.get(variable):
            # Its value may hold a password, so it is named and not shown.
            yield Setting(key, f"as {variable} says", variable)
        elif key == "window" and key not in data and settings.model:
            yield Setting(key, value, f"model in {OWN}")
        else:
            yield Setting(key, value, _origin(data, key))


def _layout(environment: Mapping[str, str]) -> Iterator[Setting]:
    """Of all agents at once; what one of them has stands in its profile."""
    if is_pull_switched_on(environment):
        yield Setting("layout", PULL, CLEAN_CONTEXT)


def _origin(data: Mapping[str, Any], key: str) -> str:
    if data.get(key) is None:
        return BUILT_IN
    return OWN


def _chat(settings: Settings, data: Mapping[str, Any]) -> Iterator[Setting]:
    written = data.get("chat") or {}
    for key, value in as_dict(settings.chat or ChatSettings()).items():
        yield Setting(f"chat.{key}", value, _origin(written, key))


def _hooks(
    project: Project,
    data: Mapping[str, Any],
    environment: Mapping[str, str],
) -> Iterator[Setting]:
    if environment.get(_SWITCH):
        yield Setting("hooks", environment[_SWITCH], _SWITCH)

    hooks = load_settings(project).hooks or Hooks()
    written = data.get("hooks") or {}
    for kind, profile in hooks.agents.items():
        yield Setting(f"hooks.agents.{kind}", profile, OWN)

    archive: object = hooks.archive
    if archive is None:
        archive = "only in the project's own store"
    values = {
        "session": hooks.session,
        "archive": archive,
        "warn": hooks.warn,
        "urgent": hooks.urgent,
    }
    for key, value in values.items():
        yield Setting(f"hooks.{key}", value, _origin(written, key))


def _rows(data: Mapping[str, Any]) -> Iterator[Setting]:
    """What the file changes about the tables, by name: `dctx profiles` shows the tables."""
    for table in _TABLES:
        for name, row in (data.get(table) or {}).items():
            yield Setting(f"{table}.{name}", row, OWN)
