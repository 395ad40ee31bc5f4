"""Stores with something in them, and how they are asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from kept_plans import new_version

from director_ctx import load_project
from director_ctx.browser import tab_names
from director_ctx.memory.conversations import messages
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.store import Store, new_id
from director_ctx.memory.transfer.take import Tally
from director_ctx.memory.transfer.transfer import read_in, write_out
from director_ctx.memory.variables import entries

PLAN = {"overall_goal": "Grüße", "phases": [], "next_actions": [], "blockers": [], "notes": "ü"}


FILE = ".director/.dctx/store.db"


def silent(_: int) -> None:
    pass


def fill(store: Store, times: int = 3) -> None:
    """Something in every table."""
    for number in range(times):
        new_version(store, {**PLAN, "notes": str(number)}, f"Change {number}")
        messages.add(
            store,
            [("user", f"Hello {number}", None), ("assistant", "Hi", {"dctx_attached": "plan"})],
        )
        entries.put(store, {f"node{number}.emails": json.dumps([number]), "b": '"x"'}, "Extract")
    entries.clear(store, "node0.emails", "Again")
    tab_names.keep_names(store, "browser", {"1": "Main", "2": "Mail"})
    sql = (
        "INSERT INTO compressed_contexts (id, workflow_id, summary, original_message_count, compression_ratio,"
        " created_at) VALUES (?, ?, ?, ?, ?, ?)"
    )
    row = (new_id(), store.workflow, "They said hello.", 2, 0.25, "2026-01-01T00:00:00.000001Z")
    store.engine.write(store.workflow, lambda writer: writer.run(sql, row))


def lines_of(store: Store) -> list[bytes]:
    found: list[bytes] = []
    write_out(store, found.append, silent)
    return found


def carried(source: Store, target: Store) -> Mapping[str, Tally]:
    """Everything out of one store and into another."""
    return read_in(target, BytesIO(b"".join(lines_of(source))), silent)


def held(root: Path) -> list[bytes]:
    with open_store(load_project(root=str(root))) as store:
        return lines_of(store)
