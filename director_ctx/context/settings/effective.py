"""Every setting of a project as it counts, and who said so."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.settings.budget import CHARS, DEFAULT_WINDOW
from director_ctx.context.settings.chat import ChatSettings
from director_ctx.context.settings.config import CHAT_KEYS, FILE, HOOK_KEYS, KEYS
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
TABLES = ("profiles", "task_types", "research_types", "models")
"""Keys that have rows by name: `dctx profiles` shows the tables themselves."""


class Setting(Record):
    """One of them."""

    key: str
    value: object
    origin: str
    """`built in`, `dctx.yaml`, or the variable that goes before both."""


def effective(
    project: Project, data: Mapping[str, Any], environment: Mapping[str, str]
) -> list[Setting]:
    """All of them; `data` is what `dctx.yaml` has, as plain values."""
    settings = load_settings(project)
    rows = []
    for key in KEYS:
        value = getattr(settings, key.name)
        if key.name in TABLES or key.name in ("hooks", "chat"):
            continue
        if environment.get(key.variable):
            # Its value may hold a password, so it is named and not shown.
            rows.append(Setting(key.name, f"as {key.variable} says", key.variable))
        elif key.name == "window":
            window, _ = said_window(None, None, settings)
            tokens = window.tokens if window else DEFAULT_WINDOW
            by_model = settings.model and "window" not in data
            origin = f"model in {FILE}" if by_model else _origin(data, "window")
            rows.append(Setting("window", tokens, origin))
        else:
            if key.name == "counter":
                value = value or CHARS.name
            rows.append(Setting(key.name, value, _origin(data, key.name)))
    # Of all agents at once; what one of them has stands in its profile.
    if is_pull_switched_on(environment):
        rows.append(Setting("layout", PULL, CLEAN_CONTEXT))
    chat = settings.chat or ChatSettings()
    for key in CHAT_KEYS:
        origin = _origin(data.get("chat") or {}, key.name)
        rows.append(Setting(f"chat.{key.name}", getattr(chat, key.name), origin))
    rows += _hooks(settings, data, environment)
    for table in TABLES:
        for name, row in (data.get(table) or {}).items():
            rows.append(Setting(f"{table}.{name}", row, FILE))
    return rows


def _hooks(
    settings: Settings, data: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[Setting]:
    (switch,) = (key.variable for key in KEYS if key.name == "hooks")
    if environment.get(switch):
        yield Setting("hooks", environment[switch], switch)
    hooks = settings.hooks or Hooks()
    for kind, profile in hooks.agents.items():
        yield Setting(f"hooks.agents.{kind}", profile, FILE)
    for key in HOOK_KEYS:
        value = getattr(hooks, key.name)
        if key.name == "archive" and value is None:
            value = "only in the project's own store"
        if key.name != "agents":
            yield Setting(f"hooks.{key.name}", value, _origin(data.get("hooks") or {}, key.name))


def _origin(data: Mapping[str, Any], key: str) -> str:
    return BUILT_IN if data.get(key) is None else FILE
