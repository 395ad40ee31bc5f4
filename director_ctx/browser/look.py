"""A look at a page, written into the conversation: that it was looked at, and the beginning of what was seen.

One that failed is not kept: nothing was seen, and nothing was done.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.browser.act import Result, log
from director_ctx.browser.page_text import dom_lines, light_lines, tree_lines, within_tokens
from director_ctx.browser.state import find_tab, open_tabs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import TypeVar

    from director_ctx.browser.display import Open
    from director_ctx.browser.page_text import Light
    from director_ctx.browser.session import Pages
    from director_ctx.browser.state import Browser
    from director_ctx.project.project import Project

    T = TypeVar("T")
    Text = tuple[list[str], bool]

MOST_SHOWN = 200
KEPT_TOKENS = 500
"""Of what was seen so much is kept in the conversation, four characters each."""
MORE = "[... the page goes on; `dctx browser inspect` shows all of it ...]"


class Look(Record):
    """Which tab, why, and how."""

    tab: str
    reason: str
    how: str = "light"


def look_light(project: Project | None, browser: Browser, look: Look, instruction: str) -> tuple[Open, Light]:
    from director_ctx.browser.look_at import light

    async def ask(pages: Pages, target: str) -> Light:
        return await light(pages, target, MOST_SHOWN, instruction)

    asked = look.replace(how=instruction) if instruction else look
    return _look(project, browser, asked, ask, light_lines)


def look_dom(project: Project | None, browser: Browser, look: Look, tokens: int) -> tuple[Open, Text]:
    """The lines of the page that fit, and whether these are all."""
    from director_ctx.browser.look_at import dom

    async def ask(pages: Pages, target: str) -> Text:
        page = await dom(pages, target, tokens)
        lines, whole = within_tokens(dom_lines(page["rows"]), tokens)
        return lines, whole and bool(page["whole"])

    return _look(project, browser, look.replace(how="dom"), ask, _lines_of)


def look_tree(project: Project | None, browser: Browser, look: Look, tokens: int) -> tuple[Open, Text]:
    from director_ctx.browser.look_at import accessibility

    async def ask(pages: Pages, target: str) -> Text:
        return within_tokens(tree_lines(await accessibility(pages, target)), tokens)

    return _look(project, browser, look.replace(how="accessibility"), ask, _lines_of)


def _lines_of(_: Open, text: Text) -> list[str]:
    lines, whole = text
    return lines if whole else [*lines, MORE]


def _look(
    project: Project | None,
    browser: Browser,
    look: Look,
    ask: Callable[[Pages, str], Awaitable[T]],
    lines_of: Callable[[Open, T], Sequence[str]],
) -> tuple[Open, T]:
    from director_ctx.browser.display import short
    from director_ctx.browser.session import in_browser
    from director_ctx.memory.store.open import open_store

    with open_store(project, write=True) as store:
        tab = find_tab(open_tabs(project, browser, store=store), look.tab)
        seen = in_browser(browser.socket, lambda pages: ask(pages, tab.tab.id))

        result = Result("inspect", f"({short(look.how, 100)})", tab.name, short(look.reason, 300), "ok")
        log(store, result.replace(seen=_beginning(lines_of(tab, seen))))
    return tab, seen


def _beginning(lines: Sequence[str]) -> tuple[str, ...]:
    """As much as a conversation keeps of it."""
    kept, whole = within_tokens(lines, KEPT_TOKENS)
    if not whole and kept[-1:] != [MORE]:
        kept.append(MORE)
    return tuple(kept)
