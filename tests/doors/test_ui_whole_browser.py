"""Every page of `dctx ui`, with something on it, in a real browser: whether everybody can read it, on
every screen, with and without scripts, and whether it leads anywhere and tells too much.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urljoin

import pytest
from axe import broken_rules, skip_unless_judged, too_wide
from chromium import needs_chromium, needs_playwright
from filled_project import NAME, SECRETS, addresses_of_pages, filled_site
from pages import Pages, tab

from director_ctx.doors.ui.pages.table import PAGES

__all__ = ["filled_site"]

pytestmark = [pytest.mark.proof, needs_chromium, needs_playwright]

WIDTHS = (1440, 375)
OPEN_FOLDS = "for (const fold of document.querySelectorAll('main details')) fold.open = true"
DEAD_BUTTONS = """[...document.querySelectorAll('button')]
    .filter((button) => button.checkVisibility() && !(button.form && button.type === 'submit'))
    .filter((button) => button.ariaPressed !== 'true')
    .map((button) => button.outerHTML)"""


def every_address(site: Pages) -> list[str]:
    by_page = addresses_of_pages(site)
    assert set(by_page) == {page.name for page in PAGES}
    return [address for addresses in by_page.values() for address in addresses]


def opened(site: Pages, address: str) -> str:
    return f"{site.base}/{NAME}/{address}{'&' if '?' in address else '?'}token={site.token}"


# Colours do not depend on the width, nor what is too wide on colours.
@pytest.mark.parametrize(("scheme", "width"), list(zip(("light", "dark"), WIDTHS, strict=True)))
def test_every_page_can_be_read_by_everybody_on_every_screen(
    filled_site: Pages, scheme: str, width: int
) -> None:
    elsewhere: list[str] = []
    size = {"width": width, "height": 900}
    wrong: dict[str, Any] = {}
    with tab(opened(filled_site, "now"), viewport=size, color_scheme=scheme) as page:
        page.on("request", lambda request: elsewhere.append(request.url))
        for address in every_address(filled_site):
            page.goto(f"{filled_site.base}/{NAME}/{address}")
            page.evaluate(OPEN_FOLDS)
            page.wait_for_timeout(100)
            broken, wide = broken_rules(page), [too_wide(page)]
            if width == WIDTHS[0]:
                page.set_viewport_size({"width": 1024, "height": 900})
                wide.append(too_wide(page))
                page.set_viewport_size(size)
            if broken or any(wide):
                wrong[address] = (wide, broken)
    assert wrong == {}
    assert [url for url in elsewhere if not url.startswith(f"{filled_site.base}/")] == []
    skip_unless_judged()


def test_every_page_says_the_same_without_scripts_and_has_no_dead_button(
    filled_site: Pages,
) -> None:
    with tab(opened(filled_site, "now")) as page:
        plain = page.context.browser.new_context(java_script_enabled=False).new_page()
        plain.goto(opened(filled_site, "now"))
        for address in every_address(filled_site):
            for each in (page, plain):
                each.goto(f"{filled_site.base}/{NAME}/{address}")
            assert plain.inner_text("h1") == page.inner_text("h1"), address
            assert plain.evaluate(DEAD_BUTTONS) == [], address


def test_every_link_leads_somewhere_and_nothing_hidden_is_in_any_source(filled_site: Pages) -> None:
    links: set[str] = set()
    for address in every_address(filled_site):
        where = f"/{NAME}/{address}"
        text = filled_site.ask(where).text
        links |= {where, twin_of(where), *links_in(text, where)}
    assert len(links) > 150

    texts: dict[str, str] = {}
    for link in sorted(links):
        where, _, fragment = link.partition("#")
        if where not in texts:
            texts[where] = safe_text(filled_site, where)
        if fragment:
            assert f'id="{fragment}"' in texts[where], link
        if ".json" in where:
            json.loads(texts[where])
    safe_text(filled_site, f"/{NAME}/places.json")


def twin_of(where: str) -> str:
    path, mark, asked = where.partition("?")
    return f"{path}.json{mark}{asked}"


def links_in(text: str, where: str) -> Iterator[str]:
    """The addresses that a page leads to or fetches something from, and none is of somebody else."""
    for address in re.findall(r'(?:href|src|data-from|action)="([^"]*)"', text):
        whole = urljoin(where, unescape(address))
        assert whole.startswith("/"), (where, address)
        yield whole


def safe_text(site: Pages, where: str) -> str:
    """What is answered, which is no failure and has nothing in it that is hidden."""
    answer = site.ask(where)
    assert answer.status in (200, 303, 405), (where, answer.text)
    for secret in SECRETS:
        assert secret not in answer.text, where
    return answer.text
