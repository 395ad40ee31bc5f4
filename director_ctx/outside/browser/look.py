"""Looks at a page without changing it: what can be used on it, its elements, or its accessibility tree."""

from __future__ import annotations

import os

from director_ctx.hiding import hides_name, hides_value
from director_ctx.outside.browser.page_text import Element, Light, matching
from director_ctx.outside.browser.session import SECONDS_FOR_A_LOOK, within
from director_ctx.outside.browser.shown import short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from playwright.async_api import Page

    from director_ctx.outside.browser.session import Pages

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
    kept = elements[:most]
    sure = await within(SECONDS_FOR_A_LOOK, "inspect", page, _sure(page, kept))
    headings = tuple((one["level"], short(one["text"], LONGEST_TEXT)) for one in found["headings"])
    return Light(found["title"], found["url"], headings, tuple(sure), len(elements), int(found["total"]))


def _element(row: Mapping[str, Any]) -> Element:
    secret = row["secret"] or hides_value(row["value"]) or any(hides_name(name, row["value"]) for name in row["names"])
    value = "" if not row["value"] else "[hidden]" if secret else short(row["value"], LONGEST_TEXT)
    return Element(
        kind=short(row["kind"], 20), label=short(row["label"], LONGEST_TEXT), type=short(row["type"], 20),
        state=tuple(row["state"]), value=value, url=short(row["url"], LONGEST_TEXT),
        selectors=tuple(one for one in (row["simple"], row["text"], row["path"]) if one),
    )  # fmt: skip


async def _sure(page: Page, elements: Sequence[Element]) -> list[Element]:
    """An attribute that stands once in the page needs no trial; a text or a path does."""
    import asyncio

    async def one(element: Element) -> Element:
        for selector in element.selectors:
            if selector[:1] in "#[" or await page.locator(selector).count() == 1:
                return element.replace(selectors=(selector,))
        return element.replace(selectors=())

    return list(await asyncio.gather(*map(one, elements)))


async def dom(pages: Pages, target: str, tokens: int) -> Mapping[str, Any]:
    """The rows of the page's elements, some more than fit."""
    found: Mapping[str, Any] = await _ask(await pages.page(target), "dom.js", tokens * 16 + SPARE)
    return found


async def accessibility(pages: Pages, target: str) -> list[dict[str, Any]]:
    """The tree that a screen reader is given; the browser itself puts dots for what is in a password field."""
    page = await pages.page(target)
    session = await within(SECONDS_FOR_A_LOOK, "inspect", page, pages.protocol(page))
    found = await within(SECONDS_FOR_A_LOOK, "inspect", page, session.send("Accessibility.getFullAXTree"))
    return list(found["nodes"])


async def _ask(page: Page, name: str, most: int) -> Any:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        script = file.read()
    return await within(SECONDS_FOR_A_LOOK, "inspect", page, page.evaluate(script, most))
