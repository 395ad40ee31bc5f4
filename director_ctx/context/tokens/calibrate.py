"""From the user's transcripts to a calibration that is kept."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import as_dict
from director_ctx.context.tokens.calibration import FEWEST, Fit, InputGrowth, family, fit_all
from director_ctx.context.tokens.calibrations import keep
from director_ctx.context.tokens.estimate import estimate
from director_ctx.context.tokens.transcripts import Transcript, default_folder, transcripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def calibrate(folder: str | None, progress: Callable[[int, int], None]) -> tuple[Fit, ...]:
    """Reads, fits and keeps. Raises DctxError where there is too little to go by."""
    location = default_folder()
    if folder:
        location = os.path.expanduser(folder)
    if not os.path.isdir(location):
        raise DctxError(
            f"There are no transcripts: {location} is not a folder.",
            "Name another with --transcripts.",
        )
    differences = read_differences(location, progress)
    fits = fit_all(differences)
    if not fits:
        raise DctxError(
            f"There is too little to calibrate by: {len(differences)} requests can be compared with the one before, "
            f"and a model needs {FEWEST}.",
            "Work with Claude Code for a while; --counter estimate needs no calibration.",
        )
    keep({"fits": [as_dict(fit) for fit in fits]})
    return fits


def read_differences(folder: str, progress: Callable[[int, int], None]) -> list[InputGrowth]:
    """A request that was copied into another transcript, as a resumed session does, counts once."""
    paths = transcripts(folder)
    by_request: dict[str, InputGrowth] = {}
    for number, path in enumerate(paths, 1):
        progress(number, len(paths))
        transcript = Transcript(estimate)
        try:
            transcript.read(path)
        except OSError:
            continue
        for request, growth in transcript.growths():
            difference = InputGrowth(
                family=family(growth.model),
                conversation=path,
                tokens=growth.tokens,
                estimate=growth.estimate,
                blocks=growth.blocks,
            )
            by_request.setdefault(request, difference)
    return list(by_request.values())
