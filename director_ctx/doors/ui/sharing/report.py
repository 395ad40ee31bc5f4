"""The pages as one file that needs nothing else: no server, no script, no picture from elsewhere."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from importlib import import_module

from markupsafe import Markup

from director_ctx import __version__
from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.doors.ui.pages.table import PAGES
from director_ctx.doors.ui.serving.rendering import read_asset, rendered, rendered_alone
from director_ctx.doors.ui.sharing.conversation import longest_conversation
from director_ctx.doors.ui.sharing.redacted import redacted
from director_ctx.doors.ui.sharing.standing_alone import PIECE, standing_alone
from director_ctx.doors.ui.visit import Visit
from director_ctx.memory.runs.storage import read_runs
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.doors.ui.pages.table import WebPage
    from director_ctx.project.project import Project

    Json = dict[str, Any]

MARK = "<!-- Made by dctx report. -->"
"""By which a file is known as one that may be written anew."""
STYLES = ("page.css", "told.css", "conversations.css", "memory.css", "report.css")
POLICY = "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
NAME = "report"
"""The project's, where pages ask for one: nothing is at an address of it."""
CONTEXT, CONVERSATION = "told_context", "conversation"
TITLES = {CONTEXT: "The newest context", CONVERSATION: "The longest conversation"}
TEMPLATES = {CONVERSATION: "report_conversation"}
"""Of pages that a report has in another form than the page itself."""


class ReportPiece(Record):
    """A page of the report, read and without secrets."""

    page: str
    title: str
    address: str
    """By which other pages link to it."""
    values: Json
    """What its template is filled in with."""


def report(project: Project) -> str:
    """Secrets are hidden before anything is made of what has them."""
    pieces = list(_pieces(project))
    shown = [(piece, Markup(_piece_html(piece, pieces))) for piece in pieces]
    style = _style()
    return rendered(
        "report",
        mark=Markup(MARK),
        name=redacted(project_name(project)),
        policy=POLICY.format(hash=_hash_of(style)),
        style=Markup(style),
        pieces=shown,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )


def _pieces(project: Project) -> Iterator[ReportPiece]:
    for name in ("now", "plan", "project", "told"):
        yield _piece(project, name)
    runs = read_runs(project.root, 1)
    if runs:
        yield _piece(project, CONTEXT, {"id": runs[-1].id})
    session = longest_conversation(project)
    if session:
        try:
            yield _piece(project, CONVERSATION, {"session": session})
        except DctxError:
            pass  # a file that is gone meanwhile is no reason to have no report
    yield _piece(project, "budget")
    yield _piece(project, "health")


def _piece(project: Project, name: str, parts: Mapping[str, str] | None = None) -> ReportPiece:
    page = _page_called(name)
    module = import_module(f"director_ctx.doors.ui.pages.{page.module}")
    data = module.data(Visit(project, NAME, parts or {}))
    if name == CONVERSATION:
        # What was said stays with those who said it.
        data["entries"] = []
    return ReportPiece(
        page=name,
        title=TITLES.get(name, page.title),
        address=page.address.format(**parts or {}),
        values=module.view(redacted(data)),
    )


def _page_called(name: str) -> WebPage:
    for page in PAGES:
        if page.name == name:
            return page
    raise LookupError(name)


def _piece_html(piece: ReportPiece, pieces: Sequence[ReportPiece]) -> str:
    places = {other.address: f"{PIECE}{other.page}" for other in pieces}

    def link(address: str, **_: object) -> str:
        return places.get(address, PIECE)

    around = {
        "alone": True,
        "link": link,
        "read_only": True,
        "form_token": "",
        "form_token_field": "",
    }
    template = TEMPLATES.get(piece.page, piece.page)
    return standing_alone(rendered_alone(template, **around, **piece.values), piece.page)


def _style() -> str:
    """All that these pages have, since a file has no address to fetch it from."""
    texts = [read_asset(name).decode("utf-8") for name in STYLES]
    return "\n" + "\n".join(texts)


def _hash_of(style: str) -> str:
    return b64encode(sha256(style.encode()).digest()).decode("ascii")
