"""Folders as agents leave them: whatever was deleted, doubled, swapped or half rewritten, upkeep
stays one truth.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from conftest import ROOT
from in_line import sync, would_sync

from director_ctx import load_project
from director_ctx.upkeep.doctor import DISAGREES, Finding, diagnose
from director_ctx.upkeep.repair import repair

NOW = "2026-01-02 03:04"
RECORDS = ("STATE.md", "GAMEPLAN.md", "GOAL.md", "STEP.md", "IDEAS.md")
LINES = """**Status:** Building
**Current task:** None -- step complete
**Current step:** Who saved what (complete)
**Position:** Goal 1, Step 2, Tasks 1-2 complete
**Position:** Goal 1 complete, starting Goal 2
**Current Goal:** Goal 2: A list shared by friends
**Next Up:** First task in Goal 2
**All goals complete.** The site is live
**Steps complete:** 0
**Progress:** In progress
### Goal 1: x \u2014 COMPLETE
- Step 1: Saving links (3/3 tasks done)
- Step 2: Take the list along \u2014 not started
- Step 9: Unknown (1/2 tasks)
- [~] Task 3: A page for each friend
- [x] Task 4: Count unread links per friend -- DONE
- [ ] Task 9: Nine
1. **Goal 3: More** \u2014 later
  - [x] nested
## Progress
## Tasks
## Status
# Another title
```
<!-- a comment
-->
> quoted

\u00dcn\u00ef \u2603\ta tab""".split("\n")


@pytest.fixture(params=range(30))
def messy(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The example after a few careless edits, the same for each seed."""
    chance = random.Random(request.param)
    base = tmp_path / ".director"
    shutil.copytree(ROOT / "examples" / "reading-list" / ".director", base)
    records = sorted(path for path in base.rglob("*.md") if path.name in RECORDS)
    for path in chance.sample(records, 3):
        lines = path.read_text("utf-8").split("\n")
        for _ in range(chance.randint(1, 6)):
            mangle(lines, chance)
        path.write_bytes(chance.choice(["\n", "\r\n"]).join(lines).encode())
    task = chance.choice(sorted(base.rglob("tasks/*.md")))
    if chance.random() < 0.4:
        done = task.name.endswith(".done.md")
        task.rename(
            task.with_name(task.name.replace(".done.md", ".md") if done else f"{task.stem}.done.md")
        )
    return tmp_path


def mangle(lines: list[str], chance: random.Random) -> None:
    here, there = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.choice(("add", "drop", "swap", "replace", "renumber")):
        case "add":
            lines.insert(here, chance.choice(LINES))
        case "drop":
            lines[here] = ""
        case "swap":
            lines[here], lines[there] = lines[there], lines[here]
        case "replace":
            lines[here] = chance.choice(LINES)
        case _:
            lines[here] = lines[here].replace("2", chance.choice("0139"))


def bytes_of(root: Path) -> dict[str, bytes]:
    files = (
        path for path in sorted(root.rglob("*")) if path.is_file() and ".dctx" not in path.parts
    )
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def for_sync(root: Path) -> list[Finding]:
    """What doctor says that a sync would mend."""
    problems = diagnose(load_project(root=str(root))).problems
    return [one for one in problems if one.kind == DISAGREES and "doctor --fix" in one.advice]


def test_doctor_finds_what_a_sync_changes_and_a_second_one_changes_nothing(messy: Path) -> None:
    would = would_sync(str(messy), NOW).rewrites
    assert bool(for_sync(messy)) == bool(would)
    assert sync(str(messy), NOW).rewrites == would
    after = bytes_of(messy)
    assert for_sync(messy) == []
    sync(str(messy), NOW)
    assert bytes_of(messy) == after
    repair(str(messy), NOW)
    mended = bytes_of(messy)
    repair(str(messy), NOW)
    assert bytes_of(messy) == mended
