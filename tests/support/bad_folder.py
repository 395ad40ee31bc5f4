"""A project that was let go: five goals, records that fell behind, notes about code that changed since,
names without numbers, one decision twice.
"""

from __future__ import annotations

from pathlib import Path

from conftest import commit, git, step, task, write

GOALS = 5
STEPS = 3
NOTES = (
    "ARCHITECTURE",
    "CONCERNS",
    "CONVENTIONS",
    "INTEGRATIONS",
    "STACK",
    "STRUCTURE",
    "SUMMARY",
    "TESTING",
)


def bad_folder(root: Path) -> Path:
    """The project below `root`, in a repository."""
    write(root, _files())
    code = {f"src/{name.lower()}.py": "old = True\n" for name in NOTES}
    commit(root, "The code and what is known about it", code)
    changed = {f"src/{name.lower()}.py": "old = False\n" for name in NOTES}
    commit(root, "Turn everything around", changed)
    git(root, "mv", "src/stack.py", "src/the_stack.py")
    commit(root, "Another name for the stack")
    return root


def _files() -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {
        "VISION.md": "# Vision\n\n## Project Name\nA shop for second-hand bicycles, their parts and repairs\n\n"
        "## What It Does\nIt sells bicycles.\n- [UNCLEAR] Who pays for the post?\n- [UNCLEAR] Which towns first?\n",
        "GAMEPLAN.md": "# Gameplan\n\n## Goals\n\n1. **Goal 1: The window of the shop** -- a\n"
        "2. **Goal 9: A goal without a folder** -- b\n\n**Current Goal:** Goal 3\n**Next Up:** Something else\n",
        "STATE.md": "# State\n\n**Status:** Complete\n**Position:** Goal 4, Step 2, Task 1\n",
        "config.json": "{",
        "research/STACK.md": b"caf\xe9\n",
        "goals/later/GOAL.md": "x",
    }
    for name in NOTES:
        files[f"codebase/{name}.md"] = (
            f"# {name.title()}\n\nAll of it is in `src/{name.lower()}.py`.\n"
        )
    for goal in range(1, GOALS + 1):
        files.update(_goal(goal))
    return files


def _goal(number: int) -> dict[str, str | bytes]:
    folder = f"goals/{number:02}-a-goal-with-quite-a-long-name"
    title = (
        f"A goal with a title that is much longer than anybody would want to read, number {number}"
    )
    files: dict[str, str | bytes] = {
        f"{folder}/GOAL.md": f"# Goal {number}: {title}\n\n## Status\n\n"
        "**Progress:** Complete\n**Steps complete:** 9 of 9\n"
    }
    for place in range(1, STEPS + 1):
        of_step = f"{folder}/{place:02}-step"
        decisions = "### Locked\n- Store bicycle prices as whole cents\n"
        files[f"{of_step}/STEP.md"] = step(
            place,
            f"Step {place} of it",
            "- [x] Task 1: First\n- [x] Task 2: Second\n- [ ] Task 7: Gone",
            decisions,
        )
        ending = ".done.md" if number == 1 else ".md"
        files[f"{of_step}/tasks/01-first{ending}"] = task("First")
        files[f"{of_step}/tasks/02-second.md"] = task("Second", needs="Step 9", what="")
        files[f"{of_step}/tasks/notes.md"] = "x"
    return files
