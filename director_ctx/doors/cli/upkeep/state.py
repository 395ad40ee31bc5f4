"""`dctx state sync`: the records brought in line with the files."""

from __future__ import annotations

from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.upkeep.changes import changes, complaints, now, upkeep_json
from director_ctx.project.project import load_project
from director_ctx.upkeep.tasks import sync as bring_in_line
from director_ctx.upkeep.tasks import would_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def sync(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    result = (would_sync if values["dry_run"] else bring_in_line)(root, now())
    if values["json"]:
        put_json(upkeep_json(result))
    elif result.failed and not result.rewrites:
        put_lines([("Nothing was changed.", "bold")])
    elif not result.rewrites:
        put_lines([("Every record agrees with the files; nothing was changed.", "bold")])
    else:
        count = f"{len(result.rewrites)} record{'s' if len(result.rewrites) > 1 else ''}"
        ending = (f"Nothing was changed; without --dry-run {count} would be.", "bold")
        put_lines(
            [
                *changes(result.rewrites),
                ending if values["dry_run"] else (f"Brought in line: {count}.", "bold"),
            ]
        )
    return complaints(result)
