"""Hooks that ask a server which is there already, instead of starting a program; and the command beside
each of them, for when that server is gone.
"""

from __future__ import annotations

from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.table import Client

KIND = "mcp_tool"
SERVER = "dctx"
PLUGIN_SERVER = "plugin:dctx:dctx"
"""What Claude Code calls the server that our plugin brings."""
TOOL = "hook"
"""It is in no list of tools, so that no model is shown it."""
FOLDER = ".local/state/dctx/serving"
"""Below the home, also where XDG_STATE_HOME moves the rest: not every client hands that on."""
BESIDE = ("--beside", "mcp")
"""The words by which the program knows that a server may be asked the same."""
_SHELL = "exec sh -c "
"""In the place of the client's own shell, which may be any: its parent is still the client."""
_TEST = (
    'for s in "$HOME"/{folder}/{name}-$PPID-*;'
    ' do kill -0 "${{s##*-}}" 2>/dev/null && exec cat >/dev/null; done; exec '
)
"""Silent where the server lives; its input is read to the end, as the client expects."""


def tool_handler(client: Client, kind: str, part: int, timeout: int, server: str) -> dict[str, Any]:
    told = {"client": client.name}
    if part:
        told["part"] = str(part)
    for field in client.by_tool[kind]:
        told[field] = f"${{{field}}}"
    return {"type": KIND, "server": server, "tool": TOOL, "input": told, "timeout": timeout}


def calls_server(handler: object) -> bool:
    """Whether a handler asks a server of ours."""
    if not isinstance(handler, dict):
        return False
    is_hook = handler.get("type") == KIND and handler.get("tool") == TOOL
    return is_hook and handler.get("server") in (SERVER, PLUGIN_SERVER)


def names_of(client: str) -> tuple[str, str]:
    """How servers of a client are called in that folder: one that its settings name, one of the plugin."""
    return client, f"{client}-plugin"


def shell_test(name: str) -> str:
    """What a shell does before it calls us."""
    return _TEST.format(folder=FOLDER, name=name)


def if_nobody_serves(command: str, client: str, server: str) -> str:
    """The command, silent as long as this server answers."""
    import shlex

    name, name_of_plugin = names_of(client)
    if server == PLUGIN_SERVER:
        name = name_of_plugin
    return _SHELL + shlex.quote(shell_test(name) + command)


def without_test(command: str) -> str:
    """What a command calls that looks for a server first; any other as it is."""
    import shlex

    if not command.startswith(_SHELL):
        return command
    try:
        scripts = shlex.split(command.removeprefix(_SHELL))
    except ValueError:
        return command
    if len(scripts) != 1:
        return command

    for client in CLIENTS:
        for name in names_of(client):
            test = shell_test(name)
            if scripts[0].startswith(test):
                return scripts[0].removeprefix(test)
    return command
