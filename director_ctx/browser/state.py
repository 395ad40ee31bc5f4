"""Which browser is meant and what is open in it, asked anew each time; one of its own for a
project, started and ended.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.browser.endpoint import Endpoint, parse_endpoint
from director_ctx.browser.launch import find_program, launch, stop
from director_ctx.browser.started import forget_started, keep_started, own_place, read_started
from director_ctx.browser.tabs import (
    PATIENT,
    SECONDS,
    NoBrowser,
    browser_id,
    browser_socket,
    read_tabs,
)
from director_ctx.memory.store.engine import Nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.browser.display import Open
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
    from director_ctx.browser.display import shown

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
    return arranged(tabs, _names_or_offers(project, store, browser, tabs))


def find_browser(
    project: Project | None, cdp: str | None = None, remote: bool = False, seconds: float = PATIENT
) -> Browser:
    """The browser that was named, or else the one that `dctx browser start` started for this
    project.
    """
    address = cdp or os.environ.get(VARIABLE, "").strip()
    if address:
        endpoint = parse_endpoint(address, remote)
        return Browser(endpoint, browser_socket(endpoint, seconds))
    return find_own(project.root if project else None, seconds)


def find_own(root: str | None, seconds: float = PATIENT) -> Browser:
    """The one that `dctx browser start` started. Whatever else listens at its port by now is not
    it.
    """
    from director_ctx.browser.started import read_started

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
    wanted: Mapping[str, str] | None = None,
    store: Store | None = None,
) -> list[Open]:
    """The tabs, their names settled in the store; `wanted` names some of them by the browser's ids."""
    from director_ctx.memory.store.open import open_store

    tabs = read_tabs(browser.endpoint)
    with open_store(store or project, write=True) as opened:
        names = _settled(opened, browser, tabs, wanted)
    return arranged(tabs, names)


def _settled(
    store: Store, browser: Browser, tabs: Sequence[Tab], wanted: Mapping[str, str] | None
) -> dict[str, str]:
    from director_ctx.browser.tab_names import keep_names, read_names

    offers = _offers(tabs)
    known = read_names(store, browser.id)
    are_as_wanted = all(known.get(target) == name for target, name in (wanted or {}).items())
    # Nothing is written where nothing came, went, or is to be named.
    if known.keys() == offers.keys() and are_as_wanted:
        return known
    return keep_names(store, browser.id, offers, wanted)


def _names_or_offers(
    project: Project | None, store: Store | None, browser: Browser, tabs: Sequence[Tab]
) -> dict[str, str]:
    """A context makes no store, and does without one that cannot be used."""
    from director_ctx.browser.tab_names import named
    from director_ctx.memory.store.open import open_store

    try:
        with open_store(store or project) as opened:
            if not isinstance(opened.engine, Nothing):
                return _settled(opened, browser, tabs, None)
    except DctxError:
        pass
    return named({}, _offers(tabs))


def _offers(tabs: Sequence[Tab]) -> dict[str, str]:
    """Nobody tells more tabs apart by name than are remembered; the others are `Tab`."""
    from director_ctx.browser.display import name_of
    from director_ctx.browser.tab_names import MOST_NAMES

    return {tab.id: name_of(tab) for tab in tabs[:MOST_NAMES]}


def find_tab(tabs: Sequence[Open], text: str) -> Open:
    """The tab with this name, id or number, or the only one that has it in its title; the active
    one for nothing.
    """
    if not tabs:
        raise DctxError("No tab is open.", "`dctx browser open URL` opens one.")
    wanted = text.strip().casefold()
    if not wanted:
        return next(tab for tab in tabs if tab.active)

    same: list[Open] = []
    titled: list[Open] = []
    parts: list[Open] = []
    for tab in tabs:
        name, title = tab.name.casefold(), tab.tab.title.casefold()
        if wanted in (name, tab.tab.id.casefold()):
            same.append(tab)
        if wanted == title:
            titled.append(tab)
        if wanted in name or wanted in title:
            parts.append(tab)
    for matches in (same, _numbered(tabs, wanted), titled, parts):
        if len(matches) == 1:
            return matches[0]
    from director_ctx.base.text import plain

    names = ", ".join(tab.name for tab in tabs[:20])
    which = f"There is no tab {plain(text)!r}"
    if parts:
        which = f"Several tabs have {plain(text)!r} in them"
    raise DctxError(
        f"{which}; open: {names}.", "Name one of these, or its number in `dctx browser tabs`."
    )


def _numbered(tabs: Sequence[Open], wanted: str) -> Sequence[Open]:
    """The tab of that number, counted from one."""
    if not wanted.isascii() or not wanted.isdigit() or len(wanted) > 4:
        return []
    number = int(wanted)
    return tabs[number - 1 : number]


def arranged(tabs: Sequence[Tab], names: Mapping[str, str]) -> list[Open]:
    """The main tab, then the others by name: an order that does not change when another tab becomes
    active.
    """
    from director_ctx.browser.display import Open
    from director_ctx.browser.tab_names import FIRST

    opened: list[Open] = []
    for index, tab in enumerate(tabs):
        name = names.get(tab.id, "Tab")
        opened.append(Open(name, tab, active=index == 0))

    def rank(tab: Open) -> tuple[bool, str, str]:
        return tab.name != FIRST, tab.name.casefold(), tab.tab.id

    return sorted(opened, key=rank)


def start(
    project: Project | None, url: str | None, port: int, program: str | None, headless: bool
) -> tuple[Browser, int, bool]:
    """The browser, its process, and whether it was started just now. Two who start at once get one
    browser.
    """
    from director_ctx.project.reading.lock import alone_in

    root = project.root if project else None
    folder = own_place(root)
    os.makedirs(folder, 0o700, exist_ok=True)
    with alone_in(folder):
        started = read_started(root)
        if started is not None:
            try:
                return find_own(root), started.pid, False
            except DctxError:
                stop(root, started)
        started = launch(root, find_program(program), url, port, headless)
        keep_started(root, started)
    browser = find_own(root)
    open_tabs(project, browser)
    return browser, started.pid, True


def end(project: Project | None) -> int:
    """The process that was ended; 0 where none of ours was running."""
    root = project.root if project else None
    started = read_started(root)
    if started is None:
        return 0
    ended = stop(root, started)
    forget_started(root)
    return started.pid if ended else 0
