"""Who comes in, with how much, and what browsers are told about every answer.

Each request is checked, reads too: by the name it calls us, by the page that sent it, and by the
token. A page from elsewhere knows no token, and the cookie does not come along with what it sends.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("GET", "HEAD", "POST")
LARGEST_BODY = 1_000_000
LARGEST_ADDRESS = 8_000
ONCE = ("host", "origin", "cookie", "content-length", "authorization")
"""Of two of these nobody knows which one others go by."""
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
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
FORM, SAME = "application/x-www-form-urlencoded", "same-origin"
STAY_OUT = "This page is for whoever has its address: open the one that `dctx ui` printed."
ELSEWHERE = "This is not asked from here."


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

    def is_form_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.form_token.encode())


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
        """What is answered in the application's place; None for whoever may come in."""
        headers = Headers(scope=scope)
        strange = self._not_for_us(scope, headers)
        if strange:
            return strange
        if scope["method"] == "POST":
            return self._unlike_our_forms(headers) or self._unknown(headers)
        return self._brings_token(scope) or self._unknown(headers)

    def _not_for_us(self, scope: Scope, headers: Headers) -> Response | None:
        for name in ONCE:
            if len(headers.getlist(name)) > 1:
                return _no(400, f"Two of {name}.")
        host = headers.get("host", "")
        if not _is_for_us(host, headers.get("origin"), self._rules.hosts):
            return _no(403, ELSEWHERE)
        if scope["method"] not in METHODS:
            return _no(405, f"Only {', '.join(METHODS)}.")
        length = len(scope["path"]) + len(scope["query_string"])
        if length > LARGEST_ADDRESS:
            return _no(414, "The address is too long.")
        return None

    def _unlike_our_forms(self, headers: Headers) -> Response | None:
        """A change that no form and no script of ours would send."""
        if self._rules.read_only:
            return _no(403, "This page was started with --read-only.")
        if headers.get("sec-fetch-site", SAME) != SAME:
            return _no(403, ELSEWHERE)
        kind, _, _ = headers.get("content-type", "").partition(";")
        if kind.strip() != FORM:
            return _no(415, "That is no form.")

        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            return _no(411, "It does not say how long it is.")
        if len(length) > 9 or int(length) > LARGEST_BODY:
            return _no(413, "That is too much.")
        return None

    def _brings_token(self, scope: Scope) -> Response | None:
        """The token goes from the address into a cookie, so that it is not left in a history."""
        query = scope["query_string"].decode("latin-1")
        rest = []
        given = None
        for name, value in parse_qsl(query, keep_blank_values=True):
            if name == TOKEN:
                given = value
            else:
                rest.append((name, value))
        if given is None:
            return None
        if not self._is_ours(given):
            return _no(403, STAY_OUT)

        # One slash: `//host` would lead elsewhere.
        where = "/" + scope["path"].lstrip("/")
        if rest:
            where += f"?{urlencode(rest)}"
        return self._with_cookie(RedirectResponse(where, 303))

    def _with_cookie(self, answer: Response) -> Response:
        rules = self._rules
        answer.set_cookie(rules.cookie, rules.token, httponly=True, samesite="strict", path="/")
        return answer

    def _unknown(self, headers: Headers) -> Response | None:
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind == "Bearer" and self._is_ours(given):
            return None
        for pair in headers.get("cookie", "").split(";"):
            name, _, value = pair.strip().partition("=")
            if name == self._rules.cookie and self._is_ours(value):
                return None
        return _no(403, STAY_OUT)

    def _is_ours(self, given: str) -> bool:
        # In constant time, so that nobody finds it out letter by letter.
        ours = self._rules.token.encode()
        return hmac.compare_digest(given.encode("utf-8", "replace"), ours)


def hosts_of(port: int) -> frozenset[str]:
    """What a request may call this server: a page of another name that leads here is turned away."""
    hosts = {f"{name}:{port}" for name in LOOPBACK}
    if port == 80:
        hosts.update(LOOPBACK)
    return frozenset(hosts)


def _is_for_us(host: str, origin: str | None, hosts: Collection[str]) -> bool:
    """Whether a request is meant for this server, and not sent by a page from elsewhere."""
    if host.lower() not in hosts:
        return False
    if origin is None:
        return True
    scheme, _, where = origin.lower().partition("://")
    return scheme in ("http", "https") and where in hosts


def _no(status: int, why: str) -> Response:
    return PlainTextResponse(f"{why}\n", status)


def _put_rules(headers: MutableHeaders) -> None:
    for name, value in ALWAYS.items():
        headers[name] = value
    # What a project says today is not kept by a browser.
    headers.setdefault("cache-control", "no-store")
