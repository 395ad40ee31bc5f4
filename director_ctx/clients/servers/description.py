"""The server as the settings of a client describe it, and ours told from somebody else's. Pure."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.clients.entries import names_us, paired_options
from director_ctx.clients.servers.places import LISTED, LOCAL, TYPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.clients.servers.places import ServerFile

WORKSPACE = "${workspaceFolder}"
"""What an editor puts the folder of a project in for."""
_OPTIONS = ("--write", "--root", "--tools")


class ServerCall(Record):
    """How a description calls `dctx mcp`."""

    program: tuple[str, ...]
    options: Mapping[str, str]

    @property
    def areas(self) -> str:
        """What agents may change."""
        return self.options.get("--write", "")


def described(file: ServerFile, program: tuple[str, ...], areas: str = "") -> dict[str, Any]:
    """The server as it is written into a file."""
    words = [*program, "mcp"]
    if areas:
        words += ["--write", areas]
    if file.names_root:
        words += ["--root", WORKSPACE]

    command, *arguments = words
    if file.shape == LISTED:
        return {"type": "local", "command": words, "enabled": True}
    if file.shape == TYPED:
        return {"type": "stdio", "command": command, "args": arguments}
    if file.shape == LOCAL:
        return {"type": "local", "command": command, "args": arguments, "tools": ["*"]}
    return {"command": command, "args": arguments}


def called_words(description: object) -> tuple[str, ...]:
    """The words that a client would start; none where that is no program."""
    if not isinstance(description, dict):
        return ()
    command = description.get("command")
    arguments = description.get("args", [])
    if isinstance(command, list):
        return tuple(map(str, command))
    if not isinstance(command, str) or not isinstance(arguments, list):
        return ()
    return (command, *map(str, arguments))


def read_call(words: tuple[str, ...]) -> ServerCall | None:
    """None where something else is started than our server for the client that starts it."""
    if "mcp" not in words:
        return None
    at = words.index("mcp")
    options = paired_options(words[at + 1 :])
    if options is None or not names_us(words[:at]) or not {*options} <= {*_OPTIONS}:
        return None
    return ServerCall(words[:at], options)


def is_ours(file: ServerFile, description: object) -> bool:
    """Whether it is exactly what an installation writes, of this version or another place of dctx."""
    call = read_call(called_words(description))
    return call is not None and description == described(file, call.program, call.areas)
