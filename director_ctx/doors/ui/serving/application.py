"""Every address and what answers it: made of the tables of pages and actions."""

from __future__ import annotations

import os
import re
import time
from importlib import import_module
from json import dumps
from os.path import dirname
from secrets import token_hex
from urllib.parse import parse_qsl, urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import (
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.strict_json import strict_json
from director_ctx.doors.ui.pages.places import places
from director_ctx.doors.ui.pages.table import ACTIONS, PAGES, PageAction, WebPage, navigation
from director_ctx.doors.ui.running_chats import RunningChats, RunningTurn
from director_ctx.doors.ui.serving.entrance import (
    FORM_TOKEN,
    HEADER_TOKEN,
    LARGEST_BODY,
    Entrance,
    EntranceRules,
)
from director_ctx.doors.ui.serving.looking import look_at
from director_ctx.doors.ui.serving.markdown import message_as_html
from director_ctx.doors.ui.serving.open_pages import OpenPages
from director_ctx.doors.ui.serving.rendering import (
    TYPES,
    read_asset,
    rendered,
    sendable,
    streamed,
    version_of,
)
from director_ctx.doors.ui.visit import Done, NotThere, Visit, link_to
from director_ctx.history.sessions.told import shown_text
from director_ctx.project.kept_documents import KeptDocuments
from director_ctx.project.project import Project, load_project
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Any

    from starlette.requests import Request
    from starlette.types import ASGIApp

    Json = dict[str, Any]

MOST = 100


class Notices:
    """By a word in the address, so that no address can make the page say something."""

    def __init__(self) -> None:
        self._said: dict[str, Done] = {}

    def address_with(self, done: Done) -> str:
        """Where it is shown what was done; what shows by itself needs no words."""
        if not done.says:
            return done.then
        word = token_hex(8)
        self._said[word] = done
        while len(self._said) > MOST:
            oldest = next(iter(self._said))
            self._said.pop(oldest, None)
        between = "&" if urlsplit(done.then).query else "?"
        return f"{done.then}{between}said={word}"

    def take(self, word: str) -> Done | None:
        return self._said.pop(word, None)


PACKAGE = dirname(dirname(dirname(dirname(__file__))))
ENDINGS = (".py", ".html", ".js", ".css")


def changed_since(moment: float, folder: str = PACKAGE) -> bool:
    """By when the system wrote a file: an installer may give it a time of long ago."""
    return any(written > moment for written in _times(folder))


def _times(folder: str) -> Iterator[float]:
    for where, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(ENDINGS):
                continue
            try:
                yield os.stat(os.path.join(where, name)).st_ctime
            except OSError:
                continue  # it is being replaced


FOREVER = {"cache-control": "private, max-age=31536000, immutable"}
MOST_FIELDS = 500
LONGEST_NAME = 100
_KEPT = KeptDocuments()
"""Documents that did not change since they were read."""


class JsonAnswer(JSONResponse):
    """As standard output has it."""

    def render(self, content: Any) -> bytes:
        text = strict_json(content, separators=(",", ":"))
        return sendable(text).encode("utf-8")


class Application:
    """The project that is shown, and what all requests share."""

    def __init__(self, root: str, rules: EntranceRules) -> None:
        self.root = root
        self._real = os.path.realpath(root)
        """Where it was when this was started."""
        # In each address: a page of another project, left open, finds nothing here.
        words = re.findall(r"[a-z0-9]+", os.path.basename(root).casefold())
        name = "-".join(words) or "project"
        self.name = "project-assets" if name == "assets" else name
        self.rules = rules
        self.began = time.time()
        self.pages = OpenPages(root)
        self.notices = Notices()
        self.chats = RunningChats()

    def app(self) -> ASGIApp:
        routes = [
            Route("/", self.home),
            Route("/assets/{name}", self.asset),
            Route("/{project}/", self.project_home),
            Route("/{project}/events", self.events),
            Route("/{project}/places.json", self.places),
            Route("/{project}/chats/{chat}/stream", self.chat_stream),
        ]
        for action in ACTIONS:
            carry_out = _CarryOut(self, action)
            routes.append(
                Route(f"/{{project}}/{action.address}", carry_out.answer, methods=["POST"])
            )
        for page in PAGES:
            shown = _ShownPage(self, page)
            # The twin first: a task's address may have anything in it.
            routes.append(Route(f"/{{project}}/{page.address}.json", shown.as_json))
            routes.append(Route(f"/{{project}}/{page.address}", shown.as_page))
        failures: Any = {
            DctxError: self.failure,
            HTTPException: self.lost,
            Exception: self.bug,
        }
        whole = Starlette(routes=routes, exception_handlers=failures)
        return Entrance(whole, self.rules)

    async def home(self, _: Request) -> Response:
        return RedirectResponse(link_to(self.name, "now"), 303)

    async def project_home(self, request: Request) -> Response:
        return RedirectResponse(self.visit(request).link("now"), 303)

    async def asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        kind = TYPES.get(name.rpartition(".")[2])
        try:
            data = read_asset(name)
        except (OSError, ValueError):
            kind = None
        if kind is None:
            raise HTTPException(404)
        headers = FOREVER if request.query_params.get("v") == version_of(name) else {}
        return Response(data, media_type=kind, headers=headers)

    async def events(self, request: Request) -> Response:
        self.visit(request)
        if self.pages.is_full:
            return PlainTextResponse("Too many pages are open.\n", 503, {"retry-after": "30"})
        asked = request.query_params
        talk = asked.get("talk", "")[:LONGEST_NAME]
        lines = self.pages.listen(talk, asked.get("tabs") == "1")
        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(lines, media_type="text/event-stream", headers=headers)

    async def chat_stream(self, request: Request) -> Response:
        """What a model is answering, as it comes."""
        visit = self.visit(request)
        turn = self.chats.of(visit.parts["chat"])
        if turn is None:
            raise NotThere("Nobody is answering in this chat.", "Load the page anew.")
        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(chat_lines(turn), media_type="text/event-stream", headers=headers)

    async def places(self, request: Request) -> Response:
        visit = self.visit(request)
        return JsonAnswer(await run_in_threadpool(places, visit))

    def visit(self, request: Request) -> Visit:
        parts = dict(request.path_params)
        name = parts.pop("project")
        project = self.project(name)
        tell = self.pages.teller()
        return Visit(project, name, parts, dict(request.query_params), tell, self.chats)

    def project(self, name: str) -> Project:
        """Looked at anew: it may be gone, or somebody else's by now."""
        if name != self.name:
            raise NotThere(
                f"There is no project {name[:40]!r} here.", "/ leads to the one that is."
            )
        if os.path.realpath(self.root) != self._real:
            raise NotThere(
                f"{self.root} leads to another folder than before.",
                "Start `dctx ui` again to see it.",
            )
        project = load_project(root=self.root)
        project.kept = _KEPT
        return project

    async def failure(self, request: Request, error: DctxError) -> Response:
        """What went wrong in its own words, as a page or as JSON."""
        status = _status_of(error)
        if _wants_json(request):
            lines = (error.head, *error.each)
            said = {"error": "\n".join(lines), "hint": error.hint}
            return JsonAnswer(said, status)
        visit: Visit | None = None
        try:
            visit = self.visit(request)
        except (DctxError, KeyError):
            pass  # there is no project, or none that can be shown
        back = ""
        if request.method == "POST":
            # The page whose form was sent: an action stands below it.
            back = request.url.path.lstrip("/").partition("/")[2].rpartition("/")[0]
        text = await run_in_threadpool(self._failure_page, visit, error, back)
        return Response(text, status, media_type="text/html")

    def _failure_page(self, visit: Visit | None, error: DctxError, back: str) -> str:
        if visit is None:
            return rendered("lost", message=error.message, hint=error.hint)
        frame = self.frame(visit, WebPage("failure", "", "That did not work"))
        said = {"message": error.head, "each": error.each, "hint": error.hint}
        return rendered("failure", **frame, **said, back=back)

    async def lost(self, request: Request, error: HTTPException) -> Response:
        message = "There is no such page."
        if _wants_json(request):
            return JsonAnswer({"error": message, "hint": ""}, error.status_code, error.headers)
        text = rendered("lost", message=message, hint="")
        return Response(text, error.status_code, error.headers, media_type="text/html")

    async def bug(self, request: Request, error: Exception) -> Response:
        """What went wrong is printed where the server runs."""
        message = "Something went wrong in dctx itself."
        hint = "The terminal that `dctx ui` runs in says more."
        is_old = isinstance(error, ImportError) or changed_since(self.began)
        if is_old:
            message = "dctx was changed since this page was started."
            hint = "Start `dctx ui` again."
        if _wants_json(request):
            return JsonAnswer({"error": message, "hint": hint}, 500)
        text = rendered("lost", message=message, hint=hint)
        return Response(text, 500, media_type="text/html")

    def frame(self, visit: Visit, page: WebPage) -> Json:
        """What is around every page."""

        return {
            "page": page,
            "navigation": navigation(),
            "link": visit.link,
            "project_name": project_name(visit.project) or visit.name,
            "mark": look_at(visit.project.root),
            "form_token": self.rules.form_token,
            "form_token_field": FORM_TOKEN,
            "read_only": self.rules.read_only,
            "notice": self.notices.take(visit.asked("said")),
        }


class _ShownPage(Record):
    """One page, and its twin as JSON."""

    home: Application
    page: WebPage

    async def as_json(self, request: Request) -> Response:
        visit = self.home.visit(request)
        return JsonAnswer(await run_in_threadpool(self._function("data"), visit))

    async def as_page(self, request: Request) -> Response:
        visit = self.home.visit(request)
        values = await run_in_threadpool(self._values, visit)
        if self.page.streams:
            pieces = streamed(self.page.name, **values)
            return StreamingResponse(pieces, media_type="text/html")
        text = await run_in_threadpool(rendered, self.page.name, **values)
        return Response(text, media_type="text/html")

    def _values(self, visit: Visit) -> Json:
        # First, so that what changes meanwhile is shown by the next look.
        frame = self.home.frame(visit, self.page)
        data = self._function("data")(visit)
        return {**frame, **self._function("view")(data)}

    def _function(self, what: str) -> Any:
        page = self.page
        module = import_module(f"director_ctx.doors.ui.pages.{page.module or page.name}")
        return getattr(module, f"{page.name}_{what}")


class _CarryOut(Record):
    """One thing that can be changed."""

    home: Application
    action: PageAction

    async def answer(self, request: Request) -> Response:
        visit = self.home.visit(request)
        form = await _form_of(request)
        in_form = form.pop(FORM_TOKEN, "")
        given = request.headers.get(HEADER_TOKEN, in_form)
        if not self.home.rules.is_form_token(given):
            return PlainTextResponse("This form is not from here: load the page anew.\n", 403)

        done = await run_in_threadpool(self._carry_out, visit, form)
        return RedirectResponse(self.home.notices.address_with(done), 303)

    def _carry_out(self, visit: Visit, form: dict[str, str]) -> Done:
        module = import_module(f"director_ctx.doors.ui.pages.{self.action.module}")
        done: Done = getattr(module, self.action.call)(visit, form)
        return done


async def _form_of(request: Request) -> dict[str, str]:
    """Of a name that comes twice, the last. No more is read than may come."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_BODY:
            raise UsageProblem("That is too much.", "Say it in fewer words.")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise UsageProblem("That is no form.", "Load the page anew.") from error
    return dict(pairs)


def _wants_json(request: Request) -> bool:
    """Our own scripts do, who say in words what went wrong."""
    asked = request.headers.get("accept", "")
    return "application/json" in asked or request.url.path.endswith(".json")


def _status_of(error: DctxError) -> int:
    if isinstance(error, NotThere):
        return 404
    if isinstance(error, UsageProblem):
        return 400
    return 409


async def chat_lines(turn: RunningTurn) -> AsyncIterator[str]:
    """Whole paragraphs as HTML, what is written right now as it is, and at last that it is over."""
    async for piece in turn.pieces():
        if piece is None:
            yield ":\n\n"
            continue
        told = {
            "from": piece.first,
            "blocks": [message_as_html(shown_text(block)) for block in piece.blocks],
            "rest": shown_text(piece.rest),
        }
        yield f"event: said\ndata: {dumps(told)}\n\n"
    yield "event: over\ndata: 1\n\n"
