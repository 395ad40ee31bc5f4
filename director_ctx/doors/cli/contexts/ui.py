"""`dctx ui`: the page, served until it is interrupted."""

from __future__ import annotations

import signal
import threading

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.doors.cli.shared.output import put
from director_ctx.doors.cli.shared.speak import is_terminal, say
from director_ctx.project.address_token import token
from director_ctx.project.reading.locate import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from typing import Any

PORT = 8379
LARGEST_PORT = 65_535


def run(values: dict[str, Any]) -> int:
    """The address is the result, and comes before anything that takes time."""
    root = locate(root=values["root"])
    # The same in every run, so that pages which are still open go on, and bookmarks stay good.
    secret = token(root, "page")
    listening = _listening(values["port"])
    for number in (signal.SIGTERM, signal.SIGINT):
        # The server has its own, once it is there.
        signal.signal(number, _end)
    port = listening.getsockname()[1]
    address = f"http://127.0.0.1:{port}/?token={secret}"
    put(f"{address}\n")
    say("Open the address in a browser; it is for you alone. Ctrl-C ends it.")
    if is_terminal() and not values["no_open"]:
        threading.Thread(target=_open_browser, args=(address,), daemon=True).start()

    # What a page is made with takes a moment; who asks meanwhile waits for no longer than that.
    from director_ctx.doors.ui.serving.server import serve

    serve(listening, root, secret, bool(values["read_only"]))
    return OK


def _end(*_: object) -> None:
    raise SystemExit(OK)


def _listening(text: str | None) -> socket.socket:
    """On the port that was named; else on the usual one, or a free one where that is taken."""
    from director_ctx.doors.ui.serving.binding import bind

    if text is None:
        try:
            return bind(PORT)
        except OSError:
            return bind(0)
    is_number = text.isascii() and text.isdigit() and len(text) < 6
    if not is_number or int(text) > LARGEST_PORT:
        raise UsageProblem(
            f"--port {text}: that is not a port.",
            f"Say a number, such as {PORT}, or 0 for a free one.",
        )
    try:
        return bind(int(text))
    except OSError as error:
        raise DctxError(
            f"Port {text} is not available: {error.strerror or error}.",
            "--port 0 takes a free port.",
        ) from error


def _open_browser(address: str) -> None:
    import webbrowser

    try:
        webbrowser.open(address)
    except (OSError, webbrowser.Error):
        pass  # the address was printed
