"""That a server answers hooks, told by the name of an empty file: what stands beside it as a command
finds out by a shell alone whether it is needed, and no Python starts for that.

The files lie in the user's home, where no project reaches them. Each is called after the client that
started the server, by its process id, and after the server itself: `claude-4711-4712`. What a killed
server leaves behind names a process that is gone, and holds nobody up.
"""

from __future__ import annotations

import os
import sys
from time import time

from director_ctx.clients.by_server import FOLDER, names_of

ANSWERED = ".local/state/dctx/answered"
SECONDS = 5.0
"""After these whoever was asked has answered, or never will."""
LONGEST = 200
PLUGIN_FOLDER = "CLAUDE_PLUGIN_ROOT"
"""What Claude Code gives to a server that a plugin brings."""


def is_possible() -> bool:
    """Whether there are shells here that know the process of their client, which Windows' do not."""
    return sys.platform != "win32"


def announce(name: str) -> str:
    """Says that this process answers the hooks of the client that started it. The file that says so;
    an empty string where it cannot be said.
    """
    folder = os.path.join(os.path.expanduser("~"), *FOLDER.split("/"))
    client = os.getppid()
    path = os.path.join(folder, f"{name}-{client}-{os.getpid()}")
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        _sweep(folder)
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(path, flags, 0o600))
    except OSError:
        return ""
    return path


def withdraw(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        # Somebody tidied up.
        pass


def claim(key: str) -> bool:
    """Whether nobody else has answered this in the last seconds: a client starts a server anew that
    is gone, and then that server is asked, and the program beside it, too.
    """
    folder = os.path.join(os.path.expanduser("~"), *ANSWERED.split("/"))
    name = "".join(char if char.isalnum() else "-" for char in key)
    path = os.path.join(folder, name[-LONGEST:])
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        _forget(folder)
        # Of another answer to the like, such as to the next prompt.
        if _is_old(path):
            withdraw(path)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError:
        # Twice is better than not at all.
        pass
    return True


_forgot = [0.0]
"""When this process last took away what is old."""


def _forget(folder: str) -> None:
    """A server does so now and then, and not with every answer."""
    now = time()
    if now - _forgot[0] < SECONDS:
        return
    _forgot[0] = now
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if _is_old(path):
            withdraw(path)


def _is_old(path: str) -> bool:
    try:
        return time() - os.lstat(path).st_mtime > SECONDS
    except OSError:
        return False


def _sweep(folder: str) -> None:
    """Takes away what servers left behind that were killed."""
    for name in os.listdir(folder):
        pid = name.rpartition("-")[2]
        if pid.isdecimal() and not _lives(int(pid)):
            withdraw(os.path.join(folder, name))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def own_name_for(client: str) -> str:
    """How this process is called there, started by a client."""
    of_settings, of_plugin = names_of(client)
    if os.environ.get(PLUGIN_FOLDER):
        return of_plugin
    return of_settings
