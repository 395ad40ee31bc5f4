"""`dctx agents verify`: proofs that contexts arrive, a line each."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.record import as_dict
from director_ctx.clients.setup.here import named_clients
from director_ctx.clients.verify.proof import FAILED as NOT_PROVEN
from director_ctx.clients.verify.proof import NOTHING, PROVEN
from director_ctx.clients.verify.verify import ProofRequest, verify
from director_ctx.doors.cli.clients.hook import is_off
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.verify.proof import Proof

# All of one width, so that the verdicts stand below each other.
MARKS = {
    PROVEN: ("proven ", "green"),
    NOT_PROVEN: ("FAILED ", "red"),
    NOTHING: ("nothing", "dim"),
}


def run(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    clients: tuple[str, ...] = ()
    if values["client"]:
        clients = named_clients(root, [values["client"]], everywhere=False) or ("claude",)
    request = ProofRequest(clients, values["agent"], values["replay"], is_off())
    proofs = []
    for proof in verify(root, request):
        proofs.append(proof)
        # Each is said as soon as it is known.
        if not values["json"]:
            put_lines(_lines(proof))

    failed = NOT_PROVEN in (proof.outcome for proof in proofs)
    if values["json"]:
        put_json({"proven": not failed, "proofs": [as_dict(proof) for proof in proofs]})
    return FAILED if failed else OK


def _lines(proof: Proof) -> list[tuple[str, str]]:
    mark, style = MARKS[proof.outcome]
    lines = [(f"{mark}  {proof.verdict}", style)]
    for detail in proof.details:
        lines.append((f"         {detail}", ""))
    return lines
