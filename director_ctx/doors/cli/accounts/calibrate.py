"""`dctx tokens calibrate`: the estimate, fitted to what the user's own requests really took."""

from __future__ import annotations

import sys

from director_ctx.base.errors import OK
from director_ctx.base.record import as_dict
from director_ctx.context.tokens.calibrate import calibrate
from director_ctx.context.tokens.calibrations import place
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say, speak
from director_ctx.doors.cli.shared.table import put_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.context.tokens.calibration import Fit


def run(values: dict[str, Any]) -> int:
    fits = calibrate(values["transcripts"], progress)
    path = place()
    if values["json"]:
        put_json({"fits": [as_dict(fit) for fit in fits], "file": path})
        return OK

    columns = [
        "Model",
        ">Requests",
        ">Scale",
        ">Per block",
        ">Half within",
        ">Nine in ten within",
    ]
    put_table(columns, [_row(fit) for fit in fits])
    say(f"kept in {path}; --counter calibrated uses it.")
    return OK


def _row(fit: Fit) -> list[str]:
    return [
        fit.family,
        f"{fit.requests:,}",
        f"{fit.scale:.3f}",
        f"{fit.overhead:.1f}",
        f"{fit.half:.1%}",
        f"{fit.most:.1%}",
    ]


def progress(number: int, of: int) -> None:
    """One line, written over itself, for a person who waits."""
    if sys.stderr and sys.stderr.isatty():
        end = ""
        if number == of:
            # What is said next stands below it.
            end = "\n"
        speak(f"\rdctx: transcript {number:,} of {of:,}{end}")
