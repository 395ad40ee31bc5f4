"""Which browser is meant and what is open in it, asked anew each time."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.browser.display import Open, name_of, shown
from director_ctx.browser.endpoint import Endpoint, parse_endpoint
from director_ctx.browser.started import read_started
from director_ctx.browser.tab_names import FIRST, MOST_NAMES, keep_names, names_for, read_names
from director_ctx.browser.tabs import (
    PATIENT,
    SECONDS,
    NoBrowser,
    browser_id,
    browser_socket,
    read_tabs,
)
from director_ctx.memory.store.engine import Nothing
from director_ctx.memory.store.open import open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.browser.tab_names import Names
    from director_ctx.browser.tabs import Tab
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project


VARIABLE = "DCTX_CDP"


class Browser(Record):
    """A browser that answers: where, and its WebSocket."""

    endpoint: Endpoint
    socket: str

    @property
    def id(self) -> str:
        return browser_id(self.socket)


def browser_state(
    project: Project | None, cdp: str | None = None, store: Store | None = None
) -> str:
    """The tabs as a context shows them; nothing at all where no browser answers, for whatever
    reason.

    Only an address that was given and cannot be meant is an error. A store that is there keeps the
    names.
    """
    if cdp:
        parse_endpoint(cdp)
    try:
        return shown(known_tabs(project, cdp, store))
    except (DctxError, OSError):
        return ""


def known_tabs(
    project: Project | None, cdp: str | None = None, store: Store | None = None
) -> list[Open]:
    """The tabs for somebody who does not wait, and for whom no store is made."""
    browser = find_browser(project, cdp, seconds=SECONDS)
    tabs = read_tabs(browser.endpoint, SECONDS)
    names = names_for({}, _offers(tabs))
    try:
        # A context makes no store, and does without one that cannot be used.
        with open_store(store or project) as opened:
            if not isinstance(opened.engine, Nothing):
                names = _settled_names(opened, browser, tabs, {})
    except DctxError:
        pass
    return arranged(tabs, names)


def is_browser_known(project: Project) -> bool:
    """Whether there is one to ask: by the environment, or started for this project."""
    return bool(os.environ.get(VARIABLE, "").strip()) or read_started(project.root) is not None


def find_browser(
    project: Project | None,
    cdp: str | None = None,
    remote: bool = False,
    seconds: float = PATIENT,
) -> Browser:
    """The browser that was named, or else the one that `dctx browser start` started for this
    project.
    """
    address = cdp or os.environ.get(VARIABLE, "").strip()
    if not address:
        return find_own(project.root if project else None, seconds)
    endpoint = parse_endpoint(address, remote)
    return Browser(endpoint, browser_socket(endpoint, seconds))


def find_own(root: str | None, seconds: float = PATIENT) -> Browser:
    """The one that `dctx browser start` started. Whatever else listens at its port by now is not
    it.
    """
    started = read_started(root)
    if started is None:
        raise NoBrowser(
            "No browser is known.",
            f"`dctx browser start` starts one; or name one with --cdp URL or {VARIABLE}.",
        )
    endpoint = Endpoint("127.0.0.1", started.port)
    browser = Browser(endpoint, browser_socket(endpoint, seconds))
    if browser.id != started.browser:
        raise NoBrowser(
            "The browser that dctx started does not run any more.",
            "Start it again: `dctx browser start`.",
        )
    return browser


def open_tabs(
    project: Project | None,
    browser: Browser,
    renamed: Names | None = None,
    store: Store | None = None,
) -> list[Open]:
    """The tabs, their names settled in the store; some get another one, by the browser's ids."""
    tabs = read_tabs(browser.endpoint)
    with open_store(store or project, write=True) as opened:
        names = _settled_names(opened, browser, tabs, renamed or {})
    return arranged(tabs, names)


def _settled_names(
    store: Store, browser: Browser, tabs: Sequence[Tab], renamed: Names
) -> dict[str, str]:
    offers = _offers(tabs)
    known = read_names(store, browser.id)
    # Nothing is written where nothing came, went, or is to be named.
    if known.keys() == offers.keys() and known == {**known, **renamed}:
        return known
    return keep_names(store, browser.id, offers, renamed)


def _offers(tabs: Sequence[Tab]) -> dict[str, str]:
    """Nobody tells more tabs apart by name than are remembered; the others are `Tab`."""
    return {tab.id: name_of(tab) for tab in tabs[:MOST_NAMES]}


def find_tab(tabs: Sequence[Open], text: str) -> Open:
    """The tab with this name, id or number, or the only one that has it in its title; the active
    one for nothing.
    """
    if not tabs:
        raise DctxError("No tab is open.", "`dctx browser open URL` opens one.")
    asked = text.strip().casefold()
    if not asked:
        return next(tab for tab in tabs if tab.active)

    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= 4 else 0
    same = [tab for tab in tabs if asked in (tab.name.casefold(), tab.tab.id.casefold())]
    titled = [tab for tab in tabs if asked == tab.tab.title.casefold()]
    parts = [
        tab for tab in tabs if asked in tab.name.casefold() or asked in tab.tab.title.casefold()
    ]
    # The surest first: a tab may be called as another one is numbered, counted from one.
    for matches in (same, tabs[number - 1 : number] if number else (), titled, parts):
        if len(matches) == 1:
            return matches[0]
    names = ", ".join(tab.name for tab in tabs[:20])
    which = (
        f"Several tabs have {plain(text)!r} in them"
        if parts
        else f"There is no tab {plain(text)!r}"
    )
    raise DctxError(
        f"{which}; open: {names}.", "Name one of these, or its number in `dctx browser show`."
    )


def arranged(tabs: Sequence[Tab], names: Names) -> list[Open]:
    """The main tab, then the others by name: an order that does not change when another tab becomes
    active.
    """
    # The browser lists the one first that was active last.
    opened = [Open(names.get(tab.id, "Tab"), tab, tab is tabs[0]) for tab in tabs]
    return sorted(opened, key=lambda tab: (tab.name != FIRST, tab.name.casefold(), tab.tab.id))
