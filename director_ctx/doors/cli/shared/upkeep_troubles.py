"""What is said when a change of the folder met a trouble."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.doors.cli.shared.speak import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.upkeep.arranging.arrange import Arranged
    from director_ctx.upkeep.tasks import Upkeep


def complaints(done: Upkeep | Arranged) -> int:
    """1 if a record could not be written."""
    for warning in done.warnings:
        say(f"warning: {warning}")
    for failure in done.failed:
        # The file's name was changed already, and it is what counts; the records can follow later.
        say(
            f"{failure.path} could not be changed: {failure.why}.",
            "Mend that; then `dctx doctor --fix` brings it in line.",
        )
    if done.failed:
        return FAILED
    return OK
