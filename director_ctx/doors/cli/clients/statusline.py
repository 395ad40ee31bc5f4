"""`dctx statusline`: one line about the work, for the status line of Claude Code. The client waits for
it and shows whatever comes, so it always exits 0 and says nothing on stderr.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import OK
from director_ctx.doors.cli.clients.hook import find_root, read_input
from director_ctx.doors.cli.shared.output import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.status_line.line import Piece

PATIENCE = 2.0
"""Seconds: a client that forgets to end what it sends gets its line all the same."""
BETWEEN = " · "
STYLES = {"front": "1", "quiet": "2", "warning": "33", "urgent": "1;31"}


def run(values: dict[str, Any]) -> int:
    if os.isatty(0):
        from director_ctx.doors.cli.shared.speak import say

        say(
            "Claude Code calls this, with its session on standard input.",
            "`dctx agents install --what statusline` puts it there.",
        )
        return OK
    line = _line(values["root"], values["color"])
    if line:
        put(f"{line}\n")
    return OK


def _line(root: str | None, in_color: bool) -> str:
    try:
        pieces = _pieces(root)
    except Exception:
        # Whatever it is, a client would show a traceback with every answer.
        return ""
    return BETWEEN.join(shown_pieces(pieces, in_color))


def _pieces(root: str | None) -> list[Piece]:
    from director_ctx.base.light_json import parse
    from director_ctx.clients.status_line.line import status_pieces
    from director_ctx.project.project import Project, load_project

    try:
        event = parse(read_input(PATIENCE).decode("utf-8", "replace").lstrip("\ufeff"))
    except ValueError:
        event = {}
    if not isinstance(event, dict):
        event = {}
    project = None
    if root:
        project = load_project(root=root)
    else:
        place = find_root(_folder_of(event))
        if place:
            project = Project(place)
    return status_pieces(project, event)


def _folder_of(event: dict[str, Any]) -> str:
    """Where the session is at work, which the client does not start this in."""
    workspace = event.get("workspace")
    folder = ""
    if isinstance(workspace, dict):
        folder = workspace.get("current_dir") or workspace.get("project_dir") or ""
    if not isinstance(folder, str) or not os.path.isabs(folder):
        return ""
    return folder


def shown_pieces(pieces: Sequence[Piece], in_color: bool) -> list[str]:
    shown = []
    for text, style in pieces:
        if in_color and style:
            shown.append(f"\033[{STYLES[style]}m{text}\033[0m")
        else:
            shown.append(text)
    return shown
