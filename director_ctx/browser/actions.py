"""The things that can be done in a browser, one at a time: go somewhere, click, type, wait, open a
tab, close one.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.secrets import hides_name, hides_value
from director_ctx.browser.display import short
from director_ctx.browser.errors import PageTrouble
from director_ctx.browser.requests import Action, seconds_of
from director_ctx.browser.session import Pages, within
from director_ctx.browser.tabs import close_tab

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from playwright.async_api import Dialog, Page

    from director_ctx.browser.endpoint import Endpoint

SECONDS = 5.0
"""How long an element is waited for."""
SECONDS_TO_GO = 20.0
GRACE = 2.0
"""Playwright says best itself what it waited for, so it is given the time to."""
LONGEST_QUESTION = 100
MOST_QUESTIONS = 3
_FIELD = (
    "e => ({ secret: e.type === 'password' || /password|one-time|cc-/.test(e.autocomplete || ''),"
    " names: [e.name, e.id, e.getAttribute('aria-label'), e.placeholder], choice: e.localName === 'select' })"
)


class DoneAction(Record):
    """What came of it."""

    said: str
    target: str = ""
    """The tab that was opened."""
    secret: bool = False
    """Whether what was typed must not be shown."""


async def perform(pages: Pages, endpoint: Endpoint, target: str, action: Action) -> DoneAction:
    """Does it in the tab with this id. Raises DctxError where it cannot be done."""
    if action.action == "close":
        # Without its page: a tab that crashed or hangs must be closable.
        close_tab(endpoint, target)
        return DoneAction("ok")
    if action.action != "open":
        return await _do(await pages.page(target), action)
    # A tab that cannot go where it should is closed again.
    target, page = await pages.open()
    try:
        return (await _do(page, action)).replace(target=target)
    except DctxError:
        await within(SECONDS, "close", page, page.close())
        raise


async def _do(page: Page, action: Action) -> DoneAction:
    """Does it, and says which questions of the page were dismissed meanwhile: nobody sees them."""
    dismissed: list[str] = []

    async def answer(dialog: Dialog) -> None:
        if dialog.type == "beforeunload":
            await dialog.accept()  # the page is left, because that is what was asked for
            return
        question = short(dialog.message, LONGEST_QUESTION)
        dismissed.append(f"{dialog.type} dismissed: {question!r}")
        await dialog.dismiss()

    ways = {"click": _click, "type": _type, "wait": _wait}
    page.on("dialog", answer)
    try:
        done = await ways.get(action.action, _navigate)(page, action)
    finally:
        page.remove_listener("dialog", answer)
    return done.replace(said="; ".join([done.said, *dismissed[:MOST_QUESTIONS]]))


async def _navigate(page: Page, action: Action) -> DoneAction:
    going = page.goto(action.url, wait_until="domcontentloaded", timeout=SECONDS_TO_GO * 1000)
    answer = await within(SECONDS_TO_GO + GRACE, action.url, page, going)
    is_refused = answer and answer.status >= 400
    return DoneAction(f"answered {answer.status}" if answer and is_refused else "ok")


async def _click(page: Page, action: Action) -> DoneAction:
    await _soon(page, action, page.locator(action.selector).click(timeout=SECONDS * 1000))
    # What a click sets off begins a moment later; what comes of it is shown with the tabs.
    try:
        await page.wait_for_timeout(50)
        await page.wait_for_load_state("domcontentloaded", timeout=SECONDS * 1000)
    except Exception:
        pass  # the click is done; a page that it closed or that loads for ever is no failure
    return DoneAction("ok")


async def _type(page: Page, action: Action) -> DoneAction:
    locator = page.locator(action.selector)
    field = await _soon(page, action, locator.evaluate(_FIELD, timeout=SECONDS * 1000))
    # Asked before it is filled: where that fails, the text must be known to be harmless.
    secret = is_secret(field, action.text)
    fill = locator.select_option if field["choice"] else locator.fill
    try:
        await _soon(page, action, fill(action.text, timeout=SECONDS * 1000))
    except PageTrouble as error:
        error.secret = secret
        raise
    return DoneAction("ok", secret=secret)


async def _soon(page: Page, action: Action, doing: Coroutine[Any, Any, Any]) -> Any:
    return await within(SECONDS + GRACE, action.selector, page, doing)


def is_secret(field: dict[str, object], text: str) -> bool:
    """Whether what is typed into a field must not be shown: for what the field is, or what the text
    looks like.
    """
    names = field.get("names")
    return (
        bool(field.get("secret"))
        or hides_value(text)
        or (
            isinstance(names, list)
            and any(isinstance(name, str) and hides_name(name[:200], text) for name in names)
        )
    )


async def _wait(page: Page, action: Action) -> DoneAction:
    seconds = seconds_of(action.selector)
    waiting: Coroutine[Any, Any, None]
    if seconds is not None:
        waiting = page.wait_for_timeout(seconds * 1000)
    else:
        seconds = SECONDS_TO_GO
        waiting = page.locator(action.selector).first.wait_for(timeout=seconds * 1000)
    await within(seconds + GRACE, action.selector, page, waiting)
    return DoneAction("ok")
