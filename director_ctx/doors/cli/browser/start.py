"""`dctx browser start` and `stop`: a browser of its own for a project."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def start(values: dict[str, Any]) -> int:
    from director_ctx.browser.launch import has_display, is_root
    from director_ctx.browser.launch import start as begin
    from director_ctx.browser.requests import address

    url = address(values["url"]) if values["url"] else None
    if url == "":
        raise UsageProblem(
            f"URL: {values['url']!r} is not the address of a page.",
            "Such as http://localhost:3000.",
        )
    port = _port(values["port"])
    unseen = values["headless"] or not has_display()
    project = project_here(values["root"])
    browser, pid, new = begin(project, url, port, values["program"], unseen)

    if values["json"]:
        put_json({"endpoint": str(browser.endpoint), "pid": pid, "started": new})
    else:
        state = "Started" if new else "Already running"
        put_lines([(f"{state}: {browser.endpoint} (process {pid})", "")])
    if new and unseen and not values["headless"]:
        say("There is no display here, so it runs without a window.")
    if new and is_root():
        say("As root the browser runs without its sandbox; visit only pages that you trust.")
    if not new and url:
        say(
            "It was not started again, so it stays where it is.",
            f"dctx browser navigate {url} --reason TEXT",
        )
    return OK


def _port(given: str | None) -> int:
    if given is None:
        return 0
    is_number = given.isascii() and given.isdigit() and len(given) < 6
    if not is_number or int(given) >= 65536:
        raise UsageProblem(
            f"--port: {given!r} is not a port.",
            "A number up to 65535; without it a free one is taken.",
        )
    return int(given)


def stop(values: dict[str, Any]) -> int:
    from director_ctx.browser.launch import end

    pid = end(project_here(values["root"]))
    if values["json"]:
        put_json({"stopped": bool(pid), "pid": pid or None})
    elif pid:
        put_lines([(f"Stopped: process {pid}.", "")])
    else:
        put_lines([("No browser of dctx is running here.", "")])
    return OK
