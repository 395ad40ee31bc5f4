"""What is to be written and renamed, kept until all of it is done: a change that was ended in the
middle is gone on with by the next command that writes.

The journal lies in a folder that somebody else may have filled, so each of its paths is looked at
before it is followed.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from hashlib import sha256

from director_ctx.base.errors import DctxError
from director_ctx.base.system.write import write_whole
from director_ctx.base.text import plain
from director_ctx.project.dctx_folder import KEPT, kept_path, make_kept_path, write_kept
from director_ctx.project.origins import PATH as ORIGINS
from director_ctx.project.project import Project
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER
from director_ctx.upkeep.rewrite import WriteFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from director_ctx.upkeep.arranging.documents import Renaming
    from director_ctx.upkeep.rewrite import Rewrite

    Step = dict[str, Any]

NAME = "plan-change.json"
DONE = "plan-change-done.json"
LARGEST = 50_000_000
WRITE, RENAME = "write", "rename"
ARCHIVE = f"{KEPT}/archive"
ASIDE = ".aside"
"""How a file is called for the moment in which two change places."""


def writes(rewrites: Iterable[Rewrite]) -> list[Step]:
    steps: list[Step] = []
    for rewrite in rewrites:
        after = b64encode(rewrite.after).decode()
        steps.append(
            {"do": WRITE, "path": rewrite.path, "before": _hash(rewrite.before), "after": after}
        )
    return steps


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def renames(renamings: Sequence[Renaming]) -> list[Step]:
    """In an order in which no target is still taken; of a circle one steps aside first."""
    waiting = {renaming.old: renaming.new for renaming in renamings}
    steps: list[Step] = []
    while waiting:
        free = [old for old, new in waiting.items() if new not in waiting]
        if free:
            old = free[0]
            steps.append(rename_step(old, waiting.pop(old)))
            continue
        old, new = next(iter(waiting.items()))
        folder, _, name = old.rpartition("/")
        aside = f"{folder}/.{name}{ASIDE}"
        steps.append(rename_step(old, aside))
        del waiting[old]
        waiting[aside] = new
    return steps


def rename_step(old: str, new: str) -> Step:
    return {"do": RENAME, "path": old, "to": new}


def archive_place(root: str, path: str) -> str:
    """Where a file or folder of the plan is kept, beside older ones of its name."""
    inner = path.removeprefix(f"{FOLDER}/")
    try:
        place = make_kept_path(root, f"archive/{inner}")
    except OSError as error:
        raise DctxError(
            f"Could not keep a copy in {ARCHIVE}: {error.strerror or error}.",
            "Nothing was removed.",
        ) from error
    number = 1
    while os.path.lexists(f"{place}.{number}"):
        number += 1
    return f"{ARCHIVE}/{inner}.{number}"


def carry_out(root: str, steps: Sequence[Step]) -> list[WriteFailure]:
    """Writes the journal, does what it says, and takes it away."""
    # First of all: a count that another change left would pass over the first steps of this one.
    _forget(root)
    try:
        write_kept(root, NAME, json.dumps(steps).encode())
    except OSError as error:
        raise DctxError(
            f"Could not write {KEPT}/{NAME}: {error.strerror or error}.", "Nothing was changed."
        ) from error
    return _go_on(root, list(steps), 0)


def is_unfinished(root: str) -> bool:
    path = kept_path(root, NAME)
    return bool(path) and os.path.lexists(path)


def finish_unfinished(root: str) -> list[WriteFailure] | None:
    """Goes on with what was ended in the middle; None where nothing was."""
    if not is_unfinished(root):
        return None
    steps = _kept(root, NAME)
    if not isinstance(steps, list) or not all(_is_ours(step) for step in steps):
        _forget(root)
        return None
    count = _kept(root, DONE)
    if not isinstance(count, int) or not 0 <= count <= len(steps):
        count = 0
    return _go_on(root, steps, count)


def _kept(root: str, name: str) -> Any:
    path = kept_path(root, name)
    # Whoever opens a pipe waits for its other end.
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            return json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError):
        return None


def _is_ours(step: Any) -> bool:
    """Whether a step stays among the documents of the plan, whoever wrote the journal."""
    if not isinstance(step, dict):
        return False
    if step.get("do") == WRITE:
        texts = [step.get("before"), step.get("after")]
        return _is_of_plan(step.get("path")) and all(isinstance(text, str) for text in texts)
    if step.get("do") != RENAME or not _is_of_plan(step.get("path")):
        return False
    target = step.get("to")
    return _is_below(target, f"{ARCHIVE}/") or _is_of_plan(target)


def _is_of_plan(path: Any) -> bool:
    if path in (f"{FOLDER}/GAMEPLAN.md", f"{FOLDER}/STATE.md", ORIGINS):
        return True
    return _is_below(path, f"{FOLDER}/goals/")


def _is_below(path: Any, folder: str) -> bool:
    if not isinstance(path, str) or not path.startswith(folder):
        return False
    if "\0" in path or "\\" in path:
        return False
    parts = path.split("/")
    return not any(part in ("", ".", "..") for part in parts)


def _stays(root: str, step: Step) -> bool:
    """Whether a step stays in the folder on disk as it is now: the step before may have put a link
    on the way.
    """
    folder = os.path.realpath(os.path.join(root, FOLDER))
    location = os.path.join(root, *step["path"].split("/"))
    if step["do"] == WRITE:
        # Written through a link, while only the link itself is renamed.
        return inside(os.path.realpath(location), folder)

    target = os.path.join(root, *step["to"].split("/"))
    for place in (location, target):
        around = os.path.dirname(place)
        if not inside(os.path.realpath(around), folder):
            return False
    return True


def _go_on(root: str, steps: Sequence[Step], count: int) -> list[WriteFailure]:
    project = Project(root)
    failed: list[WriteFailure] = []
    for index in range(count, len(steps)):
        step = steps[index]
        try:
            if not _stays(root, step):
                failed.append(WriteFailure(step["path"], f"a link leads out of {FOLDER}/"))
            elif step["do"] == WRITE:
                failed += _write(project, step)
            else:
                failed += _rename(project, step)
            write_kept(root, DONE, json.dumps(index + 1).encode())
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise DctxError(
                f"Could not change {plain(step['path'])}: {why}.",
                "Mend that; `dctx doctor --fix` then does the rest.",
            ) from error
    _forget(root)
    return failed


def _write(project: Project, step: Step) -> list[WriteFailure]:
    location = project.location(step["path"])
    after = b64decode(step["after"])
    if not os.path.lexists(location):
        return [WriteFailure(step["path"], "somebody else took it away meanwhile")]
    with open(location, "rb") as file:
        there = file.read()
    if there == after:
        return []
    if _hash(there) != step["before"]:
        return [WriteFailure(step["path"], "somebody else wrote it meanwhile")]
    write_whole(location, after)
    return []


def _rename(project: Project, step: Step) -> list[WriteFailure]:
    old = project.location(step["path"])
    new = project.location(step["to"])
    if not os.path.lexists(old):
        # Done already, by whoever was ended right behind it.
        return []
    if os.path.lexists(new):
        return [WriteFailure(step["path"], f"{plain(step['to'])} is there already")]
    os.makedirs(os.path.dirname(new), exist_ok=True)
    os.rename(old, new)
    return []


def _forget(root: str) -> None:
    for name in (NAME, DONE):
        try:
            os.unlink(kept_path(root, name))
        except OSError:
            continue
