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
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.sqlite import SQLite
from director_ctx.memory.store_info import kept_here
from director_ctx.project.dctx_folder import KEPT
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.store.engine import Engine
    from director_ctx.memory.store.migrate import Migration

    Values = dict[str, Any]

HERE = f"{KEPT}/{FILE}"


def run(values: Values) -> int:
    project = load_project(root=values["root"])
    root = project.root
    settings = load_settings(project)
    workflow = settings.workflow_id or ""
    url = os.environ.get(VARIABLE, "").strip()
    if not url and settings.store:
        url = settings.store
        # Whoever wrote the repository chose this store, and would be sent passwords and what is
        # remembered: not before its user agrees.
        if not is_agreed(root, url):
            say(
                f"{SETTINGS} names a store, where plans, variables and conversations would go: {plain(place_of(url))}"
            )
            if not _agrees(values, "Use this store?"):
                return FAILED
            agree(root, url)

    place = file_of(url) if url else ""
    if place is None:
        engine = connect(url)
        try:
            return _migrate(values, root, engine, workflow)
        finally:
            engine.close()

    if place and not is_own_file(root, place) and os.path.isfile(place):
        file = SQLite(place)
        try:
            # A project without an id shares the only one of the file.
            if not _may_use(values, root, file, workflow or own_workflow(file) or ""):
                return FAILED
        finally:
            file.close()
    with open_store(load_project(root=root)) as store:
        name = store.engine.name
    if values["json"]:
        _put_json(name, None, False, store.workflow)
    else:
        put_lines([("Nothing to do: a store in a file makes its own tables.", "bold")])
        say("To prepare a database, name it in DCTX_STORE.")
    return OK


def _may_use(values: Values, root: str, engine: Engine, workflow: str) -> bool:
    """An id that was copied opens nobody's workflow."""
    place = engine.place
    if not is_others(root, place, engine, workflow):
        return True
    say(
        f"The workflow {plain(workflow)} has something in {plain(place)} already, and this project did not begin it "
        "here: it would read and write all of that."
    )
    if not _agrees(values, "Let this project use it?"):
        return False
    allow_workflow(root, place, workflow)
    return True


def _migrate(values: Values, root: str, engine: Engine, workflow: str) -> int:
    migration = engine.look(examine)
    # Without an id two clones of one project would not find each other's rows.
    new = "" if workflow or migration.by_hand else coming_id(root)
    ready = engine.look(is_ready)
    if not values["json"]:
        _show_plan(migration, ready, engine.place, new)

    agreed = (not ready or bool(new)) and _agrees(values, "Make these changes?")
    added = agreed and not ready
    if agreed:
        apply(engine, migration)
        if new:
            workflow = write_id(root, new)
            # Somebody else may have been faster.
            verb = "Wrote" if workflow == new else "There is"
            say(f"{verb} workflow_id: {workflow} in .director/dctx.yaml; commit it.")

    if values["json"]:
        _put_json("postgresql", migration, added, workflow)
    elif added:
        put_lines([("Added.", "bold")])
    elif not ready and not values["dry_run"]:
        put_lines([("Nothing was added.", "bold")])
        return FAILED
    if agreed and (rows := kept_here(root)):
        # What was kept in the file so far does not come along by itself.
        count = "1 row" if rows == 1 else f"{rows:,} rows"
        say(
            f"From now on the database is read, and {count} in {HERE} are not.",
            f"To bring them over: DCTX_STORE={HERE} dctx store export | dctx store import -",
        )
    if (ready or added) and not _may_use(values, root, engine, workflow):
        return FAILED
    return OK


def _agrees(values: Values, question: str) -> bool:
    return not values["dry_run"] and (values["yes"] or says_yes(question))


def _show_plan(migration: Migration, ready: bool, place: str, new: str) -> None:
    heading = "has all that dctx needs." if ready else "would get:"
    lines = [(f"{plain(place)} {heading}", "bold")]
    for statement in migration.statements:
        lines += [(f"  {line}", "") for line in f"{statement};".split("\n")]
    if not ready and not migration.statements:
        lines.append(("  a note of the version of its tables", ""))
    if new:
        lines += [(".director/dctx.yaml would get:", "bold"), (f"  workflow_id: {new}", "")]
    put_lines([*lines, *((note, "yellow") for note in migration.notes)])


def _put_json(engine: str, migration: Migration | None, added: bool, workflow: str) -> None:
    put_json(
        {
            "engine": engine,
            "statements": list(migration.statements) if migration else [],
            "notes": list(migration.notes) if migration else [],
            "applied": added,
            "workflow_id": workflow,
        }
    )
