"""`dctx store migrate`: a project begins to use a store that others use, too, and a database is made fit, each
once somebody has seen what that means.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.text import plain
from director_ctx.context.settings.options import load_settings
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.by_url import (
    SETTINGS,
    agree,
    allow_workflow,
    connect,
    file_of,
    is_agreed,
    is_others,
    is_own_file,
    place_of,
)
from director_ctx.memory.store.file import FILE, VARIABLE, own_workflow
from director_ctx.memory.store.identity import coming_id, write_id
from director_ctx.memory.store.migrate import examine, is_ready
from director_ctx.memory.store.migrate import migrate as apply
from director_ctx.memory.store.open import open_store, project_here
from director_ctx.memory.store_info import kept_here
from director_ctx.project.dctx_folder import KEPT
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from director_ctx.memory.store.engine import Engine
    from director_ctx.memory.store.migration import Migration
    from director_ctx.memory.store.postgres import Postgres

HERE = f"{KEPT}/{FILE}"
_UP_TO_DATE = "Nothing to do: a store in a file makes its own tables."


def run(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    settings = load_settings(load_project(root=root))
    workflow = settings.workflow_id or ""
    url = os.environ.get(VARIABLE, "").strip()
    if not url and settings.store:
        url = settings.store
        if not _may_be_asked(values, root, url):
            return FAILED

    place = file_of(url) if url else ""
    if place is not None:
        if place and not _is_own_or_agreed(values, root, place, workflow):
            return FAILED
        return _file(values)
    engine = connect(url)
    try:
        return _migrate(values, root, engine, workflow)
    finally:
        engine.close()


def _may_be_asked(values: dict[str, Any], root: str, url: str) -> bool:
    """Whoever wrote the repository chose this store, and would be sent passwords and what is remembered:
    not before its user agrees.
    """
    if is_agreed(root, url):
        return True
    say(
        f"{SETTINGS} names a store, where plans, variables and conversations would go: {plain(place_of(url))}"
    )
    if not _is_agreed(values, "Use this store?"):
        return False
    agree(root, url)
    return True


def _is_own_or_agreed(values: dict[str, Any], root: str, place: str, workflow: str) -> bool:
    if is_own_file(root, place) or not os.path.isfile(place):
        return True
    from director_ctx.memory.store.sqlite import SQLite

    engine = SQLite(place)
    try:
        # A project without an id shares the only one of the file.
        return _may_use(values, root, engine, workflow or own_workflow(engine) or "")
    finally:
        engine.close()


def _may_use(values: dict[str, Any], root: str, engine: Engine, workflow: str) -> bool:
    """An id that was copied opens nobody's workflow."""
    place = engine.place
    if not is_others(root, place, engine, workflow):
        return True
    say(
        f"The workflow {plain(workflow)} has something in {plain(place)} already, and this project did not begin it "
        "here: it would read and write all of that."
    )
    if not _is_agreed(values, "Let this project use it?"):
        return False
    allow_workflow(root, place, workflow)
    return True


def _file(values: dict[str, Any]) -> int:
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
        put_lines([(_UP_TO_DATE, "bold")])
        say("To prepare a database, name it in DCTX_STORE.")
    return OK


def _migrate(values: dict[str, Any], root: str, engine: Postgres, workflow: str) -> int:
    migration = engine.look(examine)
    # Without an id two clones of one project would not find each other's rows.
    new = ""
    if not workflow and not migration.by_hand:
        new = coming_id(root)
    ready = engine.look(is_ready)
    if not values["json"]:
        put_lines(list(_plan(migration, ready, engine.place, new)))

    nothing_to_do = ready and not new
    agreed = not nothing_to_do and _is_agreed(values, "Make these changes?")
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
        _say_what_stays_here(root)
    is_made = ready or added
    return OK if not is_made or _may_use(values, root, engine, workflow) else FAILED


def _say_what_stays_here(root: str) -> None:
    """What was kept in the file so far does not come along by itself."""
    rows = kept_here(root)
    if not rows:
        return

    count = f"{rows:,} rows"
    if rows == 1:
        count = "1 row"
    say(
        f"From now on the database is read, and {count} in {HERE} are not.",
        f"To bring them over: DCTX_STORE={HERE} dctx store export | dctx store import -",
    )


def _is_agreed(values: dict[str, Any], question: str) -> bool:
    if values["dry_run"]:
        return False
    return values["yes"] or says_yes(question)


def _plan(migration: Migration, ready: bool, place: str, new: str) -> Iterator[tuple[str, str]]:
    if ready:
        yield f"{plain(place)} has all that dctx needs.", "bold"
    else:
        yield f"{plain(place)} would get:", "bold"
    for statement in migration.statements:
        for line in f"{statement};".split("\n"):
            yield f"  {line}", ""
    if not ready and not migration.statements:
        yield "  a note of the version of its tables", ""
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
    workflow = write_id(root, new)
    # Somebody else may have been faster.
    verb = "Wrote"
    if workflow != new:
        verb = "There is"
    say(f"{verb} workflow_id: {workflow} in .director/dctx.yaml; commit it.")
    return workflow
