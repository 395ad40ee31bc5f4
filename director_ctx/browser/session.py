"""A conversation with a browser through Playwright, over a door that lets through a WebSocket and
nothing else.

Playwright follows redirects, wherever they lead. What listens at a port is not always a browser.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from importlib.util import find_spec

from director_ctx.base.errors import DctxError
from director_ctx.browser.errors import PageTrouble, Unreached, too_late, trouble_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
    from typing import Any, TypeVar

    from playwright.async_api import Browser, Page, Playwright

    T = TypeVar("T")
    Work = Callable[["Pages"], Awaitable[T]]
    """What is done in the pages of a browser."""


SWITCHING = b"101"
"""The status of an answer that makes a WebSocket of a connection."""
LARGEST_PIECE = 262_144
SECONDS_TO_CONNECT = 10.0
SECONDS_FOR_A_PAGE = 3.0
SECONDS_TO_LEAVE = 3.0
SECONDS_FOR_A_LOOK = 15.0


@asynccontextmanager
async def relayed(socket: str) -> AsyncIterator[str]:
    """The WebSocket's address behind the door, for as long as the block lasts."""
    authority, _, path = socket.removeprefix("ws://").partition("/")
    host, _, port = authority.rpartition(":")

    async def serve(asked: StreamReader, answer: StreamWriter) -> None:
        try:
            browser, ask = await asyncio.open_connection(host.strip("[]"), int(port))
        except OSError:
            answer.close()
            return
        # When one side hangs up, the other is not waited for.
        ways = [
            asyncio.ensure_future(_copy(asked, ask)),
            asyncio.ensure_future(_if_switching(browser, answer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            pass  # by Ctrl-C; Python 3.11 would print a traceback for a connection that was cancelled
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        ask.close()
        answer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        door = server.sockets[0].getsockname()[1]
        yield f"ws://127.0.0.1:{door}/{path}"
    finally:
        server.close()


async def _if_switching(browser: StreamReader, answer: StreamWriter) -> None:
    """What the browser says, if it begins with yes."""
    first = await browser.readline()
    if first.split(b" ")[1:2] == [SWITCHING]:
        answer.write(first)
        await _copy(browser, answer)


async def _copy(source: StreamReader, target: StreamWriter) -> None:
    while piece := await source.read(LARGEST_PIECE):
        target.write(piece)
        await target.drain()


class Pages:
    """The pages of one browser. It is spoken to once the first of them is asked for."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._known: dict[str, Page] = {}

    async def _connected(self) -> Browser:
        if self._browser is None:
            # Only installed for those who want it.
            from playwright.async_api import Error, TimeoutError, async_playwright

            self._playwright = await async_playwright().start()
            try:
                self._browser = await self._playwright.chromium.connect_over_cdp(
                    self._socket, timeout=SECONDS_TO_CONNECT * 1000
                )
            except TimeoutError as error:
                raise Unreached(
                    "The browser did not answer in time; one of its tabs may hang.",
                    "Close that tab: `dctx browser act close TAB`.",
                ) from error
            except Error as error:
                trouble = trouble_of(error, self._socket)
                raise Unreached(trouble.message, trouble.hint) from error
        return self._browser

    async def leave(self) -> None:
        """The browser goes on."""
        if self._browser is not None:
            await _briefly(self._browser.close())
        if self._playwright is not None:
            await _briefly(self._playwright.stop())

    async def page(self, target: str) -> Page:
        if target not in self._known:
            await self._learn_pages(await self._connected())
        if target not in self._known:
            raise PageTrouble(
                "The tab does not answer; it may have crashed.", "Close it, and open another."
            )
        return self._known[target]

    async def _learn_pages(self, browser: Browser) -> None:
        known = list(self._known.values())
        pages = [page for context in browser.contexts for page in context.pages]
        new = [page for page in pages if page not in known]
        # A page that does not tell its id, such as one that crashed, is left out.
        targets = await asyncio.gather(*map(_target, new), return_exceptions=True)
        for target, page in zip(targets, new, strict=True):
            if isinstance(target, str):
                self._known[target] = page

    async def open(self) -> tuple[str, Page]:
        """A new tab, and its id."""
        browser = await self._connected()
        context = browser.contexts[0] if browser.contexts else await browser.new_context()
        page = await context.new_page()
        target = await _target(page)
        self._known[target] = page
        return target, page


async def _target(page: Page) -> str:
    """The id that the list of tabs has for a page."""
    async with asyncio.timeout(SECONDS_FOR_A_PAGE):
        session = await page.context.new_cdp_session(page)
        answer = await session.send("Target.getTargetInfo")
        await session.detach()
    return str(answer["targetInfo"]["targetId"])


def check_installed() -> None:
    """Said before a browser is looked for: without it there is nothing to be done in one."""
    if find_spec("playwright") is None:
        raise _not_installed()


def _not_installed() -> DctxError:
    return DctxError(
        "This needs Playwright, which is not installed.",
        "pip install 'director-ctx[browser]'; no browser is fetched, yours is used.",
    )


def in_browser(socket: str, work: Work[T]) -> T:
    """Does something in a browser that goes on running afterwards."""

    async def working() -> T:
        async with relayed(socket) as door:
            pages = Pages(door)
            try:
                return await work(pages)
            except ModuleNotFoundError as error:
                raise _not_installed() from error
            finally:
                await pages.leave()

    return asyncio.run(working())


async def _briefly(leaving: Coroutine[Any, Any, None]) -> None:
    """Leaving must not take longer than what was done."""
    try:
        async with asyncio.timeout(SECONDS_TO_LEAVE):
            await leaving
    except Exception:
        pass  # what happened before is what matters


async def within(seconds: float, what: str, page: Page, doing: Awaitable[T]) -> T:
    """One thing in one page, with an end: it is done, it fails, the page crashes, or it is too
    late.
    """
    # Only installed for those who want it.
    from playwright.async_api import Error

    loop = asyncio.get_running_loop()
    crash: asyncio.Future[Any] = loop.create_future()

    def crashed(_: object) -> None:
        if not crash.done():
            trouble = PageTrouble("The page crashed.", "Close the tab, and open another.")
            crash.set_exception(trouble)

    page.on("crash", crashed)
    task: asyncio.Future[Any] = asyncio.ensure_future(doing)
    try:
        await asyncio.wait([task, crash], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if crash.done():
            crash.result()  # raises what it is
        if not task.done():
            raise too_late(what, seconds)
        done: T = task.result()
        return done
    except Error as error:
        raise trouble_of(error, what) from error
    finally:
        page.remove_listener("crash", crashed)
        task.cancel()
        crash.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def ask_page(page: Page, script: str, argument: int, seconds: float) -> Any:
    """What a script finds out, in a world of its own beside the page's: the page cannot change what
    its words mean.
    """

    async def asking() -> Any:
        session = await page.context.new_cdp_session(page)
        tree = await session.send("Page.getFrameTree")
        frame = tree["frameTree"]["frame"]["id"]
        world = await session.send(
            "Page.createIsolatedWorld", {"frameId": frame, "worldName": "dctx"}
        )
        question = {
            "expression": f"({script})({argument})",
            "contextId": world["executionContextId"],
            "returnByValue": True,
            "timeout": seconds * 1000,
        }
        answer = await session.send("Runtime.evaluate", question)
        await session.detach()
        return answer

    answer = await within(seconds, "inspect", page, asking())
    result = answer.get("result", {})
    if "value" not in result:
        raise PageTrouble("The page could not be looked at.", "Try again once it is loaded.")
    return result["value"]
