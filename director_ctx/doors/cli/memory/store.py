"""`dctx store info`: which store is used, and what is in it."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.output import put_json, shown_size
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.open import project_here
from director_ctx.memory.store_info import about

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.memory.store_info import StoreAbout

WORDS = {
    "director_plans": "plan versions",
    "dctx_variables": "variables",
    "dctx_variable_changes": "changes of variables",
    "conversations": "messages",
    "compressed_contexts": "summaries",
    "dctx_tabs": "names of tabs",
    "dctx_originals": "originals in the archive",
    "dctx_compressions": "compressions",
}


def info(values: dict[str, Any]) -> int:
    store = about(project_here(values["root"]))
    if values["json"]:
        put_json(_info_json(store))
    else:
        put_lines(list(_about(store)))
    return OK


def _info_json(store: StoreAbout) -> dict[str, Any]:
    counts = {}
    for table, word in WORDS.items():
        counts[word.replace(" ", "_")] = store.rows.get(table, 0)
    return {
        "engine": store.engine,
        "server": store.server,
        "place": store.place,
        "version": store.version,
        "workflow": store.workflow,
        "bytes": store.size,
        "durability": store.durability,
        "durable": store.is_safe,
        **counts,
        "archived_bytes": store.archived,
    }


def _about(store: StoreAbout) -> Iterator[tuple[str, str]]:
    path = plain(store.place)
    if not store.version:
        yield f"There is no store yet. The first plan or variable will make {path}", ""
        return
    yield f"{store.server}, version {store.version} of the tables", "bold"
    yield path, "dim"
    yield f"Workflow {store.workflow}", ""
    for table, word in WORDS.items():
        yield f"  {store.rows.get(table, 0):>9,}  {word}", ""
    size = shown_size(store.size)
    if store.archived:
        size += f", of originals {shown_size(store.archived)}"
    yield f"{size}, {store.durability}", "dim"
    if not store.is_safe:
        yield "The newest changes may be lost when the power fails.", "yellow"
