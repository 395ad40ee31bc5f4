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
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.clients.table import Client

    SettingsFile = tuple[str, Any]
    """A path, and the values that are in it."""

# As `dctx hook` reads its environment: the client hands what is in its settings on to it.
SWITCH = "DCTX_HOOKS"
OFF = ("off", "0", "no", "false")
ELSEWHERE = "DCTX_ROOT"


def switched_off(client: Client, root: str | None) -> str:
    """A sentence on what switches the hooks off, or nothing. A project's settings count more than
    the user's.
    """
    files: list[SettingsFile] = []
    for path in _files(client, root):
        values = values_in(path)
        files.append((path, values))

    for sentence in _by_key(client, root, files):
        return sentence
    for sentence in _by_variable(client, root, files):
        return sentence
    return ""


def _by_key(
    client: Client,
    root: str | None,
    files: Sequence[SettingsFile],
) -> Iterator[str]:
    for key, off in client.switches.items():
        path, value = _nearest(files, key)
        if value is off:
            where = _shown(client, root, path)
            as_json = str(off).lower()
            yield f"{key} is {as_json} in {where}: {client.title} runs no hooks."


def _by_variable(
    client: Client,
    root: str | None,
    files: Sequence[SettingsFile],
) -> Iterator[str]:
    """What its settings put into the environment of hooks."""
    if not client.variables:
        return
    path, value = _nearest(files, f"{client.variables}.{SWITCH}")
    is_off = str(value).casefold() in OFF
    if is_off:
        where = _shown(client, root, path)
        yield f"{SWITCH} is {value} in {where} ({client.variables}): hooks answer with nothing."

    path, value = _nearest(files, f"{client.variables}.{ELSEWHERE}")
    if not root or not value:
        return
    if _leads_elsewhere(str(value), root):
        where = _shown(client, root, path)
        yield f"{ELSEWHERE} is {value} in {where} ({client.variables}): hooks look there, and not at this project."


def _leads_elsewhere(named: str, root: str) -> bool:
    user_path = os.path.expanduser(named)
    path = os.path.normpath(os.path.join(root, user_path))
    # `.director` itself may be named, which is the same project.
    if os.path.basename(path) == FOLDER:
        path = os.path.dirname(path)
    return os.path.realpath(path) != os.path.realpath(root)


def _nearest(files: Sequence[SettingsFile], key: str) -> tuple[str, Any]:
    """The last file that has a key, and its value there."""
    for path, settings in reversed(files):
        value = _at(settings, key)
        if value is not None:
            return path, value
    return "", None


def _shown(client: Client, root: str | None, path: str) -> str:
    if root and path in settings_files(client, root):
        return shown_path(path, root)
    return shown_path(path, None)


def _files(client: Client, root: str | None) -> tuple[str, ...]:
    """The user's first."""
    if client.switch_file:
        path = os.path.join(user_folder(client), client.switch_file)
        return (path,)
    of_user = settings_files(client, None)
    if not root:
        return of_user
    return (*of_user, *settings_files(client, root))


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
