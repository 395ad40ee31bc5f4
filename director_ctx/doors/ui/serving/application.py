"""Every address and what answers it: made of the tables of pages and actions."""

from __future__ import annotations

from importlib import import_module
from json import dumps
from urllib.parse import parse_qsl

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
from director_ctx.doors.ui.pages.places import places
from director_ctx.doors.ui.pages.projects import summary
from director_ctx.doors.ui.pages.table import ACTIONS, PAGES, PageAction, WebPage, navigation
from director_ctx.doors.ui.serving.entrance import (
    FORM_TOKEN,
    HEADER_TOKEN,
    LARGEST_BODY,
    Entrance,
    EntranceRules,
)
from director_ctx.doors.ui.serving.looking import look_at
from director_ctx.doors.ui.serving.notices import Notices
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
from director_ctx.project.project import Project, load_project
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from starlette.requests import Request
    from starlette.types import ASGIApp

    Json = dict[str, Any]

FOREVER = {"cache-control": "private, max-age=31536000, immutable"}
MOST_FIELDS = 500


class JsonAnswer(JSONResponse):
    """As standard output has it."""

    def render(self, content: Any) -> bytes:
        text = dumps(content, ensure_ascii=False, separators=(",", ":"))
        return sendable(text).encode("utf-8")


class Application:
    """The projects that are shown, and what all requests share."""

    def __init__(self, projects: Mapping[str, str], rules: EntranceRules) -> None:
        self.projects = projects
        self.rules = rules
        self.pages = OpenPages()
        self.notices = Notices()

    def app(self) -> ASGIApp:
        routes = [
            Route("/", self.home),
            Route("/assets/{name}", self.asset),
            Route("/{project}/", self.project_home),
            Route("/{project}/events", self.events),
            Route("/{project}/places.json", self.places),
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
        if len(self.projects) == 1:
            (name,) = self.projects
            return RedirectResponse(link_to(name, "now"), 303)
        return Response(await run_in_threadpool(self._list), media_type="text/html")

    def _list(self) -> str:
        rows = []
        for name, root in self.projects.items():
            rows.append({**summary(Project(root)), "href": link_to(name, "now")})
        return rendered("projects", projects=rows)

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
        headers = {}
        if request.query_params.get("v") == version_of(name):
            headers = FOREVER
        return Response(data, media_type=kind, headers=headers)

    async def events(self, request: Request) -> Response:
        root = self.visit(request).project.root
        if self.pages.is_full:
            return PlainTextResponse("Too many pages are open.\n", 503, {"retry-after": "30"})
        asked = request.query_params
        lines = self.pages.listen(root, asked.get("talk") == "1", asked.get("tabs") == "1")
        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(lines, media_type="text/event-stream", headers=headers)

    async def places(self, request: Request) -> Response:
        visit = self.visit(request)
        return JsonAnswer(await run_in_threadpool(places, visit))

    def visit(self, request: Request) -> Visit:
        parts = dict(request.path_params)
        name = parts.pop("project")
        root = self.projects.get(name)
        if root is None:
            raise NotThere(f"There is no project {name[:40]!r} here.", "/ lists those that are.")
        # Looked at anew: it may be gone, or somebody else's by now.
        project = load_project(root=root)
        tell = self.pages.teller(root)
        return Visit(project, name, parts, dict(request.query_params), tell)

    async def failure(self, request: Request, error: DctxError) -> Response:
        """What went wrong in its own words, as a page or as JSON."""
        status = _status_of(error)
        asks_for_json = "application/json" in request.headers.get("accept", "")
        if asks_for_json or request.url.path.endswith(".json"):
            lines = (error.head, *error.each)
            said = {"error": "\n".join(lines), "hint": error.hint}
            return JsonAnswer(said, status)
        visit: Visit | None = None
        try:
            visit = self.visit(request)
        except (DctxError, KeyError):
            pass  # there is no project, or none that can be shown
        text = await run_in_threadpool(self._failure_page, visit, error)
        return Response(text, status, media_type="text/html")

    def _failure_page(self, visit: Visit | None, error: DctxError) -> str:
        if visit is None:
            return rendered("lost", message=error.message, hint=error.hint)
        frame = self.frame(visit, WebPage("failure", "", "That did not work"))
        return rendered("failure", **frame, message=error.head, each=error.each, hint=error.hint)

    async def lost(self, request: Request, error: HTTPException) -> Response:
        text = rendered("lost", message="There is no such page.", hint="")
        return Response(text, error.status_code, error.headers, media_type="text/html")

    async def bug(self, request: Request, _: Exception) -> Response:
        """What went wrong is printed where the server runs."""
        message = "Something went wrong in dctx itself."
        hint = "The terminal that `dctx ui` runs in says more."
        if request.url.path.endswith(".json"):
            return JsonAnswer({"error": message, "hint": hint}, 500)
        text = rendered("lost", message=message, hint=hint)
        return Response(text, 500, media_type="text/html")

    def frame(self, visit: Visit, page: WebPage) -> Json:
        """What is around every page."""

        def link(address: str, **query: object) -> str:
            return visit.link(address, **query)

        return {
            "page": page,
            "navigation": navigation(),
            "link": link,
            "project_name": project_name(visit.project) or visit.name,
            "several": len(self.projects) > 1,
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
        data = await run_in_threadpool(self._module().data, visit)
        return JsonAnswer(data)

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
        module = self._module()
        return {**frame, **module.view(module.data(visit))}

    def _module(self) -> Any:
        return import_module(f"director_ctx.doors.ui.pages.{self.page.module}")


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
        then = self.home.notices.address_with(done.then, done.says)
        return RedirectResponse(then, 303)

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


def _status_of(error: DctxError) -> int:
    if isinstance(error, NotThere):
        return 404
    if isinstance(error, UsageProblem):
        return 400
    return 409
