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

FIRST = "Main Tab"
MOST_NAMES = 500
"""Of browsers that are gone there is no word; their names are forgotten once there are so many."""


def read_names(store: Store, browser: str) -> dict[str, str]:
    """The names of one browser's tabs, by its ids of them. A project may have several, on several
    machines.
    """
    return _of(browser, tab_names(store.engine, store.workflow))


def _of(browser: str, rows: Sequence[Row]) -> dict[str, str]:
    mark = f"{browser}/"
    return {target.removeprefix(mark): name for target, name in rows if target.startswith(mark)}


def named(known: Mapping[str, str], offered: Mapping[str, str]) -> dict[str, str]:
    """Names for the tabs that are open: the known ones, and for new tabs what is offered, numbered
    where it is taken.

    The first tab that anybody sees is the main one.
    """
    names = {target: known[target] for target in offered if target in known}
    for target, offer in offered.items():
        if target in names:
            continue
        is_first = not known and not names
        names[target] = free_name(FIRST if is_first else offer, names.values())
    return names


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """`Debug Tab`, or `Debug Tab 2` where there is one already."""
    others = {name.casefold() for name in taken}
    name = wanted
    number = 1
    while name.casefold() in others:
        number += 1
        name = f"{wanted} {number}"
    return name


def keep_names(
    store: Store, browser: str, offered: Mapping[str, str], wanted: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Settles the names of the tabs that are open, in one transaction; `wanted` renames some of
    them.
    """
    settled: dict[str, str] = {}

    def work(writer: Writer) -> dict[str, str]:
        ensure_workflow(writer, store)
        rows = tab_names(writer, store.workflow)
        known = _of(browser, rows)
        names = _settled(known, offered, wanted or {})

        gone = [f"{browser}/{target}" for target in known if names.get(target) != known[target]]
        if len(rows) > MOST_NAMES:
            gone += [target for target, _ in rows if not target.startswith(f"{browser}/")]
        for row_target in gone:
            remove_tab(writer, store.workflow, row_target)
        for target, name in names.items():
            if known.get(target) != name:
                add_tab(writer, store.workflow, f"{browser}/{target}", name)

        settled.clear()
        settled.update(names)
        return names

    def done(reader: Reader) -> dict[str, str] | None:
        written = _of(browser, tab_names(reader, store.workflow))
        return settled if written == settled else None

    return store.engine.write(store.workflow, work, done)


def _settled(
    known: Mapping[str, str], offered: Mapping[str, str], wanted: Mapping[str, str]
) -> dict[str, str]:
    """The names of the tabs that are open, some of them as somebody wants them."""
    names = named(known, offered)
    for target, name in wanted.items():
        others = [other_name for other, other_name in names.items() if other != target]
        names[target] = free_name(name, others)
    return names
