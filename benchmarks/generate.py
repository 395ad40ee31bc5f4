"""A large project, always the same: 10 goals of 10 steps of 10 tasks, 400 KB of notes, 2,000
commits.

usage: python -m benchmarks.generate DEST

Five goals are done; in the sixth, two steps and two tasks of the third, so that 6/3/3 comes next.
What a builder gets there is of the same kind as in the example, and somewhat longer.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.commits import write_history
from benchmarks.prose import note, paragraph, sentence
from benchmarks.wording import GAMEPLAN, GOAL, STATE, STEP, TASK, VISION

if TYPE_CHECKING:
    from collections.abc import Mapping

NUMBERS, COMMITS = range(1, 11), 2_000
NEXT = (6, 3, 3)

CODEBASE = {
    "CONVENTIONS": 12_000, "STRUCTURE": 12_000, "ARCHITECTURE": 34_000, "TESTING": 24_000, "STACK": 18_000,
    "INTEGRATIONS": 30_000, "CONCERNS": 36_000, "SUMMARY": 10_000,
}  # fmt: skip
RESEARCH = {
    "STACK": 52_000,
    "FEATURES": 60_000,
    "ARCHITECTURE": 52_000,
    "PITFALLS": 44_000,
    "SUMMARY": 16_000,
}
"""Bytes of each note: 400 KB in all, most of it of no use to a builder."""

KINDS = (
    (
        "Keep {} together",
        "Write the schema and the query that keep this in the database.",
        "Nothing -- this task can start right away.",
    ),
    (
        "Accept {}",
        "Add an endpoint that takes a request from another program.",
        "Needs the previous task.",
    ),
    (
        "A page for {}",
        "Build a page with a small form, and a button that saves it.",
        "Needs the entries to be kept.",
    ),
    ("Check {}", "Write a test for each way in which this can go wrong.", "Needs Task 1."),
    ("Tidy up {}", "Move what is shared into one place.", "Everything above is in use."),
)
"""Title, work and needs of a task; a third one in its step is about a page, as in the example."""
SUBJECTS = (
    "loans",
    "returns",
    "deposits",
    "repairs",
    "reminders",
    "members",
    "shelves",
    "dates",
    "notices",
    "reports",
)


def generate(dest: Path, commits: int = COMMITS) -> None:
    """Writes the project into a new folder, with its history."""
    dest.mkdir(parents=True)
    write_history(
        dest, {f".director/{path}": text for path, text in director_files().items()}, commits
    )


def director_files() -> dict[str, str]:
    """Every file of the folder by its path."""
    chance = random.Random("plan")
    files = {"VISION.md": VISION.format(*(paragraph(chance, 12) for _ in range(4)))}
    files["GAMEPLAN.md"] = _gameplan(chance)
    files["STATE.md"] = STATE
    files["IDEAS.md"] = "# Ideas\n\n_Captured ideas, newest first_\n"
    files["config.json"] = '{"config_version": 1, "mode": "guided"}\n'
    files |= _notes("codebase", CODEBASE) | _notes("research", RESEARCH)
    for number in NUMBERS:
        files |= _goal(chance, number)
    return files


def _notes(folder: str, sizes: Mapping[str, int]) -> dict[str, str]:
    return {
        f"{folder}/{name}.md": note(f"{folder.title()}: {name.title()}", size)
        for name, size in sizes.items()
    }


def _gameplan(chance: random.Random) -> str:
    goals = "\n".join(
        f"{one}. **Goal {one}: {_name(one)}** -- {sentence(chance)}" for one in NUMBERS
    )
    return GAMEPLAN.format(paragraph(chance), goals)


def _goal(chance: random.Random, goal: int) -> dict[str, str]:
    path = f"goals/{goal:02}-{SUBJECTS[goal - 1]}"
    steps = "\n".join(
        f"{one}. **Step {one}: {_name(one)}** -- {sentence(chance)}" for one in NUMBERS
    )
    files = {f"{path}/GOAL.md": GOAL.format(goal, _name(goal), paragraph(chance), steps)}
    for number in NUMBERS:
        files |= _step(chance, path, goal, number)
    return files


def _step(chance: random.Random, above: str, goal: int, step: int) -> dict[str, str]:
    path = f"{above}/{step:02}-{SUBJECTS[step - 1]}"
    boxes = "\n".join(
        f"- [{'x' if (goal, step, one) < NEXT else ' '}] Task {one}: {_title(one)}"
        for one in NUMBERS
    )
    texts = (paragraph(chance, 3), boxes, sentence(chance), sentence(chance))
    files = {f"{path}/STEP.md": STEP.format(step, _name(step), *texts)}
    for task in NUMBERS:
        ending = ".done.md" if (goal, step, task) < NEXT else ".md"
        files[f"{path}/tasks/{task:02}-{SUBJECTS[task - 1]}{ending}"] = _task(chance, task)
    return files


def _task(chance: random.Random, task: int) -> str:
    _, what, needs = KINDS[(task - 1) % len(KINDS)]
    texts = (paragraph(chance, 4), sentence(chance), sentence(chance), sentence(chance))
    return TASK.format(_title(task), what, *texts, needs)


def _name(number: int) -> str:
    return f"Looking after {SUBJECTS[number - 1]}"


def _title(task: int) -> str:
    return KINDS[(task - 1) % len(KINDS)][0].format(SUBJECTS[task - 1])


if __name__ == "__main__":
    generate(Path(sys.argv[1]))
