"""The names of open tabs. They stay while a tab is open, whatever page it shows; a closed tab is
forgotten.
"""

from __future__ import annotations

from director_ctx.memory.store.store import ensure_workflow
from director_ctx.memory.store.tab_rows import add_tab, remove_tab, tab_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.store import Store

    Names = Mapping[str, str]
    """Of tabs, by the browser's ids of them."""

FIRST = "Main Tab"
MOST_NAMES = 500
"""Of browsers that are gone there is no word; their names are forgotten once there are so many."""


def read_names(store: Store, browser: str) -> dict[str, str]:
    """The names of one browser's tabs. A project may have several browsers, on several machines."""
    rows = tab_names(store.engine, store.workflow)
    return _names_of(browser, rows)


def _names_of(browser: str, rows: Sequence[Row]) -> dict[str, str]:
    mark = f"{browser}/"
    names: dict[str, str] = {}
    for target, name in rows:
        if target.startswith(mark):
            tab = target.removeprefix(mark)
            names[tab] = name
    return names


def names_for(known: Names, offered: Names) -> dict[str, str]:
    """Names for the tabs that are open: the known ones, and for new tabs what is offered, numbered
    where it is taken.

    The first tab that anybody sees is the main one.
    """
    names: dict[str, str] = {}
    for tab in offered:
        if tab in known:
            names[tab] = known[tab]

    for tab, offer in offered.items():
        if tab in names:
            continue
        is_first = not known and not names
        if is_first:
            names[tab] = FIRST
        else:
            names[tab] = free_name(offer, names.values())
    return names


def free_name(name: str, taken: Iterable[str]) -> str:
    """`Debug Tab`, or `Debug Tab 2` where there is one already."""
    others = {other.casefold() for other in taken}
    free = name
    number = 1
    while free.casefold() in others:
        number += 1
        free = f"{name} {number}"
    return free


def keep_names(
    store: Store,
    browser: str,
    offered: Names,
    renamed: Names | None = None,
) -> dict[str, str]:
    """Settles the names of the tabs that are open, in one transaction; some may get another one."""
    settled: dict[str, str] = {}

    def work(writer: Writer) -> dict[str, str]:
        ensure_workflow(writer, store)
        rows = tab_names(writer, store.workflow)
        known = _names_of(browser, rows)
        names = _with_renamed(names_for(known, offered), renamed or {})

        for target in _forgotten(browser, rows, names):
            remove_tab(writer, store.workflow, target)
        for tab, name in names.items():
            if known.get(tab) != name:
                target = f"{browser}/{tab}"
                add_tab(writer, store.workflow, target, name)

        # It may run again, with other names, where the database refused it.
        settled.clear()
        settled.update(names)
        return names

    def done(reader: Reader) -> dict[str, str] | None:
        rows = tab_names(reader, store.workflow)
        if _names_of(browser, rows) == settled:
            return settled
        return None

    return store.engine.write(store.workflow, work, done)


def _with_renamed(names: dict[str, str], renamed: Names) -> dict[str, str]:
    for tab, name in renamed.items():
        others: list[str] = []
        for other, other_name in names.items():
            if other != tab:
                others.append(other_name)
        names[tab] = free_name(name, others)
    return names


def _forgotten(browser: str, rows: Sequence[Row], names: Names) -> list[str]:
    """The rows that go: of tabs that were closed or have another name now, and of other browsers
    where these are many.
    """
    mark = f"{browser}/"
    forgotten: list[str] = []
    for target, name in rows:
        if target.startswith(mark):
            tab = target.removeprefix(mark)
            goes = names.get(tab) != name
        else:
            goes = len(rows) > MOST_NAMES
        if goes:
            forgotten.append(target)
    return forgotten
