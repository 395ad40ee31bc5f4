"""Looks at a page without changing it: what can be used on it, its elements, or its accessibility
tree.
"""

from __future__ import annotations

import asyncio
import os

from director_ctx.base.secrets import hides_name, hides_value, redact
from director_ctx.browser.display import short
from director_ctx.browser.page_text import Element, Light, matching
from director_ctx.browser.session import SECONDS_FOR_A_LOOK, ask_page, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from playwright.async_api import Page

    from director_ctx.browser.session import Pages

MOST_ELEMENTS = 5000
"""That are looked at; a page may have any number."""
LONGEST_TEXT = 100
LONGEST_SELECTOR = 400
SPARE = 20_000
"""Characters more than are wanted, because what is hidden becomes shorter."""


async def light(pages: Pages, target: str, most: int, instruction: str = "") -> Light:
    """What can be used, each with a selector that was tried: it finds this element and no other."""
    page = await pages.page(target)
    view = await _ask(page, "light.js", MOST_ELEMENTS)
    # As the page has them; only what is shown is looked through for secrets, because a page may
    # have thousands.
    elements = [
        Element(
            kind=row["kind"],
            label=row["label"],
            type=row["type"],
            state=tuple(row["state"]),
            value=row["value"],
            url=row["url"],
            names=tuple(row["names"]),
            secret=bool(row["secret"]),
            selectors=tuple(row["sure"]),
            path=row["path"],
        )
        for row in view["elements"]
    ]
    fitting = matching(elements, instruction)
    trying = asyncio.gather(*(_tried(page, _without_secrets(one)) for one in fitting[:most]))
    shown = await within(SECONDS_FOR_A_LOOK, "inspect", page, trying)
    return Light(
        title=view["title"],
        url=view["url"],
        headings=tuple(
            (heading["level"], short(heading["text"], LONGEST_TEXT)) for heading in view["headings"]
        ),
        elements=tuple(shown),
        matched=len(fitting),
        total=int(view["total"]),
    )


def _without_secrets(element: Element) -> Element:
    """Hidden for what the element is, what its value looks like, or what it is called."""
    value = element.value
    is_secret = (
        element.secret
        or hides_value(value)
        or any(hides_name(name, value) for name in element.names)
    )
    return element.replace(
        kind=short(element.kind, 20),
        label=short(element.label, LONGEST_TEXT),
        value="[hidden]" if value and is_secret else short(value, LONGEST_TEXT),
        url=short(element.url, LONGEST_TEXT),
        selectors=tuple(filter(_is_good, element.selectors)),
    )


def _is_good(selector: str) -> bool:
    """One that tells no secret and can be typed."""
    return 0 < len(selector) <= LONGEST_SELECTOR and redact(selector) == selector


async def _tried(page: Page, element: Element) -> Element:
    """Most selectors were found to be the only ones in the page; a path past shadow roots is tried
    out.
    """
    # Only installed for those who want it.
    from playwright.async_api import Error

    if element.selectors or not _is_good(element.path):
        return element
    try:
        matches = await page.locator(element.path).count()
    except Error:
        matches = 0
    return element.replace(selectors=(element.path,)) if matches == 1 else element


async def dom(pages: Pages, target: str, tokens: int) -> Mapping[str, Any]:
    """The rows of the page's elements, some more than fit."""
    view: Mapping[str, Any] = await _ask(await pages.page(target), "dom.js", tokens * 16 + SPARE)
    return view


async def accessibility(pages: Pages, target: str) -> list[dict[str, Any]]:
    """The tree that a screen reader is given; the browser itself puts dots for what is in a
    password field.
    """
    page = await pages.page(target)

    async def asking() -> list[dict[str, Any]]:
        session = await page.context.new_cdp_session(page)
        tree = await session.send("Accessibility.getFullAXTree")
        return list(tree["nodes"])

    return await within(SECONDS_FOR_A_LOOK, "inspect", page, asking())


async def _ask(page: Page, name: str, most: int) -> Any:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return await ask_page(page, file.read(), most, SECONDS_FOR_A_LOOK)
