"""Who comes in, with how much, and what browsers are told about every answer.

Each request is checked, reads too: by the name it calls us, by the page that sent it, and by the
token. A page from elsewhere knows no token, and the cookie does not come along with what it sends.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse

from director_ctx.base.record import Record
from director_ctx.doors.mcp.wire.http_rules import has_token, may_come_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("GET", "HEAD", "POST")
LARGEST_BODY = 1_000_000
LARGEST_ADDRESS = 8_000
ONCE = ("host", "origin", "cookie", "content-length", "authorization")
"""Of two of these nobody knows which one others go by."""
TOKEN = "token"
"""How the address has it that is opened first."""
FORM_TOKEN, HEADER_TOKEN = "form_token", "x-form-token"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types dctx",
    )
)
ALWAYS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # With `no-referrer` a form would not say that it is from here.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), clipboard-read=()",
}
STAY_OUT = "This page is for whoever has its address: open the one that `dctx ui` printed.\n"


class EntranceRules(Record):
    """What a server was started with."""

    hosts: frozenset[str]
    token: str
    read_only: bool
    port: int

    @property
    def cookie(self) -> str:
        """Cookies know no ports, and several servers may run here."""
        return f"dctx-{self.port}"

    @property
    def form_token(self) -> str:
        """What every form has in it; it says nothing about the token itself."""
        return hmac.new(self.token.encode(), b"forms", sha256).hexdigest()


class Entrance:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, rules: EntranceRules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def send_with_rules(message: Message) -> None:
            if message["type"] == "http.response.start":
                _put_rules(MutableHeaders(scope=message))
            await send(message)

        refusal = self._refusal(scope)
        if refusal:
            await refusal(scope, receive, send_with_rules)
            return
        await self._app(scope, receive, send_with_rules)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        for name in ONCE:
            if len(headers.getlist(name)) > 1:
                return PlainTextResponse(f"Two of {name}.\n", 400)
        if not may_come_in(headers.get("host", ""), headers.get("origin"), self._rules.hosts):
            return PlainTextResponse("This is not asked from here.\n", 403)
        if scope["method"] not in METHODS:
            return PlainTextResponse("Not that.\n", 405, {"allow": ", ".join(METHODS)})
        if len(scope["path"]) + len(scope["query_string"]) > LARGEST_ADDRESS:
            return PlainTextResponse("The address is too long.\n", 414)
        if scope["method"] == "POST":
            return self._unlike_us(headers) or self._unknown(scope, headers)
        return self._with_token(scope) or self._unknown(scope, headers)

    def _with_token(self, scope: Scope) -> Response | None:
        """The token goes from the address into a cookie, so that it is not left in a history."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == TOKEN]
        if not given:
            return None
        if not self._is_ours(given[0]):
            return PlainTextResponse(STAY_OUT, 403)
        rest = [(name, value) for name, value in query if name != TOKEN]
        # A path of its own: `//host` would lead elsewhere.
        where = "/" + scope["path"].lstrip("/")
        if rest:
            where += f"?{urlencode(rest)}"
        answer = RedirectResponse(where, 303)
        answer.set_cookie(
            self._rules.cookie, self._rules.token, httponly=True, samesite="strict", path="/"
        )
        return answer

    def _unknown(self, scope: Scope, headers: Headers) -> Response | None:
        if has_token(headers.get("authorization"), self._rules.token):
            return None
        for pair in headers.get("cookie", "").split(";"):
            name, _, value = pair.strip().partition("=")
            if name == self._rules.cookie and self._is_ours(value):
                return None
        return PlainTextResponse(STAY_OUT, 403)

    def _is_ours(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._rules.token.encode())

    def _unlike_us(self, headers: Headers) -> Response | None:
        """A change that no form and no script of ours would send."""
        if self._rules.read_only:
            return PlainTextResponse("This page was started with --read-only.\n", 403)
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return PlainTextResponse("This is not asked from here.\n", 403)
        kind = headers.get("content-type", "").partition(";")[0].strip()
        if kind != "application/x-www-form-urlencoded":
            return PlainTextResponse("Not a form.\n", 415)
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            return PlainTextResponse("How long is it?\n", 411)
        if len(length) > 9 or int(length) > LARGEST_BODY:
            return PlainTextResponse("That is too much.\n", 413)
        return None


def _put_rules(headers: MutableHeaders) -> None:
    for name, value in ALWAYS.items():
        headers[name] = value
    # What a project says today is not kept by a browser.
    headers.setdefault("cache-control", "no-store")
