"""What switches a client's hooks off, in its own settings."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.program import places, shown, user_folder
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.settings_text import read
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.clients.table import Client

SWITCH, OFF, ELSEWHERE = "DCTX_HOOKS", ("off", "0", "no", "false"), "DCTX_ROOT"
"""As `dctx hook` reads its environment."""


def switched_off(client: Client, root: str | None) -> str:
    """A sentence on what switches the hooks off, or nothing. A project's settings count more than
    the user's.
    """
    values = [(path, values_in(path)) for path in _files(client, root)]
    sentences = [*_by_key(client, root, values), *_by_variable(client, root, values)]
    return sentences[0] if sentences else ""


def _by_key(
    client: Client,
    root: str | None,
    values: Sequence[tuple[str, Any]],
) -> Iterator[str]:
    for key, off in client.switches.items():
        path, value = _nearest(values, key)
        if value is off:
            where = _shown(client, root, path)
            yield f"{key} is {str(off).lower()} in {where}: {client.title} runs no hooks."


def _by_variable(
    client: Client,
    root: str | None,
    values: Sequence[tuple[str, Any]],
) -> Iterator[str]:
    """What its settings put into the environment of hooks."""
    if not client.variables:
        return
    path, value = _nearest(values, f"{client.variables}.{SWITCH}")
    if str(value).casefold() in OFF:
        where = _shown(client, root, path)
        yield f"{SWITCH} is {value} in {where} ({client.variables}): hooks answer with nothing."

    path, value = _nearest(values, f"{client.variables}.{ELSEWHERE}")
    if root and value and _leads_elsewhere(str(value), root):
        where = _shown(client, root, path)
        yield f"{ELSEWHERE} is {value} in {where} ({client.variables}): hooks look there, and not at this project."


def _leads_elsewhere(named: str, root: str) -> bool:
    path = os.path.normpath(os.path.join(root, os.path.expanduser(named)))
    if os.path.basename(path) == FOLDER:
        path = os.path.dirname(path)
    return os.path.realpath(path) != os.path.realpath(root)


def _nearest(values: Sequence[tuple[str, Any]], key: str) -> tuple[str, Any]:
    """The last file that has a key, and its value there."""
    for path, settings in reversed(values):
        value = _at(settings, key)
        if value is not None:
            return path, value
    return "", None


def _shown(client: Client, root: str | None, path: str) -> str:
    is_of_project = bool(root) and path in places(client, root)
    return shown(path, root if is_of_project else None)


def _files(client: Client, root: str | None) -> tuple[str, ...]:
    """The user's first."""
    if client.switch_file:
        return (os.path.join(user_folder(client), client.switch_file),)
    if not root:
        return places(client, None)
    return (*places(client, None), *places(client, root))


def values_in(path: str) -> Any:
    """All that is in a file of settings; nothing where it cannot be read."""
    from tomllib import TOMLDecodeError, loads

    try:
        text = read_settings(path) or ""
        if path.endswith(".toml"):
            return loads(text)
        return read(text).root.value
    except (DctxError, NotJson, TOMLDecodeError):
        return None


def _at(settings: Any, key: str) -> Any:
    """The value of a key such as `hooks.enabled`, a step for each dot."""
    value = settings
    for name in key.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value
