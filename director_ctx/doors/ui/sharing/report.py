"""The pages as one file that needs nothing else: no server, no script, no picture from elsewhere."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from importlib import import_module

from markupsafe import Markup

from director_ctx import __version__
from director_ctx.base.record import Record
from director_ctx.doors.ui.pages.table import PAGES
from director_ctx.doors.ui.serving.rendering import read_asset, rendered, rendered_alone
from director_ctx.doors.ui.sharing.conversation import conversation
from director_ctx.doors.ui.sharing.redacted import redacted
from director_ctx.doors.ui.sharing.standing_alone import PIECE, standing_alone
from director_ctx.doors.ui.visit import Visit
from director_ctx.memory.runs.storage import read_runs
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from director_ctx.project.project import Project

MARK = "<!-- Made by dctx report. -->"
"""By which a file is known as one that may be written anew."""
STYLES = ("page.css", "told.css", "report.css")
POLICY = "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"


class ReportPiece(Record):
    """A page of the report."""

    page: str
    title: str
    parts: Mapping[str, str] = {}


def report(project: Project) -> str:
    """Secrets are hidden before anything is made of what has them."""
    pieces = list(_pieces(project))
    shown = [(piece, Markup(_piece_html(project, piece, pieces))) for piece in pieces]
    talk = redacted(conversation(project))
    style = _style()
    return rendered(
        "report",
        mark=Markup(MARK),
        name=redacted(project_name(project)),
        policy=POLICY.format(hash=_hash_of(style)),
        style=Markup(style),
        pieces=shown,
        talk=talk,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )


def _pieces(project: Project) -> Iterator[ReportPiece]:
    for name in ("now", "plan", "project", "told"):
        yield ReportPiece(name, _title_of(name))
    runs = read_runs(project.root, 1)
    if runs:
        yield ReportPiece("told_context", "The newest context", {"id": runs[-1].id})
    yield ReportPiece("budget", _title_of("budget"))


def _title_of(name: str) -> str:
    for page in PAGES:
        if page.name == name:
            return page.title
    raise LookupError(name)


def _piece_html(project: Project, piece: ReportPiece, pieces: list[ReportPiece]) -> str:
    module = import_module(f"director_ctx.doors.ui.pages.{piece.page}")
    visit = Visit(project, "report", piece.parts)
    view = module.view(redacted(module.data(visit)))
    places = _places(pieces)

    def link(address: str, **_: object) -> str:
        return places.get(address, "")

    around = {
        "alone": True,
        "link": link,
        "read_only": True,
        "form_token": "",
        "form_token_field": "",
    }
    return standing_alone(rendered_alone(piece.page, **around, **view), piece.page)


def _places(pieces: list[ReportPiece]) -> dict[str, str]:
    """By the addresses that pages link to, where that is in the file."""
    places = {}
    for piece in pieces:
        address = piece.page
        if "id" in piece.parts:
            address = f"told/{piece.parts['id']}"
        places[address] = f"{PIECE}{piece.page}"
    return places


def _style() -> str:
    """All that these pages have, since a file has no address to fetch it from."""
    texts = [read_asset(name).decode("utf-8") for name in STYLES]
    return "\n" + "\n".join(texts)


def _hash_of(style: str) -> str:
    return b64encode(sha256(style.encode()).digest()).decode("ascii")
