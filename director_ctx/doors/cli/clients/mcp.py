"""`dctx mcp`: tools for agents, served to the client that started us."""

from __future__ import annotations

import os

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.doors.mcp.server import serve
from director_ctx.tools.service import ToolService
from director_ctx.tools.tool import AREAS
from director_ctx.tools.tool_sets import FEW, SETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

START = "CLAUDE_PROJECT_DIR"
"""Where Claude Code says its project is; other clients start a server in it."""
ROOT = "DCTX_ROOT"


def run(values: dict[str, Any]) -> int:
    name = values["tools"] or FEW
    if name not in SETS:
        raise UsageProblem(f"There is no set of tools {name!r}.", f"One of: {', '.join(SETS)}.")
    service = ToolService(
        root=values["root"] or os.environ.get(ROOT) or None,
        start=os.environ.get(START) or os.getcwd(),
        tools=SETS[name],
        writable=writable_areas(values["write"] or ""),
    )
    _explain_to_people()
    serve(service)
    return OK


def writable_areas(words: str) -> tuple[str, ...]:
    """What `--write` names, with commas between."""
    areas = []
    for word in words.split(","):
        area = word.strip()
        if area and area not in AREAS:
            raise UsageProblem(
                f"--write {area}: that is nothing that can be changed.",
                f"One or more of: {','.join(AREAS)}.",
            )
        if area:
            areas.append(area)
    return tuple(areas)


def _explain_to_people() -> None:
    """Somebody who types it by hand would wait for an answer."""
    if os.isatty(0):
        from director_ctx.doors.cli.shared.speak import say

        say(
            "An agent's client starts this, and speaks the Model Context Protocol with it.",
            "`dctx setup --what mcp` tells Claude Code of it. Ctrl-C ends it.",
        )
