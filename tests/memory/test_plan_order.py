"""A plan and a snapshot say the same in the same order, whichever database they come from."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pg
import pytest
from conftest import Files, Result, plan, task, write
from kept_plans import new_version

from director_ctx import Project, assemble, load_project
from director_ctx.memory.plans.snapshot import snapshot
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.store import Store, ensure_workflow, in_utc, new_id

Make = Callable[[Files], Project]
Run = Callable[..., Result]
SEED = (
    "workflow_id", "plan_version", "created_at", "updated_at", "overall_goal", "current_phase", "phases",
    "next_actions", "blockers", "notes",
)  # fmt: skip
"""The order of the design."""
PLAN: dict[str, Any] = {
    "zebra": {"b": 1, "a": {"d": 1, "c": 2}},
    "owner": "Ada",
    "notes": "n",
    "blockers": [],
    "next_actions": ["Test it"],
    "phases": [
        {
            "mood": "good",
            "tasks": [
                {
                    "node_ids": ["n"],
                    "notes": "x",
                    "status": "pending",
                    "description": "Do",
                    "task_id": 1,
                    "ada": 1,
                }
            ],
            "status": "pending",
            "phase_name": "One",
        }
    ],
    "current_phase": "One",
    "overall_goal": "A list",
}
FILES = {"VISION.md": "# Vision\n\nLinks.\n", **plan({"01-one.md": task("One")})}


@pytest.fixture(params=["sqlite", pg.POSTGRESQL])
def shared(
    request: pytest.FixtureRequest, project: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Project:
    """A project whose store is in either database."""
    if request.param == "postgresql":
        url = request.getfixturevalue("server").database()
        pg.migrated(url).close()
        monkeypatch.setenv("DCTX_STORE", url)
    return project({**FILES, "dctx.yaml": f"workflow_id: {new_id()}\n"})


def part_two(text: str) -> dict[str, Any]:
    body = text.split("(2) CURRENT PLAN\n", 1)[1].split("\n\n(3) WORKFLOW SNAPSHOT\n", 1)[0]
    found: dict[str, Any] = json.loads(body)
    return found


def keys_of(shown: dict[str, Any]) -> list[list[str]]:
    # Behind those of the folder stand the plan's own.
    phase = shown["phases"][-1]
    return [
        list(shown),
        list(phase),
        list(phase["tasks"][0]),
        list(shown["zebra"]),
        list(shown["zebra"]["a"]),
    ]


def test_a_plan_has_the_designs_order_from_every_store_in_contexts_and_as_it_is_shown(
    shared: Project, dctx: Run
) -> None:
    with open_store(shared, write=True) as store:
        new_version(store, PLAN, "first")
    wanted = [
        [*SEED, "owner", "zebra"],
        ["phase_name", "status", "tasks", "mood"],
        ["task_id", "description", "status", "notes", "node_ids", "ada"],
        ["a", "b"],
        ["c", "d"],
    ]
    assert keys_of(part_two(assemble(shared, "director").text)) == wanted
    shown = dctx("plan", "show", "--json", "--root", shared.root).out
    assert keys_of(json.loads(shown)) == wanted


def test_a_plan_is_never_older_than_its_beginning(shared: Project) -> None:
    """Where the clock of whoever began it was ahead."""
    with open_store(shared, write=True) as store:
        new_version(store, PLAN, "first")
        ahead = json.dumps({**PLAN, "created_at": "2999-01-01T02:00:00+02:00"})
        sql = "UPDATE director_plans SET plan_data = ? WHERE workflow_id = ?"
        store.engine.write(store.workflow, partial(run_one, sql, (ahead, store.workflow)))
        second = new_version(store, PLAN, "second").data
    assert second["created_at"] == second["updated_at"] == "2999-01-01T00:00:00.000000Z"


def run_one(sql: str, values: tuple[str, ...], writer: Any) -> None:
    writer.run(sql, values)


BORN = "2026-05-06T10:00:00.000000Z"


def born(store: Store, writer: Any) -> None:
    ensure_workflow(writer, store)
    writer.run("UPDATE workflows SET created_at = ? WHERE id = ?", (BORN, store.workflow))


@pytest.mark.parametrize(
    ("written", "updated"),
    [
        ("2026-05-07 21:10", "2026-05-07T21:10:00.000000Z"),
        ("2026-05-07", "2026-05-07T00:00:00.000000Z"),
        ("2026-05-07T23:30:00+02:00", "2026-05-07T21:30:00.000000Z"),
        ("2025-03-20 21:10", BORN),
        ("Not yet", BORN),
        ("yesterday", BORN),
        ("", BORN),
    ],
)
def test_a_snapshots_times_are_iso_and_in_order(
    written: str, updated: str, shared: Project
) -> None:
    with open_store(shared, write=True) as store:
        store.engine.write(store.workflow, partial(born, store))
    write(Path(shared.root), {"STATE.md": f"# State\n\n**Last updated:** {written}\n"})
    header = snapshot(load_project(root=shared.root))["workflow"]
    assert (header["created_at"], header["updated_at"]) == (BORN, updated)


def test_a_snapshot_without_a_store_knows_only_what_is_written(project: Make) -> None:
    made = project({**FILES, "STATE.md": "# State\n\n**Last updated:** 2026-05-07 21:10\n"})
    header = snapshot(made)["workflow"]
    assert (header["created_at"], header["updated_at"]) == (None, "2026-05-07T21:10:00.000000Z")


@pytest.mark.parametrize("wrong", ["", "now", "0001-01-01T00:00:00+14:00", "2026-13-01", "9" * 400])
def test_what_is_no_time_is_none(wrong: str) -> None:
    assert in_utc(wrong) == ""
