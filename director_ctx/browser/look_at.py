"""Looks at a page without changing it: what can be used on it, its elements, or its accessibility
tree.
"""

from __future__ import annotations

import os

from director_ctx.base.secrets import hides_name, hides_value, redact
from director_ctx.browser.display import short
from director_ctx.browser.page_text import Element, Light, matching
from director_ctx.browser.session import SECONDS_FOR_A_LOOK, ask_page, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from playwright.async_api import Page

    from director_ctx.browser.session import Pages

MOST_ELEMENTS = 5000
"""That are looked at; a page may have any number."""
LONGEST_TEXT, LONGEST_SELECTOR = 100, 400
SPARE = 20_000
"""Characters more than are wanted, because what is hidden becomes shorter."""


async def light(pages: Pages, target: str, most: int, instruction: str = "") -> Light:
    """What can be used, each with a selector that was tried: it finds this element and no other."""
    page = await pages.page(target)
    found = await _ask(page, "light.js", MOST_ELEMENTS)
    elements = matching([_element(row) for row in found["elements"]], instruction)
    sure = await within(
        SECONDS_FOR_A_LOOK, "inspect", page, _sure(page, [_safe(one) for one in elements[:most]])
    )
    headings = tuple((one["level"], short(one["text"], LONGEST_TEXT)) for one in found["headings"])
    return Light(
        found["title"], found["url"], headings, tuple(sure), len(elements), int(found["total"])
    )


def _element(row: Mapping[str, Any]) -> Element:
    """As the page has it; only what is shown is looked through for secrets."""
    return Element(
        kind=row["kind"], label=row["label"], type=row["type"], state=tuple(row["state"]), value=row["value"],
        url=row["url"], names=tuple(row["names"]), secret=bool(row["secret"]), selectors=tuple(row["sure"]),
        path=row["path"],
    )  # fmt: skip


def _safe(one: Element) -> Element:
    secret = (
        one.secret
        or hides_value(one.value)
        or any(hides_name(name, one.value) for name in one.names)
    )
    return one.replace(
        kind=short(one.kind, 20),
        label=short(one.label, LONGEST_TEXT),
        value="" if not one.value else "[hidden]" if secret else short(one.value, LONGEST_TEXT),
        url=short(one.url, LONGEST_TEXT),
        selectors=tuple(filter(_is_good, one.selectors)),
    )


def _is_good(selector: str) -> bool:
    """One that tells no secret and can be typed."""
    return 0 < len(selector) <= LONGEST_SELECTOR and redact(selector) == selector


async def _sure(page: Page, elements: Sequence[Element]) -> list[Element]:
    """Most selectors were found to be the only ones in the page; a path past shadow roots is tried
    out.
    """
    import asyncio

    from playwright.async_api import Error

    async def one(element: Element) -> Element:
        if element.selectors or not _is_good(element.path):
            return element
        try:
            only = await page.locator(element.path).count() == 1
        except Error:
            only = False
        return element.replace(selectors=(element.path,) if only else ())

    return list(await asyncio.gather(*map(one, elements)))


async def dom(pages: Pages, target: str, tokens: int) -> Mapping[str, Any]:
    """The rows of the page's elements, some more than fit."""
    found: Mapping[str, Any] = await _ask(await pages.page(target), "dom.js", tokens * 16 + SPARE)
    return found


async def accessibility(pages: Pages, target: str) -> list[dict[str, Any]]:
    """The tree that a screen reader is given; the browser itself puts dots for what is in a
    password field.
    """
    page = await pages.page(target)

    async def asking() -> list[dict[str, Any]]:
        session = await page.context.new_cdp_session(page)
        found = await session.send("Accessibility.getFullAXTree")
        return list(found["nodes"])

    return await within(SECONDS_FOR_A_LOOK, "inspect", page, asking())


async def _ask(page: Page, name: str, most: int) -> Any:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return await ask_page(page, file.read(), most, SECONDS_FOR_A_LOOK)
