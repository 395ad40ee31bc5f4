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

    from director_ctx.history.sessions.search import FoundLine


def search(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    matches = session_search.search(values["text"], values["root"], values["regex"], values["all"])
    # `-0` is the beginning, so without --last these are all of them.
    newest = list(matches)[-last:]

    if values["json"]:
        put_json([match.as_json() for match in newest])
    elif newest:
        put_lines([_line(match) for match in newest])
    elif values["all"]:
        say("Nothing was found.")
    else:
        say("Nothing was found.", "--all searches the conversations of every project.")
    return OK


def _line(match: FoundLine) -> tuple[str, str]:
    """Where it is, as `dctx history show` counts, and the line around it."""
    where = f"{short_id(match.session)}:{match.number} {match.role}"
    if match.archived:
        # In a pipe there is no colour that could tell.
        return f"{where} (archived): {match.line}", "dim"
    return f"{where}: {match.line}", ""
