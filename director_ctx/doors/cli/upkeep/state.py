"""`dctx state sync`: the records brought in line with the files."""

from __future__ import annotations

from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.times import now
from director_ctx.doors.cli.shared.upkeep_troubles import complaints
from director_ctx.doors.cli.upkeep.changes import changes
from director_ctx.project.project import load_project
from director_ctx.upkeep.as_json import upkeep_json
from director_ctx.upkeep.tasks import sync as bring_in_line
from director_ctx.upkeep.tasks import would_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def sync(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    only_shown = values["dry_run"]
    if only_shown:
        result = would_sync(root, now())
    else:
        result = bring_in_line(root, now())

    if values["json"]:
        put_json(upkeep_json(result))
    elif result.rewrites:
        count = _records(len(result.rewrites))
        ending = f"Brought in line: {count}."
        if only_shown:
            ending = f"Nothing was changed; without --dry-run {count} would be."
        put_lines([*changes(result.rewrites), (ending, "bold")])
    elif result.failed:
        put_lines([("Nothing was changed.", "bold")])
    else:
        put_lines([("Every record agrees with the files; nothing was changed.", "bold")])
    return complaints(result)


def _records(count: int) -> str:
    if count > 1:
        return f"{count} records"
    return f"{count} record"
