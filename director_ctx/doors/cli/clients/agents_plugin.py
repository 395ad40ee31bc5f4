"""`dctx agents plugin`: the Claude Code plugin, out of what is installed."""

from __future__ import annotations

import shlex

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.clients.entries import shell_line
from director_ctx.clients.plugin.build import build_plugin
from director_ctx.clients.program import program
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_unstyled
from director_ctx.project.reading.locate import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def run(values: dict[str, Any]) -> int:
    words = program()
    if values["program"] is not None:
        words = _words(values["program"])
    paths = build_plugin(absolute(values["folder"]), words)
    folder = shlex.quote(values["folder"])
    skills = sum(path.startswith("skills/") for path in paths)
    agents = sum(path.startswith("agents/") for path in paths)
    heading = (
        f"Made the plugin dctx in {values['folder']}:"
        f" {skills} skills, {agents} agents, hooks, a server."
    )
    keep = f"claude plugin marketplace add {folder} && claude plugin install dctx@dctx"
    put_lines([(heading, "bold")])
    put_unstyled(
        [
            f"  It calls {shell_line(words)}",
            f"For one session: claude --plugin-dir {folder}",
            f"To keep it: {keep}",
        ]
    )
    # A path of this machine would fail on every other one that the plugin is copied to.
    if len(words) > 1 or words[0] != "dctx":
        say(
            "It calls dctx by its place on this machine; --program dctx makes one that can be shared."
        )
    return OK


def _words(text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError:
        words = ()
    if not words:
        raise UsageProblem(
            f"--program: {text!r} is not a command.", "Such as dctx, or a path in quotes."
        )
    return words
