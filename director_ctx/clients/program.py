"""Where hooks are written for a client, how they call dctx, and whether something calls it already."""

from __future__ import annotations

import os
import shutil
import sys

from director_ctx.base.errors import DctxError
from director_ctx.clients.entries import MODULE, PROGRAM, readers
from director_ctx.clients.json_edit import NotJson
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.settings_text import read
from director_ctx.clients.table import CLIENTS, find_client
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.table import Client

PLUGIN = "dctx@"
LARGEST = 5_000_000
"""Bytes of settings that are looked through in a hook."""


def program() -> tuple[str, ...]:
    """The words that call this dctx from anywhere: `dctx` where everyone finds it, else its place
    in full.
    """
    own = _own_program()
    found = shutil.which(PROGRAM)
    return (PROGRAM,) if found and len(own) == 1 and _is_everywhere(found, own[0]) else own


def _is_everywhere(found: str, own: str) -> bool:
    """Not in a virtual environment, which is on the PATH only of the shells that activated it."""
    environment = sys.prefix != sys.base_prefix or os.path.isdir(
        os.path.join(sys.prefix, "conda-meta")
    )
    in_it = inside(os.path.realpath(os.path.dirname(found)), os.path.realpath(sys.prefix))
    return os.path.realpath(found) == os.path.realpath(own) and not (environment and in_it)


def _own_program() -> tuple[str, ...]:
    name = f"{PROGRAM}.exe" if sys.platform == "win32" else PROGRAM
    beside = os.path.join(os.path.dirname(sys.executable), name)
    called = shutil.which(sys.argv[0]) if os.path.basename(sys.argv[0]) == name else None
    for place in (called, beside):
        if place and os.access(place, os.X_OK):
            return (os.path.abspath(place),)
    return (sys.executable, *MODULE)


def places(client: Client, root: str | None) -> tuple[str, ...]:
    """The files that hooks may be in: those of a project, or of the user where there is no project."""
    if root is None:
        return (_user_place(client),)
    own = (client.settings, client.local_settings) if client.local_settings else (client.settings,)
    return tuple(os.path.join(root, *path.split("/")) for path in own)


def _user_place(client: Client) -> str:
    _, *rest = client.user_settings.split("/")
    return os.path.join(user_folder(client), *rest)


def user_folder(client: Client) -> str:
    """The folder that a client has in the user's home, or wherever a variable moves it."""
    moved = os.environ.get(client.home_variable, "") if client.home_variable else ""
    if moved:
        return os.path.abspath(moved)
    return os.path.join(os.path.expanduser("~"), client.user_settings.split("/")[0])


def calls_us(client: Client, root: str) -> bool:
    """Whether the settings of a client name a hook of ours, for a hook that has no time to read
    them as JSON.
    """
    words = f"hook --client {readers(client)[0].name}".encode()
    for path in (*places(client, root), *places(client, None)):
        try:
            with open(path, "rb") as file:
                if words in file.read(LARGEST):
                    return True
        except OSError:
            continue
    return False


def target(client: Client, root: str | None, words: tuple[str, ...]) -> str:
    """The file to write: a place in full is of no use to others, so it stays out of what a project
    shares.
    """
    return places(client, root)[0 if words == (PROGRAM,) else -1]


def shown(path: str, root: str | None) -> str:
    """A path as people know it, and where it leads."""
    home = os.path.expanduser("~")
    base, mark = (root, "") if root else (home, f"~{os.sep}")
    if not inside(path, base):
        return path
    name, real = os.path.relpath(path, base), os.path.realpath(path)
    linked = real != os.path.join(os.path.realpath(base), name)
    return f"{mark}{name} (a link to {real})" if linked else mark + name


def is_here(client: Client, root: str | None) -> bool:
    """Whether the client seems to be used: its program is on the PATH, or its folder is there."""
    return bool(shutil.which(client.program)) or os.path.isdir(
        os.path.dirname(places(client, root)[0])
    )


def plugin_file(client: Client, root: str | None) -> str:
    """The settings that switch on our plugin, which brings the same hooks; nothing where it is off
    or absent.
    """
    if not client.plugins:
        return ""
    state: dict[str, tuple[bool, str]] = {}
    for path in (*places(client, None), *(places(client, root) if root else ())):
        for name, on in _plugins(path, client.plugins).items():
            if name.startswith(PLUGIN):
                state[name] = (on is True, path)
    return next((path for on, path in state.values() if on), "")


def _plugins(path: str, key: str) -> dict[str, object]:
    try:
        enabled = read(read_settings(path) or "").root.value.get(key)
    except (DctxError, NotJson):
        return {}
    return enabled if isinstance(enabled, dict) else {}


def chosen(name: str | None) -> tuple[Client, ...]:
    """The clients of `--client`."""
    return tuple(CLIENTS.values()) if name == "all" else (find_client(name or "claude"),)
