"""What was removed, moved or renamed, as JSON for every door."""

from __future__ import annotations

from director_ctx.base.record import as_dict
from director_ctx.base.text import plain
from director_ctx.upkeep.as_json import rewrite_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.upkeep.arranging.arrange import Arranged


def arranged_json(done: Arranged) -> dict[str, Any]:
    renamed: list[dict[str, str]] = []
    for renaming in done.renamed:
        renamed.append({"from": plain(renaming.old), "to": plain(renaming.new)})
    return {
        "ref": done.ref,
        "title": done.title,
        "now": done.now or None,
        "archived": plain(done.archived) or None,
        "renamed": renamed,
        "changed": [rewrite_json(rewrite) for rewrite in done.rewrites],
        "failed": [as_dict(failure) for failure in done.failed],
        "warnings": list(done.warnings),
    }
