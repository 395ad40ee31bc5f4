"""The open tabs of a browser, asked by plain HTTP: no library, no page is touched, never longer
than a deadline.
"""

from __future__ import annotations

import socket
import time

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.browser.endpoint import Endpoint, socket_url

TYPE_CHECKING = False

SECONDS = 1.0
"""A browser answers in a few thousandths; a context does not wait for one that hangs."""
PATIENT = 5.0
LARGEST = 8_000_000
"""Bytes of one answer."""
_NO_TABS = ("devtools://", "chrome-extension://")


class NoBrowser(DctxError):
    """Nothing that can be looked into is where it was looked for."""


class Tab(Record):
    """One open tab; `id` is the browser's own, and stays while the tab is open."""

    id: str
    title: str
    url: str


def read_tabs(endpoint: Endpoint, seconds: float = PATIENT) -> list[Tab]:
    """The open tabs. The browser lists the one that was active last first: that one is active."""
    targets = ask(endpoint, "/json/list", seconds)
    if not isinstance(targets, list):
        raise _nonsense(endpoint)
    tabs: list[Tab] = []
    for target in targets:
        # What a person would call a tab: no frame, worker, extension or part of the browser's own
        # window.
        if not isinstance(target, dict) or target.get("type") != "page":
            continue
        identity, title, url = (target.get(name) for name in ("id", "title", "url"))
        if not isinstance(url, str) or not isinstance(identity, str) or not identity:
            continue
        if not url.startswith(_NO_TABS):
            tabs.append(Tab(identity, title if isinstance(title, str) else "", url))
    return tabs


def browser_socket(endpoint: Endpoint, seconds: float = PATIENT) -> str:
    """Where the browser itself can be spoken to. Its last part is the browser's own id, new at each
    start.
    """
    about = ask(endpoint, "/json/version", seconds)
    if not isinstance(about, dict):
        raise _nonsense(endpoint)
    return socket_url(endpoint, about.get("webSocketDebuggerUrl"))


def close_tab(endpoint: Endpoint, target: str, seconds: float = PATIENT) -> None:
    """Closes one, and waits until it is gone. It need not answer: one that crashed can be closed
    too.
    """
    # It becomes part of a path, so it has to be an id and nothing else.
    if set(target.lower()) - set("0123456789abcdef-"):
        raise _nonsense(endpoint)
    deadline = time.monotonic() + seconds
    _get(endpoint, f"/json/close/{target}", seconds)
    try:
        while any(tab.id == target for tab in read_tabs(endpoint)):
            if time.monotonic() > deadline:
                raise DctxError(
                    "The tab does not close.",
                    "The page may be asking whether to leave it; look at the tab.",
                )
            time.sleep(0.01)
    except NoBrowser:
        pass  # the browser ended together with its last tab


def browser_id(socket_place: str) -> str:
    return socket_place.rpartition("/")[2][:64]


def ask(endpoint: Endpoint, path: str, seconds: float) -> object:
    """One question that is answered in JSON."""
    # Only here: most contexts know of no browser, and need no JSON.
    import json

    try:
        return json.loads(_get(endpoint, path, seconds))
    except (ValueError, RecursionError) as error:
        raise _nonsense(endpoint) from error


def _get(endpoint: Endpoint, path: str, seconds: float) -> bytes:
    """One question by HTTP. No proxy, no redirect, no more bytes and no more time than were meant."""
    deadline = time.monotonic() + seconds
    question = f"GET {path} HTTP/1.1\r\nHost: {endpoint.authority}\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection((endpoint.host, endpoint.port), seconds) as stream:
            stream.sendall(question.encode())
            body = _body(stream, deadline)
    except TimeoutError as late:
        raise NoBrowser(
            f"The program at {endpoint} does not answer.", "Is it a browser, and is it busy?"
        ) from late
    except OSError as error:
        raise NoBrowser(
            f"No browser listens at {endpoint}.",
            "`dctx browser start` starts one; or start yours with --remote-debugging-port=9222.",
        ) from error
    if body is None:
        raise _nonsense(endpoint)
    return body


def _nonsense(endpoint: Endpoint) -> NoBrowser:
    return NoBrowser(
        f"The program at {endpoint} is not a browser that can be debugged.",
        "Check the number of the port.",
    )


def _body(stream: socket.socket, deadline: float) -> bytes | None:
    """The body of a plain answer; None where it is anything else."""
    data = b""
    while True:
        # A deadline for the whole: one that sends a byte a second must not hold up a context.
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        stream.settimeout(left)
        more = stream.recv(65536)
        data += more
        head, mark, body = data.partition(b"\r\n\r\n")
        length = _length(head) if mark else LARGEST
        if mark and 0 <= length <= len(body):
            return body[:length]
        begins_well = b"HTTP/".startswith(data[:5]) and (mark or len(data) <= 65536)
        if not more or not begins_well or length < 0 or len(data) > LARGEST:
            return None


def _length(head: bytes) -> int:
    """How long an answer's head says that the body is; -1 where the answer cannot be used."""
    first, *lines = head.split(b"\r\n")
    fields = dict(reversed([line.lower().partition(b":")[::2] for line in lines]))
    digits = fields.get(b"content-length", b"").strip()
    is_good = first.split(b" ")[1:2] == [b"200"] and digits.isdigit() and len(digits) < 10
    length = int(digits) if is_good else -1
    return length if length <= LARGEST else -1
