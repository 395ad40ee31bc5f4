"""`dctx setup --undo`: what a setup did here is taken back, after it was shown."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.clients.setup.as_json import undo_json
from director_ctx.clients.setup.undo import carry_out_undo, plan_undo
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.start.setup_screen import marked, put_patches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.setup.undo import UndoStep


def undo(root: str, values: dict[str, Any]) -> int:
    steps = plan_undo(root)
    if not values["json"]:
        _show(root, steps, values["diff"])
    goes = not values["dry_run"] and _agreed(values)
    if goes:
        carry_out_undo(root, steps)
    if values["json"]:
        put_json(undo_json(root, steps, goes))
    elif goes:
        say("Undone.")
    return OK


def _agreed(values: dict[str, Any]) -> bool:
    if values["yes"]:
        return True
    if values["json"]:
        return False
    if says_yes("Undo this?", default=True):
        return True
    say("Nothing was undone.")
    return False


def _show(root: str, steps: tuple[UndoStep, ...], with_patches: bool) -> None:
    lines = [(f"Undoing what dctx setup did in {root}", "bold")]
    for step in steps:
        if step.stays:
            lines += marked("stays", step.says, "yellow")
        else:
            lines += marked("will", step.says, "")
    if not steps:
        lines.append(("  Nothing of it is left.", ""))
    put_lines(lines)
    if with_patches:
        for step in steps:
            put_patches(step.settings)
