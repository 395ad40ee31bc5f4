"""`dctx browser start` and `stop`: a browser of its own for a project."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.browser.launch import end, has_display, is_root
from director_ctx.browser.launch import start as begin
from director_ctx.browser.requests import address
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def start(values: dict[str, Any]) -> int:
    url = None
    if values["url"]:
        url = address(values["url"])
    if url == "":
        raise UsageProblem(
            f"URL: {values['url']!r} is not the address of a page.",
            "Write it with its beginning, such as http://localhost:3000.",
        )
    port = _port(values["port"])
    unseen = values["headless"] or not has_display()
    project = project_here(values["root"])
    browser, pid, new = begin(project, url, port, values["program"], unseen)

    if values["json"]:
        put_json({"endpoint": str(browser.endpoint), "pid": pid, "started": new})
    else:
        state = "Already running"
        if new:
            state = "Started"
        put_lines([(f"{state}: {browser.endpoint} (process {pid})", "")])
    if new and unseen and not values["headless"]:
        say("There is no display here, so the browser runs without a window.")
    # Chromium refuses to run as root with its sandbox, as in most containers.
    if new and is_root():
        say("As root the browser runs without its sandbox; visit only pages that you trust.")
    if not new and url:
        say(
            "The browser was running already, so the page was not opened.",
            f"`dctx browser navigate {url} --reason TEXT` opens it.",
        )
    return OK


def _port(text: str | None) -> int:
    """The port that was named; 0 for one that is free."""
    if text is None:
        return 0
    is_number = text.isascii() and text.isdigit() and len(text) < 6
    if not is_number or int(text) >= 65536:
        raise UsageProblem(
            f"--port: {text!r} is not a port.",
            "Say a number up to 65535, or leave --port out to get a free port.",
        )
    return int(text)


def stop(values: dict[str, Any]) -> int:
    pid = end(project_here(values["root"]))
    if values["json"]:
        put_json({"stopped": bool(pid), "pid": pid or None})
    elif pid:
        put_lines([(f"Stopped: process {pid}.", "")])
    else:
        put_lines([("No browser of dctx is running here.", "")])
    return OK
