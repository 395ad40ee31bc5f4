"""What a setup did, or would do, as JSON."""

from __future__ import annotations

from director_ctx.base.record import as_dict
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.setup.here import SetupPlace
    from director_ctx.clients.setup.plan import SetupStep
    from director_ctx.clients.setup.proof import NextStep
    from director_ctx.clients.setup.undo import UndoStep
    from director_ctx.clients.verify.proof import Proof


def setup_json(
    here: SetupPlace,
    steps: Sequence[SetupStep],
    done: bool,
    proofs: Sequence[Proof],
    following: NextStep | None,
) -> dict[str, Any]:
    """`done` says whether the steps were carried out."""
    answer: dict[str, Any] = {
        "root": here.root,
        "here": {
            "folder": here.folder,
            "git": here.git,
            "code": here.code,
            "clients": list(here.clients),
            "plans": list(here.plans),
        },
        "steps": [_step(step, done) for step in steps],
        "proofs": [as_dict(proof) for proof in proofs],
    }
    if following:
        answer["next"] = as_dict(following)
    return answer


def _step(step: SetupStep, done: bool) -> dict[str, Any]:
    state = "planned"
    if step.problem:
        state = "failed"
    elif step.is_done:
        state = "already"
    elif done:
        state = "done"
    return {
        "step": step.name,
        "client": step.client,
        "state": state,
        "says": step.says,
        "files": _changed_files(step),
        "problem": step.problem,
    }


def new_files(step: SetupStep) -> list[str]:
    """The files of a folder that is made."""
    return [f"{FOLDER}/{name}" for name in step.templates]


def _changed_files(step: SetupStep) -> list[str]:
    files = new_files(step)
    for change in step.settings:
        files.append(change.name)
    return files


def undo_json(root: str, steps: Sequence[UndoStep], done: bool) -> dict[str, Any]:
    rows = []
    for step in steps:
        state = "planned"
        if step.stays:
            state = "stays"
        elif done:
            state = "done"
        rows.append({"state": state, "says": step.says})
    return {"root": root, "steps": rows}
