"""What a command prints with `--json` is made by its use case, so that another door gives the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import plan, task, write

from director_ctx import (
    Project,
    assemble,
    load_project,
    next_task,
    set_variable,
    status,
    variables,
    what_if,
)
from director_ctx.assembling.budgets import contexts_json, every_context
from director_ctx.context.place import next_json
from director_ctx.memory.plans.beside import beside_files, beside_json
from director_ctx.memory.runs.choose import runs_of
from director_ctx.memory.runs.run import history_json
from director_ctx.memory.runs.storage import read_runs
from director_ctx.memory.variables.display import variable_json
from director_ctx.memory.variables.variables import value_in
from director_ctx.project.notes.freshness import freshness
from director_ctx.upkeep.as_json import diagnosis_json, stale_json, status_json
from director_ctx.upkeep.doctor import diagnose
from director_ctx.upkeep.repair import Repair

ANSWERS: dict[tuple[str, ...], Callable[[Project], Any]] = {
    ("status",): lambda p: {
        **status_json(p, status(p)),
        "plan": beside_json(beside_files(p)),
        **stale_json(freshness(p)),
    },
    ("next",): lambda p: next_json(p, next_task(p)),
    ("budget", "builder"): lambda p: assemble(p, "builder").account_json(),
    ("budget", "--all"): lambda p: contexts_json(every_context(p)),
    ("budget", "builder", "--what-if"): lambda p: what_if(p, "builder").as_json(),
    ("budget", "--history"): lambda p: history_json(runs_of(read_runs(p.root), None)),
    ("doctor",): lambda p: diagnosis_json(diagnose(p), Repair((), (), ())),
    ("vars", "show"): lambda p: [
        {**variable_json(row), "value": value_in(row)} for row in variables(p)
    ],
}


@pytest.mark.parametrize("words", ANSWERS, ids=" ".join)
def test_a_use_case_gives_the_json_that_its_command_prints(
    words: tuple[str, ...], tmp_path: Path, dctx: Callable[..., Any]
) -> None:
    tasks = plan({"01-one.md": task("One"), "02-two.done.md": task("Two")})
    root = write(tmp_path, {"VISION.md": "# Vision\nGrüße.\n", **tasks})
    set_variable(load_project(root), "colour", "red", "It was red.")
    assert dctx("assemble", "builder", cwd=root).code == 0

    printed = json.loads(dctx(*words, "--json", cwd=root).out)
    answer = ANSWERS[words](load_project(root))
    assert json.loads(json.dumps(answer)) == printed
    assert printed
