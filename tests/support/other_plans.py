"""Plans of other tools, copied, taken over, and edited at random as people and agents edit them."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from conftest import Result

from director_ctx.other_plans.find import find_plan
from director_ctx.other_plans.model import OtherTask
from director_ctx.other_plans.take_over import Taking, plan_taking
from director_ctx.other_plans.write import write_taking

Run = Callable[..., Result]
SAMPLES = Path(__file__).parents[1] / "samples" / "plans"
TOOLS = tuple(sorted(path.name for path in SAMPLES.iterdir()))
NOW = "2026-03-03 10:00"
_BOX = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[.?\]")


def copy(tool: str, place: Path) -> Path:
    shutil.copytree(SAMPLES / tool, place, dirs_exist_ok=True)
    return place


def put(root: Path, path: str, text: str) -> None:
    """A file of the source."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def take(root: Path, tool: str, with_done: bool = False) -> Taking:
    """Taken over; what was decided."""
    taking = plan_taking(str(root), find_plan(tool, str(root), None), with_done)
    written = write_taking(str(root), taking, NOW)
    assert not written.failed
    return taking


def taken(tool: str, place: Path) -> Path:
    """A project with a sample that was taken over."""
    take(copy(tool, place), tool)
    return place


def again(root: Path, tool: str) -> Taking:
    """What another run would do."""
    return plan_taking(str(root), find_plan(tool, str(root), None))


def tasks_of(taking: Taking) -> list[OtherTask]:
    """Every task that the source has."""
    return [unit.other for unit in taking.units if isinstance(unit.other, OtherTask)]


def files(root: Path) -> dict[str, bytes]:
    """All of a folder but what dctx keeps for itself."""
    found: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        place = path.relative_to(root).as_posix()
        if path.is_file() and "/.dctx/" not in f"/{place}" and not place.startswith(".git/"):
            found[place] = path.read_bytes()
    return found


def source_files(root: Path) -> dict[str, bytes]:
    return {path: data for path, data in files(root).items() if not path.startswith(".director/")}


def edit_at_random(root: Path, chance: random.Random) -> None:
    """One change of the source, of a kind that happens."""
    if (root / ".taskmaster").exists():
        _edit_tasks(root / ".taskmaster/tasks/tasks.json", chance)
    elif (root / "backlog").exists():
        _edit_backlog(root / "backlog/tasks", chance)
    else:
        paths = [
            *root.glob("openspec/changes/*/tasks.md"),
            *root.glob("specs/*/tasks.md"),
        ]
        _edit_boxes(chance.choice(sorted(paths)), chance)


def _edit_boxes(path: Path, chance: random.Random) -> None:
    lines = path.read_text().split("\n")
    places = [number for number, line in enumerate(lines) if _BOX.match(line)]
    kind = chance.choice(("tick", "open", "text", "new", "new", "gone", "move", "group"))
    place = chance.choice(places) if places else len(lines)
    if not places or kind == "new":
        lines.insert(place, _new_box(path, lines, chance))
    elif kind == "tick":
        lines[place] = re.sub(r"\[.?\]", "[x]", lines[place], count=1)
    elif kind == "open":
        lines[place] = re.sub(r"\[.?\]", "[ ]", lines[place], count=1)
    elif kind == "text":
        lines[place] += f" and {chance.choice(('more', 'less', 'otherwise'))}"
    elif kind == "gone" and len(places) > 3:
        del lines[place]
    elif kind == "move":
        lines.insert(chance.choice(places), lines.pop(place))
    elif kind == "group":
        lines += [
            "",
            f"## {chance.randrange(20, 99)}. Group {chance.randrange(999)}",
            "",
            _new_box(path, lines, chance),
        ]
    path.write_text("\n".join(lines))


def _new_box(path: Path, lines: list[str], chance: random.Random) -> str:
    words = f"New thing {chance.randrange(10_000)}"
    if path.parts[-3] == "specs":
        numbers = [int(number) for number in re.findall(r"\bT(\d{3,})", "\n".join(lines))]
        # By rule it only ever appends.
        return f"- [ ] T{max(numbers) + 1:03} {words}"
    return f"- [ ] {chance.randrange(1, 4)}.{chance.randrange(1, 9)} {words}"


def _edit_tasks(path: Path, chance: random.Random) -> None:
    data = json.loads(path.read_text())
    tag = chance.choice(sorted(data))
    tasks = data[tag]["tasks"]
    task = chance.choice(tasks)
    kind = chance.choice(("status", "text", "new", "subtask", "needs", "gone", "numbers"))
    if kind == "status":
        unit = chance.choice([task, *task["subtasks"]])
        unit["status"] = chance.choice(("pending", "done", "in-progress", "deferred"))
    elif kind == "text":
        task["title"] += " again"
    elif kind == "new":
        number = max(int(one["id"]) for one in tasks) + 1
        tasks.append(
            {
                "id": number,
                "title": f"New {number}",
                "status": "pending",
                "dependencies": [task["id"]],
                "subtasks": [],
            }
        )
    elif kind == "subtask":
        numbers = [int(one["id"]) for one in task["subtasks"]]
        number = max(numbers, default=0) + 1
        task["subtasks"].append(
            {"id": number, "title": f"Part {number}", "status": "pending", "dependencies": []}
        )
    elif kind == "needs":
        task["dependencies"] = [chance.choice(tasks)["id"]]
    elif kind == "gone" and len(tasks) > 2:
        tasks.remove(task)
    elif kind == "numbers":
        task["id"] = str(task["id"])
    path.write_text(json.dumps(data, indent=2))


def _edit_backlog(folder: Path, chance: random.Random) -> None:
    paths = sorted(folder.glob("*.md"))
    path = chance.choice(paths)
    text = path.read_text()
    kind = chance.choice(("status", "text", "new", "gone"))
    if kind == "status":
        text = re.sub(
            r"(?m)^status: .*", f"status: {chance.choice(('To Do', 'In Progress', 'Done'))}", text
        )
        path.write_text(text)
    elif kind == "text":
        path.write_text(re.sub(r"(?m)^title: (.*)", r"title: \1 again", text))
    elif kind == "new":
        number = max(int(re.findall(r"\d+", one.name)[0]) for one in paths) + 1
        text = (
            f"---\nid: BACK-{number}\ntitle: New {number}\nstatus: To Do\ndependencies: []\n---\n"
        )
        (folder / f"back-{number} - New.md").write_text(text)
    elif len(paths) > 3:
        path.unlink()
