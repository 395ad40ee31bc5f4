"""`dctx hooks verify`: proofs that contexts arrive, a line each."""

from __future__ import annotations

import os

from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.base.record import as_dict
from director_ctx.clients.verify import proof
from director_ctx.clients.verify.verify import Asked, verify
from director_ctx.doors.cli.clients.hook import is_off
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.verify.proof import Proof

MARKS = {proof.PROVEN: ("proven ", "green"), proof.FAILED: ("FAILED ", "red"), proof.NOTHING: ("nothing", "dim"),
         proof.SEEN: ("seen   ", "")}  # fmt: skip


def run(values: dict[str, Any]) -> int:
    folder = values["sessions"] and os.path.expanduser(values["sessions"])
    if folder and not os.path.isdir(folder):
        raise DctxError(
            f"There are no sessions: {folder} is not a folder.", "Name another with --sessions."
        )
    asked = Asked(values["client"], values["agent"], values["replay"], folder, is_off())
    proofs = []
    for one in verify(load_project(root=values["root"]).root, asked):
        proofs.append(one)
        if not values["json"]:
            put_lines(_lines(one))
    failed = any(one.outcome == proof.FAILED for one in proofs)
    if values["json"]:
        put_json({"proven": not failed, "proofs": [as_dict(one) for one in proofs]})
    return FAILED if failed else OK


def _lines(one: Proof) -> list[tuple[str, str]]:
    mark, style = MARKS[one.outcome]
    return [
        (f"{mark}  {one.verdict}", style),
        *((f"         {detail}", "") for detail in one.details),
    ]
