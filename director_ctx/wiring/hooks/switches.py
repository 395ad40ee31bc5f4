"""What switches a client's hooks off, in its own settings."""

from __future__ import annotations

import os

from director_ctx.clients.installed import read
from director_ctx.clients.json_text import NotJson
from director_ctx.errors import DctxError
from director_ctx.outside.settings_file import read_settings
from director_ctx.wiring.hooks.placement import places, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.clients.table import Client

_SWITCHES = {"claude": (("disableAllHooks",), True), "gemini": (("hooksConfig", "enabled"), False)}
"""Where each client has its switch, and the value that means off."""
_FEATURES = ("hooks", "codex_hooks")


def switched_off(client: Client, root: str | None) -> str:
    """A sentence on what switches the hooks off, or nothing. A project's settings count more than the user's."""
    if client.name == "codex":
        return _codex_off(client)
    keys, off = _SWITCHES.get(client.name, ((), None))
    found = [(path, value) for path in _files(client, root) if (value := _value(path, keys)) is not None]
    if keys and found and found[-1][1] is off:
        where = shown(found[-1][0], root if root and found[-1][0] in places(client, root) else None)
        return f"{'.'.join(keys)} is {str(off).lower()} in {where}: {client.title} runs no hooks."
    return ""


def _files(client: Client, root: str | None) -> Iterator[str]:
    yield from places(client, None)
    yield from places(client, root) if root else ()


def _value(path: str, keys: tuple[str, ...]) -> Any:
    try:
        found: Any = read(read_settings(path) or "").root.value
    except (DctxError, NotJson):
        return None
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _codex_off(client: Client) -> str:
    """Its switch is not in the file that its hooks are in."""
    from tomllib import TOMLDecodeError, loads

    path = os.path.join(os.path.dirname(places(client, None)[0]), "config.toml")
    try:
        features = loads(read_settings(path) or "").get("features")
    except (DctxError, TOMLDecodeError):
        return ""
    off = [name for name in _FEATURES if isinstance(features, dict) and features.get(name) is False]
    return f"features.{off[0]} is false in {shown(path, None)}: {client.title} runs no hooks." if off else ""
