"""A browser for a project: started once, found again, ended."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.browser.launch import find_program, launch, stop
from director_ctx.browser.started import forget_started, keep_started, own_place, read_started
from director_ctx.browser.state import Browser, find_own, open_tabs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project


def start(
    project: Project | None, url: str | None, port: int, program: str | None, headless: bool
) -> tuple[Browser, int, bool]:
    """The browser, its process, and whether it was started just now. Two who start at once get one browser."""
    import os

    from director_ctx.project.reading.lock import alone_in

    root = project.root if project else None
    place = own_place(root)
    os.makedirs(place, 0o700, exist_ok=True)
    with alone_in(place):
        started = read_started(root)
        if started is not None:
            try:
                return find_own(root), started.pid, False
            except DctxError:
                stop(root, started)
        started = launch(root, find_program(program), url, port, headless)
        keep_started(root, started)
    browser = find_own(root)
    open_tabs(project, browser)
    return browser, started.pid, True


def end(project: Project | None) -> int:
    """The process that was ended; 0 where none of ours was running."""
    root = project.root if project else None
    started = read_started(root)
    if started is None:
        return 0
    ended = stop(root, started)
    forget_started(root)
    return started.pid if ended else 0
