"""`dctx hooks verify`: does what an agent should be given really arrive? Nothing of the user's is touched."""

from __future__ import annotations

import shutil

from director_ctx.clients.table import CLIENTS, SPAWN, START, find_client
from director_ctx.errors import DctxError
from director_ctx.folder.project import load_project
from director_ctx.wiring.hooks.installed import installations
from director_ctx.wiring.hooks.proof import FAILED, Proof, make_scratch
from director_ctx.wiring.hooks.prove_events import prove_events
from director_ctx.wiring.hooks.prove_past import prove_past
from director_ctx.wiring.hooks.prove_run import NAME, can_run, prove_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.clients.table import Client


def verify(root: str, client: str | None, replay: bool, sessions: str | None) -> Iterator[Proof]:
    """The proofs for one client, or for each that is here; Claude Code's events where none is."""
    here = [one for one in CLIENTS.values() if shutil.which(one.program)]
    chosen = [find_client(client)] if client else here or [CLIENTS["claude"]]
    for one in chosen:
        yield _proven(one, root, replay)
    if any(one.name == "claude" for one in chosen):
        yield prove_past(load_project(root=root), sessions)


def _proven(client: Client, root: str, replay: bool) -> Proof:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="dctx-proof-", ignore_cleanup_errors=True) as into:
        scratch = make_scratch(root, into)
        if replay or not can_run(client):
            return prove_events(client, scratch)
        try:
            return prove_run(client, scratch, installed_at(client, root))
        except DctxError as error:
            return Proof(client.name, NAME, FAILED, f"{client.title}, {NAME}: {error.message}")


def installed_at(client: Client, root: str) -> str:
    """The moment that the user's own hooks wait for; the usual one where there are none."""
    own = [one for one in installations(root) if one.client == client.name]
    kinds = {client.events.get(event, "") for one in own for event in one.events}
    return START if START in kinds and SPAWN not in kinds else SPAWN
