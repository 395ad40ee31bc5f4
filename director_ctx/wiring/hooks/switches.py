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
    from typing import Any

    from director_ctx.clients.table import Client


def switched_off(client: Client, root: str | None) -> str:
    """A sentence on what switches the hooks off, or nothing. A project's settings count more than the user's."""
    values = [(path, _values(path)) for path in _files(client, root)]
    for key, off in client.switches.items():
        found = [(path, value) for path, whole in values if (value := _at(whole, key)) is not None]
        if found and found[-1][1] is off:
            path = found[-1][0]
            where = shown(path, root if root and path in places(client, root) else None)
            return f"{key} is {str(off).lower()} in {where}: {client.title} runs no hooks."
    return ""


def _files(client: Client, root: str | None) -> tuple[str, ...]:
    """The user's first."""
    if client.switch_file:
        return (os.path.join(os.path.dirname(places(client, None)[0]), client.switch_file),)
    return (*places(client, None), *(places(client, root) if root else ()))


def _values(path: str) -> Any:
    """All that is in a file of settings; nothing where it cannot be read."""
    from tomllib import TOMLDecodeError, loads

    try:
        text = read_settings(path) or ""
        return loads(text) if path.endswith(".toml") else read(text).root.value
    except (DctxError, NotJson, TOMLDecodeError):
        return None


def _at(whole: Any, key: str) -> Any:
    for name in key.split("."):
        whole = whole.get(name) if isinstance(whole, dict) else None
    return whole
