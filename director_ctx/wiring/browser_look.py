"""A look at a page, written into the conversation as one line: that it was looked at, not what was seen.

One that failed is not kept: nothing was seen, and nothing was done.
"""

from __future__ import annotations

from director_ctx.record import Record
from director_ctx.wiring.browser import find_tab, open_tabs
from director_ctx.wiring.browser_act import Result, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeVar

    from director_ctx.folder.project import Project
    from director_ctx.outside.browser.page_text import Light
    from director_ctx.outside.browser.session import Pages
    from director_ctx.outside.browser.shown import Open
    from director_ctx.wiring.browser import Browser

    T = TypeVar("T")
    Text = tuple[list[str], bool]

MOST_SHOWN = 200


class Look(Record):
    """Which tab, and why."""

    tab: str
    reason: str


def look_light(project: Project | None, browser: Browser, look: Look, instruction: str) -> tuple[Open, Light]:
    from director_ctx.outside.browser.look import light

    how = instruction or "light"
    return _look(project, browser, look, how, lambda pages, target: light(pages, target, MOST_SHOWN, instruction))


def look_dom(project: Project | None, browser: Browser, look: Look, tokens: int) -> tuple[Open, Text]:
    """The lines of the page that fit, and whether these are all."""
    from director_ctx.outside.browser.look import dom
    from director_ctx.outside.browser.page_text import dom_lines, within_tokens

    found, page = _look(project, browser, look, "dom", lambda pages, target: dom(pages, target, tokens))
    lines, whole = within_tokens(dom_lines(page["rows"]), tokens)
    return found, (lines, whole and bool(page["whole"]))


def look_tree(project: Project | None, browser: Browser, look: Look, tokens: int) -> tuple[Open, Text]:
    from director_ctx.outside.browser.look import accessibility
    from director_ctx.outside.browser.page_text import tree_lines, within_tokens

    found, nodes = _look(project, browser, look, "accessibility", accessibility)
    return found, within_tokens(tree_lines(nodes), tokens)


def _look(
    project: Project | None, browser: Browser, look: Look, how: str, ask: Callable[[Pages, str], Awaitable[T]]
) -> tuple[Open, T]:
    from director_ctx.outside.browser.session import in_browser
    from director_ctx.outside.browser.shown import short
    from director_ctx.wiring.memory import open_store

    with open_store(project, write=True) as store:
        one = find_tab(open_tabs(project, browser, store=store), look.tab)
        result = Result("inspect", f"({short(how, 100)})", one.name, short(look.reason, 300), "ok")
        seen = in_browser(browser.socket, lambda pages: ask(pages, one.tab.id))
        log(store, result)
    return one, seen
