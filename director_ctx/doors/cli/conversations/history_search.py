"""`dctx history search`: where a text was said."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, rows_wanted
from director_ctx.history.sessions import search as session_search
from director_ctx.history.sessions.files import short_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def search(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    matches = session_search.search(values["text"], values["root"], values["regex"], values["all"])
    # `-0` is the beginning, so without --last these are all of them.
    newest = list(matches)[-last:]
    if values["json"]:
        put_json([match.as_json() for match in newest])
    elif newest:
        lines = []
        for match in newest:
            # In a pipe there is no colour that could tell.
            mark, style = (" (archived)", "dim") if match.archived else ("", "")
            where = f"{short_id(match.session)}:{match.number} {match.role}{mark}"
            lines.append((f"{where}: {match.line}", style))
        put_lines(lines)
    else:
        hint = "" if values["all"] else "--all searches the conversations of every project."
        say("Nothing was found.", hint)
    return OK
