"""What each tool says of its own plan, and what is said of it here. Its own answers are in `samples/judged-plans.json`,
with how they were made: the tools are hundreds of megabytes.
"""

from __future__ import annotations

import json
from pathlib import Path

from other_plans import take, taken, tasks_of

from director_ctx.project.origins import taken_plans
from director_ctx.project.project import Project
from director_ctx.project.tasks.next import next_task

JUDGED = json.loads((Path(__file__).parents[1] / "samples/judged-plans.json").read_text())


def ready(root: Path, tool: str) -> list[str]:
    """The ids of what can start."""
    project = Project(str(root))
    upcoming = next_task(project)
    assert upcoming.task
    every = [upcoming.task, *upcoming.also_ready]
    ids = {unit.at: id for id, unit in taken_plans(project)[tool].units.items()}
    return [
        ids[one.place.task.path.removeprefix(".director/").removesuffix(".md")]
        for one in every
        if one.place.task
    ]


def test_openspec_counts_the_same_boxes(tmp_path: Path) -> None:
    root = taken("openspec", tmp_path)
    counts = {"add-photos": [0, 0]}
    for task in tasks_of(take(root, "openspec", with_done=True)):
        change = task.key.split("/")[0]
        # What is verified by words is no box.
        nested = [one for one in task.criteria if not one.text.startswith("verify")]
        done = task.done + sum(one.met for one in nested)
        counts.setdefault(change, [0, 0])
        counts[change][0] += done
        counts[change][1] += 1 + len(nested)
    del counts["shelf"]  # archived, and not in the tool's list
    assert counts == JUDGED["openspec"]["changes"]


def test_task_master_can_start_the_same(tmp_path: Path) -> None:
    root = taken("task-master", tmp_path)
    started = ready(root, "task-master")
    # 7 and 8 wait for each other: nothing there will ever be ready, and here the circle is opened.
    assert [id.split("/")[1].split(".")[0] for id in started] == ["2", "8", "1"]
    assert JUDGED["task-master"]["ready"] == ["2", "1"]


def test_backlog_can_start_the_same(tmp_path: Path) -> None:
    root = taken("backlog", tmp_path)
    # BACK-5 is one that nobody will do; the tool does not know that word, and it is left out here.
    assert [f"BACK-{id}" for id in ready(root, "backlog")] == ["BACK-1", "BACK-2.1"]
    assert JUDGED["backlog"]["ready"] == ["BACK-1", "BACK-2.1", "BACK-5"]
