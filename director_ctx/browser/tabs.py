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
if TYPE_CHECKING:
    from typing import Any

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
        if isinstance(target, dict) and _is_tab(target):
            tabs.append(_tab(target))
    return tabs


def _is_tab(target: dict[str, Any]) -> bool:
    """What a person would call a tab: no frame, worker, extension or part of the browser's own
    window.
    """
    if target.get("type") != "page":
        return False
    url = target.get("url")
    identity = target.get("id")
    if not isinstance(url, str) or not isinstance(identity, str):
        return False
    return bool(identity) and not url.startswith(_NO_TABS)


def _tab(target: dict[str, Any]) -> Tab:
    title = target.get("title")
    if not isinstance(title, str):
        title = ""
    return Tab(target["id"], title, target["url"])


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
    others = set(target.lower()) - set("0123456789abcdef-")
    if others:
        raise _nonsense(endpoint)
    deadline = time.monotonic() + seconds
    _get(endpoint, f"/json/close/{target}", seconds)
    while _is_open(endpoint, target):
        if time.monotonic() > deadline:
            raise DctxError(
                "The tab does not close.",
                "The page may be asking whether to leave it; look at the tab.",
            )
        time.sleep(0.01)


def _is_open(endpoint: Endpoint, target: str) -> bool:
    try:
        tabs = read_tabs(endpoint)
    except NoBrowser:
        # The browser ended together with its last tab.
        return False
    return any(tab.id == target for tab in tabs)


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
    address = (endpoint.host, endpoint.port)
    question = f"GET {path} HTTP/1.1\r\nHost: {endpoint.authority}\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection(address, seconds) as stream:
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
        whole = _whole(data)
        if whole:
            return whole[0]
        # A deadline for the whole: one that sends a byte a second must not hold up a context.
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        stream.settimeout(left)
        more = stream.recv(65536)
        if not more or len(data) > LARGEST:
            return None
        data += more


def _whole(data: bytes) -> tuple[bytes | None] | None:
    """The body once all of it is there, or None where the answer cannot be used; nothing as long as
    more must come.
    """
    unusable = (None,)
    head, mark, body = data.partition(b"\r\n\r\n")
    if not mark:
        begins_well = b"HTTP/".startswith(data[:5])
        if begins_well and len(data) <= 65536:
            return None
        return unusable

    first, *lines = head.split(b"\r\n")
    words = first.split(b" ")
    if words[1:2] != [b"200"]:
        return unusable
    length = _length(lines)
    if length < 0 or length > LARGEST:
        return unusable
    if len(body) < length:
        return None
    return (body[:length],)


def _length(lines: list[bytes]) -> int:
    """How long the lines of a head say that the body is; -1 where they do not."""
    for line in lines:
        name, _, value = line.partition(b":")
        if name.lower() != b"content-length":
            continue
        digits = value.strip()
        if digits.isdigit() and len(digits) < 10:
            return int(digits)
        return -1
    return -1
