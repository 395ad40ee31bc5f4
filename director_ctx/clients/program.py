"""Where hooks are written for a client, how they call dctx, and whether something calls it already."""

from __future__ import annotations

import os
import shutil
import sys

from director_ctx.base.errors import DctxError
from director_ctx.clients.entries import MODULE, PROGRAM, readers
from director_ctx.clients.file_change import read_settings
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.settings_text import read
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

    For what a client runs by itself (hooks, skills, a plugin): it was not started from the shell that
    activated a virtual environment, would find no `dctx`, and would say nothing about that.
    """
    own = _own_program()
    on_path = shutil.which(PROGRAM)
    # A Python that calls us as a module is no `dctx` that anyone could find.
    is_program = len(own) == 1
    if on_path and is_program and _is_everywhere(on_path, own[0]):
        return (PROGRAM,)
    return own


def _is_everywhere(on_path: str, own: str) -> bool:
    """Not in a virtual environment, which is on the PATH only of the shells that activated it."""
    # An environment of conda has a Python of its own, whose prefixes are the same.
    is_conda = os.path.isdir(os.path.join(sys.prefix, "conda-meta"))
    in_environment = is_conda or sys.prefix != sys.base_prefix
    folder = os.path.realpath(os.path.dirname(on_path))
    if in_environment and inside(folder, os.path.realpath(sys.prefix)):
        return False
    return os.path.realpath(on_path) == os.path.realpath(own)


def _own_program() -> tuple[str, ...]:
    name = f"{PROGRAM}.exe" if sys.platform == "win32" else PROGRAM
    candidates = [os.path.join(os.path.dirname(sys.executable), name)]
    called = shutil.which(sys.argv[0])
    if called and os.path.basename(sys.argv[0]) == name:
        candidates.insert(0, called)
    for path in candidates:
        if os.access(path, os.X_OK):
            return (os.path.abspath(path),)
    return (sys.executable, *MODULE)


def settings_files(client: Client, root: str | None) -> tuple[str, ...]:
    """The files that hooks may be in: those of a project, or of the user where there is no project."""
    if root is None:
        _, *rest = client.user_settings.split("/")
        return (os.path.join(user_folder(client), *rest),)
    names = filter(None, (client.settings, client.local_settings))
    return tuple(os.path.join(root, *name.split("/")) for name in names)


def user_folder(client: Client) -> str:
    """The folder that a client has in the user's home, or wherever a variable moves it."""
    if client.home_variable:
        moved = os.environ.get(client.home_variable)
        if moved:
            return os.path.abspath(moved)
    home = os.path.expanduser("~")
    name, _, _ = client.user_settings.partition("/")
    return os.path.join(home, name)


def calls_us(client: Client, root: str) -> bool:
    """Whether the settings of a client name a hook of ours, for a hook that has no time to read
    them as JSON.
    """
    owner = readers(client)[0]
    words = f"hook --client {owner.name}".encode()
    for path in (*settings_files(client, root), *settings_files(client, None)):
        try:
            with open(path, "rb") as file:
                if words in file.read(LARGEST):
                    return True
        except OSError:
            continue
    return False


def file_to_write(client: Client, root: str | None, words: tuple[str, ...]) -> str:
    """The file to write: a place in full is of no use to others, so it stays out of what a project
    shares.
    """
    shared, *local = settings_files(client, root)
    if words == (PROGRAM,) or not local:
        return shared
    return local[-1]


def shown_path(path: str, root: str | None) -> str:
    """A path as people know it, and where it leads."""
    base = os.path.expanduser("~")
    mark = f"~{os.sep}"
    if root:
        base = root
        mark = ""
    if not inside(path, base):
        return path

    name = os.path.relpath(path, base)
    real = os.path.realpath(path)
    real_base = os.path.realpath(base)
    is_link = real != os.path.join(real_base, name)
    if is_link:
        return f"{mark}{name} (a link to {real})"
    return mark + name


def is_here(client: Client, root: str | None) -> bool:
    """Whether the client seems to be used: its program is on the PATH, or a folder of it is there."""
    if shutil.which(client.program):
        return True
    settings = settings_files(client, root)[0]
    folders = [os.path.dirname(settings)]
    if root and client.own_folder:
        folders.append(os.path.join(root, client.own_folder))
    return any(map(os.path.isdir, folders))


def plugin_file(client: Client, root: str | None) -> str:
    """The settings that switch on our plugin, which brings the same hooks; nothing where it is off
    or absent.
    """
    if not client.plugins:
        return ""
    paths = [*settings_files(client, None)]
    if root:
        paths += settings_files(client, root)

    # A later file has the last word on a plugin that an earlier one names too.
    switched_on: dict[str, str] = {}
    for path in paths:
        try:
            enabled = read(read_settings(path) or "").root.value.get(client.plugins)
        except (DctxError, NotJson):
            continue
        if isinstance(enabled, dict):
            for name, state in enabled.items():
                if name.startswith(PLUGIN):
                    switched_on[name] = path if state is True else ""
    return next(filter(None, switched_on.values()), "")
