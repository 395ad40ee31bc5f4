"""A conversation with a browser through Playwright, and its pages by the ids that the list of tabs has.

Playwright is imported here and nowhere else, when something is to be done in a page: it starts a process of its own.
"""

from __future__ import annotations

from director_ctx.errors import DctxError
from director_ctx.outside.browser.trouble import PageTrouble, late, translated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any, TypeVar

    from playwright.async_api import Browser, CDPSession, Page

    T = TypeVar("T")

SECONDS_TO_CONNECT = 10.0
SECONDS_FOR_A_PAGE = 3.0
SECONDS_TO_LEAVE = 3.0
SECONDS_FOR_A_LOOK = 15.0


class Pages:
    """The pages of one browser, for as long as it is spoken to."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._known: dict[str, Page] = {}

    async def page(self, target: str) -> Page:
        if target not in self._known:
            await self._look()
        if target not in self._known:
            raise PageTrouble("The tab does not answer.", "It may have crashed; close it, or go somewhere else with it.")
        return self._known[target]

    async def _look(self) -> None:
        import asyncio

        pages = [page for context in self.browser.contexts for page in context.pages]
        new = [page for page in pages if page not in self._known.values()]
        targets = await asyncio.gather(*(self._target(page) for page in new), return_exceptions=True)
        self._known |= {
            target: page for target, page in zip(targets, new, strict=True) if isinstance(target, str)
        }

    async def _target(self, page: Page) -> str:
        import asyncio

        async with asyncio.timeout(SECONDS_FOR_A_PAGE):
            session = await page.context.new_cdp_session(page)
            found = await session.send("Target.getTargetInfo")
            await session.detach()
        return str(found["targetInfo"]["targetId"])

    async def open(self) -> tuple[str, Page]:
        """A new tab, and its id."""
        context = self.browser.contexts[0] if self.browser.contexts else await self.browser.new_context()
        page = await context.new_page()
        target = await self._target(page)
        self._known[target] = page
        return target, page

    async def protocol(self, page: Page) -> CDPSession:
        return await page.context.new_cdp_session(page)


def in_browser(socket: str, work: Callable[[Pages], Awaitable[T]]) -> T:
    """Does something in a browser that goes on running afterwards."""
    import asyncio

    return asyncio.run(_in_browser(socket, work))


async def _in_browser(socket: str, work: Callable[[Pages], Awaitable[T]]) -> T:
    try:
        from playwright.async_api import Error, async_playwright
    except ImportError as error:
        raise DctxError(
            "This needs Playwright, which is not installed.",
            "pip install 'director-ctx[browser]'; no browser is fetched, yours is used.",
        ) from error
    playwright = await async_playwright().start()
    try:
        try:
            browser = await playwright.chromium.connect_over_cdp(socket, timeout=SECONDS_TO_CONNECT * 1000)
        except Error as error:
            raise translated(error, socket) from error
        try:
            return await work(Pages(browser))
        finally:
            await _briefly(browser.close())
    finally:
        await _briefly(playwright.stop())


async def _briefly(leaving: Coroutine[Any, Any, None]) -> None:
    """Leaving must not take longer than what was done."""
    import asyncio

    try:
        async with asyncio.timeout(SECONDS_TO_LEAVE):
            await leaving
    except Exception:  # noqa: BLE001
        pass  # what happened before is what matters


async def within(seconds: float, what: str, page: Page, doing: Coroutine[Any, Any, T]) -> T:
    """One thing in one page, with an end: it is done, it fails, the page crashes, or it is too late."""
    import asyncio

    from playwright.async_api import Error

    crash: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def crashed(_: object) -> None:
        if not crash.done():
            crash.set_exception(PageTrouble("The page crashed.", "Go to it again, or close the tab."))

    page.on("crash", crashed)
    task = asyncio.ensure_future(doing)
    try:
        await asyncio.wait({task, crash}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if crash.done():
            crash.result()
        if not task.done():
            raise late(what, seconds)
        return task.result()
    except Error as error:
        raise translated(error, what) from error
    finally:
        page.remove_listener("crash", crashed)
        task.cancel()
        crash.cancel()
        await asyncio.gather(task, return_exceptions=True)
