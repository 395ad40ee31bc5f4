"""Where each client keeps its servers of tools, and how it wants one described: as data."""

from __future__ import annotations

import os
import sys

from director_ctx.base.record import Record
from director_ctx.clients.program import shown_path
from director_ctx.clients.table import CLIENTS
from director_ctx.project.git.repository import repository

PLAIN, TYPED, LOCAL, LISTED = "plain", "typed", "local", "listed"
"""How a server is described: its command and arguments alone; with `type` before them; as Copilot
CLI has those of a user; or as OpenCode has them, in one list.
"""


class ServerPlace(Record):
    """Where one client has its servers."""

    client: str
    keys: tuple[str, ...]
    """The way to them in a file."""
    file: str
    """The file in a project,"""
    user_file: str
    """and the one in the user's home."""
    shape: str = PLAIN
    user_shape: str = ""
    """Where that is another."""
    home_variable: str = ""
    """The environment variable that stands for the first folder of `user_file`."""
    others: tuple[str, ...] = ()
    """What else it reads in a project,"""
    user_others: tuple[str, ...] = ()
    """and of a user."""
    has_own: bool = False
    """Whether the user's file has servers for one project, too, which nobody shares."""
    allows_comments: bool = False
    names_root: bool = False
    """Whether it starts a project's server in another folder, so that the project is named."""
    asks: str = ""
    """What it wants to be told before it starts a server that a project brings."""
    allows: str = ""
    """That it asks before each call of a tool,"""
    how_to_allow: str = ""
    """and how a person allows all of them."""
    in_configuration: bool = False
    """Whether the user's file is where a system keeps the configuration of programs."""
    own_title: str = ""
    own_program: str = ""

    @property
    def title(self) -> str:
        return self.own_title or CLIENTS[self.client].title

    @property
    def program(self) -> str:
        return self.own_program or CLIENTS[self.client].program


class ServerFile(Record):
    """One file that may have the server."""

    path: str
    name: str
    """As it is shown."""
    keys: tuple[str, ...]
    shape: str
    is_users: bool
    """Whether it is the user's own, which no project can lead elsewhere."""
    names_root: bool = False

    @property
    def is_toml(self) -> bool:
        return self.path.endswith(".toml")


_MCP_SERVERS = ("mcpServers",)

PLACES: dict[str, ServerPlace] = {
    place.client: place
    for place in (
        ServerPlace(
            client="claude",
            keys=_MCP_SERVERS,
            file=".mcp.json",
            user_file=".claude.json",
            home_variable="CLAUDE_CONFIG_DIR",
            has_own=True,
            asks="Claude Code asks once whether to use the servers of a project's .mcp.json.",
            allows="Claude Code asks before it calls a tool of the server, unless you allow them.",
            how_to_allow='To allow them: "permissions": {"allow": ["mcp__dctx"]} in .claude/settings.local.json, '
            "or claude --allowedTools mcp__dctx.",
        ),
        ServerPlace(
            client="codex",
            keys=("mcp_servers",),
            file=".codex/config.toml",
            user_file=".codex/config.toml",
            home_variable="CODEX_HOME",
            allows_comments=True,
            asks="Codex CLI reads a project's .codex/config.toml once you trust the project.",
        ),
        ServerPlace(
            client="gemini",
            keys=_MCP_SERVERS,
            file=".gemini/settings.json",
            user_file=".gemini/settings.json",
            allows_comments=True,
            asks="Gemini CLI starts a project's servers in trusted folders only.",
        ),
        ServerPlace(
            client="cursor",
            keys=_MCP_SERVERS,
            file=".cursor/mcp.json",
            user_file=".cursor/mcp.json",
            names_root=True,
            asks="Cursor asks once whether to use a new server.",
        ),
        ServerPlace(
            client="copilot",
            keys=_MCP_SERVERS,
            file=".mcp.json",
            user_file=".copilot/mcp-config.json",
            user_shape=LOCAL,
            home_variable="COPILOT_HOME",
            others=(".github/mcp.json",),
            asks="Copilot CLI starts a project's servers in trusted folders only.",
        ),
        ServerPlace(
            client="vscode",
            keys=("servers",),
            file=".vscode/mcp.json",
            user_file="Code/User/mcp.json",
            shape=TYPED,
            allows_comments=True,
            in_configuration=True,
            asks="VS Code asks once whether to trust a new server.",
        ),
        ServerPlace(
            client="opencode",
            keys=("mcp",),
            file="opencode.json",
            user_file="opencode/opencode.json",
            shape=LISTED,
            others=("opencode.jsonc",),
            allows_comments=True,
            user_others=("opencode/opencode.jsonc",),
            in_configuration=True,
            own_title="OpenCode",
            own_program="opencode",
        ),
    )
}


def server_files(place: ServerPlace, root: str | None) -> tuple[ServerFile, ...]:
    """The files that the server may be in, the one to share first: those of a project, or of the
    user where there is no project.
    """
    if root is None:
        return _user_files(place)
    files: list[ServerFile] = []
    for name in (place.file, *place.others):
        path = os.path.join(root, *name.split("/"))
        file = ServerFile(
            path=path,
            name=shown_path(path, root),
            keys=place.keys,
            shape=place.shape,
            is_users=False,
            names_root=place.names_root,
        )
        files.append(file)
    if place.has_own:
        [own] = _user_files(place)
        keys = ("projects", _project_key(root), *place.keys)
        files.append(own.replace(keys=keys))
    return tuple(files)


def _user_files(place: ServerPlace) -> tuple[ServerFile, ...]:
    shape = place.user_shape or place.shape
    base = _base(place)
    first = place.user_file
    moved = os.environ.get(place.home_variable, "")
    if moved:
        # The variable stands for the folder that the file is in.
        base = os.path.abspath(moved)
        first = os.path.basename(first)

    files: list[ServerFile] = []
    for name in (first, *place.user_others):
        path = os.path.join(base, *name.split("/"))
        shown = shown_path(path, None)
        files.append(ServerFile(path, shown, place.keys, shape, True))
    return tuple(files)


def _base(place: ServerPlace) -> str:
    """The folder that the path of a user's file begins in."""
    home = os.path.expanduser("~")
    if not place.in_configuration:
        return home
    # OpenCode keeps to the names of Linux everywhere.
    follows_system = place.client == "vscode"
    if follows_system and sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    if follows_system and sys.platform == "win32":
        return os.environ.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    return os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")


def _project_key(root: str) -> str:
    """What Claude Code calls a project: the top of its repository, the same for all its working
    trees.
    """
    top = os.path.realpath(root)
    git = repository(top)
    if git:
        top = git.top
        shared = os.path.realpath(git.shared)
        if os.path.basename(shared) == ".git":
            top = os.path.dirname(shared)
    return top.replace("\\", "/")
