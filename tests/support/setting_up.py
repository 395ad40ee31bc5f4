"""What `dctx setup` puts into clients, part by part, and takes out again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import Result

from director_ctx.clients.parts.part import Wish
from director_ctx.clients.parts.table import PARTS
from director_ctx.clients.table import CLIENTS

Dctx = Callable[..., Result]
OWN = {".local", ".cache", ".dctx", ".git"}
VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "DCTX_HOOKS", "VIRTUAL_ENV")
"""Of the environment, which lead a client elsewhere."""


def put(dctx: Dctx, folder: Path, what: str, *more: str, client: str = "claude") -> Result:
    words = ("--what", what, "--client", client, "--no-verify")
    return dctx("setup", *words, *(more or ("--yes",)), cwd=folder)


def take(dctx: Dctx, folder: Path, what: str, *more: str, client: str = "claude") -> Result:
    return dctx(
        "setup", "--undo", "--what", what, "--client", client, *(more or ("--yes",)), cwd=folder
    )


def changes(what: str, client: str, folder: Path, wish: Wish | None = None) -> Any:
    """As setup would make them in a project."""
    return PARTS[what].put(client, str(folder), wish or Wish(), {})


def removals(what: str, client: str, folder: Path) -> Any:
    return PARTS[what].take(client, str(folder), {})


def show(dctx: Dctx, folder: Path, part: str = "") -> Any:
    """What `agents show` says; of one part, what is installed."""
    shown = json.loads(dctx("agents", "show", "--json", cwd=folder).out)
    if not part:
        return shown
    return [row for row in shown["installed"] if row["part"] == part]


def home() -> Path:
    return Path(os.environ["HOME"])


def tree(*folders: Path) -> dict[str, bytes]:
    """Every file and folder, except what dctx and git keep for themselves."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if not OWN & set(path.parts):
                found[str(path)] = path.read_bytes() if path.is_file() else b""
    return found


def written(path: Path, text: str = '{\n    "theme": "dark"\n}') -> Path:
    """A file of somebody's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def hooks_file(folder: Path, client: str) -> Path:
    """Where hooks go as long as dctx is called by its place in full."""
    return folder / (CLIENTS[client].local_settings or CLIENTS[client].settings)
