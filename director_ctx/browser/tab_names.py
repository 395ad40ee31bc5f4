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
    return _names_of(browser, tab_names(store.engine, store.workflow))


def _names_of(browser: str, rows: Sequence[Row]) -> dict[str, str]:
    mark = f"{browser}/"
    return {target.removeprefix(mark): name for target, name in rows if target.startswith(mark)}


def names_for(known: Names, offered: Names) -> dict[str, str]:
    """Names for the tabs that are open: the known ones, and for new tabs what is offered, numbered
    where it is taken.

    The first tab that anybody sees is the main one.
    """
    names = {tab: known[tab] for tab in offered if tab in known}
    for tab, offer in offered.items():
        if tab not in names:
            is_first = not known and not names
            names[tab] = FIRST if is_first else free_name(offer, names.values())
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
    store: Store, browser: str, offered: Names, renamed: Names | None = None
) -> dict[str, str]:
    """Settles the names of the tabs that are open, in one transaction; some may get another one."""
    settled: dict[str, str] = {}

    def work(writer: Writer) -> dict[str, str]:
        ensure_workflow(writer, store)
        rows = tab_names(writer, store.workflow)
        known = _names_of(browser, rows)
        names = names_for(known, offered)
        for tab, name in (renamed or {}).items():
            others = [other_name for other, other_name in names.items() if other != tab]
            names[tab] = free_name(name, others)

        # Tabs that were closed or have another name now go, and other browsers where these are many.
        ours = {f"{browser}/{tab}": name for tab, name in names.items()}
        for target, name in rows:
            is_ours = target.startswith(f"{browser}/")
            if ours.get(target) != name if is_ours else len(rows) > MOST_NAMES:
                remove_tab(writer, store.workflow, target)
        for target, name in ours.items():
            if (target, name) not in rows:
                add_tab(writer, store.workflow, target, name)

        # It may run again, with other names, where the database refused it.
        settled.clear()
        settled.update(names)
        return names

    def done(reader: Reader) -> dict[str, str] | None:
        rows = tab_names(reader, store.workflow)
        return settled if _names_of(browser, rows) == settled else None

    return store.engine.write(store.workflow, work, done)
