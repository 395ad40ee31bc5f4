"""`dctx store info`, `migrate` and `vacuum`: which store is used, and whether it is fit for it."""

from __future__ import annotations

import os

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.text import plain
from director_ctx.context.settings.options import load_settings
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.output import put_json, shown_size
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.file import FILE, VARIABLE
from director_ctx.memory.store.open import open_store, project_here, store_url
from director_ctx.memory.store_info import about, kept_here
from director_ctx.memory.store_info import vacuum as give_back
from director_ctx.project.dctx_folder import KEPT
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from director_ctx.memory.store.migration import Migration
    from director_ctx.memory.store.postgres import Postgres
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
HERE = f"{KEPT}/{FILE}"


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
        yield f"There is no store yet. The first plan or variable makes it: {path}", ""
        return
    yield f"{store.server}, version {store.version} of the tables", "bold"
    yield path, "dim"
    yield f"Workflow {store.workflow}", ""
    for table, word in WORDS.items():
        yield f"  {store.rows.get(table, 0):>9,}  {word}", ""
    archived = f", of originals {shown_size(store.archived)}" if store.archived else ""
    yield f"{shown_size(store.size)}{archived}, {store.durability}", "dim"
    if not store.is_safe:
        yield "What was said to be written may be lost when the power fails.", "yellow"


def vacuum(values: dict[str, Any]) -> int:
    with open_store(project_here(values["root"])) as store:
        before, after = give_back(store)
        engine = store.engine.name
    if values["json"]:
        put_json({"engine": engine, "before": before, "after": after})
    elif engine == "postgresql":
        put_lines([("Nothing to do: PostgreSQL gives room back by itself (autovacuum).", "bold")])
    elif engine == "none":
        put_lines([("Nothing to do: there is no store yet.", "bold")])
    else:
        put_lines([(f"{shown_size(before)} before, {shown_size(after)} now.", "bold")])
    return OK


def migrate(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    settings = load_settings(load_project(root=root))
    url = store_url(root, settings.store)
    from director_ctx.memory.store.teams import connect, file_of

    if not url or file_of(url) is not None:
        return _file(values)
    engine = connect(url)
    try:
        return _migrate(values, root, engine, settings.workflow_id or "")
    finally:
        engine.close()


def _file(values: dict[str, Any]) -> int:
    """Opening a file brings its tables to this version."""
    with open_store(project_here(values["root"])) as store:
        engine = store.engine.name
    if values["json"]:
        put_json(
            {
                "engine": engine,
                "statements": [],
                "notes": [],
                "applied": False,
                "workflow_id": store.workflow,
            }
        )
    else:
        put_lines(
            [
                (
                    "Nothing to do: a store in a file is brought up to date whenever it is opened.",
                    "bold",
                )
            ]
        )
        say("A database is made ready where DCTX_STORE names it.")
    return OK


def _migrate(values: dict[str, Any], root: str, engine: Postgres, workflow: str) -> int:
    from director_ctx.memory.store.identity import coming_id
    from director_ctx.memory.store.migrate import examine, is_ready
    from director_ctx.memory.store.migrate import migrate as apply

    migration = engine.look(examine)
    new = "" if workflow or migration.by_hand else coming_id(root)
    ready = engine.look(is_ready)
    if not values["json"]:
        put_lines(list(_plan(migration, ready, engine.place, new)))

    nothing_to_do = ready and not new
    agreed = not nothing_to_do and _may(values)
    added = agreed and not ready
    if agreed:
        apply(engine, migration)
        if new:
            workflow = _keep_id(root, new)

    if values["json"]:
        put_json(_as_json(migration, added, workflow))
    elif added:
        put_lines([("Added.", "bold")])
    elif not ready and not values["dry_run"]:
        put_lines([("Nothing was added.", "bold")])
        return FAILED
    if agreed:
        _tell_of_rows_here(root)
    return OK


def _tell_of_rows_here(root: str) -> None:
    """What was kept in the file so far does not come along by itself."""
    rows = kept_here(root)
    if not rows:
        return

    count = "1 row" if rows == 1 else f"{rows:,} rows"
    command = f"DCTX_STORE={HERE} dctx store copy URL"
    if os.environ.get(VARIABLE, "").strip():
        command = 'env -u DCTX_STORE dctx store copy "$DCTX_STORE"'
    say(f"From now on {count} in {HERE} will not be read.", f"To bring them over: {command}")


def _may(values: dict[str, Any]) -> bool:
    if values["dry_run"]:
        return False
    if values["yes"]:
        return True
    return says_yes("Do this?")


def _plan(migration: Migration, ready: bool, place: str, new: str) -> Iterator[tuple[str, str]]:
    if ready:
        yield f"{plain(place)} has all that dctx needs.", "bold"
    else:
        yield f"{plain(place)} would get:", "bold"
    for statement in migration.statements:
        for line in f"{statement};".split("\n"):
            yield f"  {line}", ""
    if not ready and not migration.statements:
        yield "  a note of its version", ""
    if new:
        yield ".director/dctx.yaml would get:", "bold"
        yield f"  workflow_id: {new}", ""
    for note in migration.notes:
        yield note, "yellow"


def _as_json(migration: Migration, added: bool, workflow: str) -> Mapping[str, Any]:
    return {
        "engine": "postgresql",
        "statements": list(migration.statements),
        "notes": list(migration.notes),
        "applied": added,
        "workflow_id": workflow,
    }


def _keep_id(root: str, new: str) -> str:
    from director_ctx.memory.store.identity import write_id

    kept = write_id(root, new)
    # Somebody else may have been faster.
    verb = "Wrote" if kept == new else "There is"
    say(f"{verb} workflow_id: {kept} in .director/dctx.yaml; commit it.")
    return kept
