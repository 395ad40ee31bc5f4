"""What switches a client's hooks off, in its own settings."""

from __future__ import annotations

import os
from tomllib import TOMLDecodeError, loads

from director_ctx.base.errors import DctxError
from director_ctx.clients.file_change import read_settings
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.program import settings_files, shown_path, user_folder
from director_ctx.clients.settings_text import read
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.table import Client

# As `dctx hook` reads its environment: the client hands what is in its settings on to it.
SWITCH = "DCTX_HOOKS"
OFF = ("off", "0", "no", "false")
ELSEWHERE = "DCTX_ROOT"


def switched_off(client: Client, root: str | None) -> str:
    """A sentence on what switches the hooks off, or nothing. A project's settings count more than
    the user's.
    """
    if client.switch_file:
        paths = [os.path.join(user_folder(client), client.switch_file)]
    else:
        paths = [*settings_files(client, None), *(settings_files(client, root) if root else ())]
    known = [(path, values_in(path)) for path in reversed(paths)]

    def nearest(key: str) -> tuple[str, Any]:
        """Where the key is said, and its value there."""
        for path, settings in known:
            value = _at(settings, key)
            if value is not None:
                is_projects = root and path in settings_files(client, root)
                return shown_path(path, root if is_projects else None), value
        return "", None

    for key, off in client.switches.items():
        where, value = nearest(key)
        if value is off:
            return f"{key} is {str(off).lower()} in {where}: {client.title} runs no hooks."
    if not client.variables:
        return ""
    # What its settings put into the environment of hooks.
    where, value = nearest(f"{client.variables}.{SWITCH}")
    if str(value).casefold() in OFF:
        return f"{SWITCH} is {value} in {where} ({client.variables}): hooks answer with nothing."
    where, value = nearest(f"{client.variables}.{ELSEWHERE}")
    if root and value and _leads_elsewhere(str(value), root):
        return f"{ELSEWHERE} is {value} in {where} ({client.variables}): hooks look there, and not at this project."
    return ""


def _leads_elsewhere(named: str, root: str) -> bool:
    path = os.path.normpath(os.path.join(root, os.path.expanduser(named)))
    # `.director` itself may be named, which is the same project.
    if os.path.basename(path) == FOLDER:
        path = os.path.dirname(path)
    return os.path.realpath(path) != os.path.realpath(root)


def values_in(path: str) -> Any:
    """All that is in a file of settings; nothing where it cannot be read."""

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
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value
