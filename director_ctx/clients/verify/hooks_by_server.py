"""Where hooks ask a server, the client is run once more: it starts the server, and no program stands
beside the hooks that would answer in its place.
"""

from __future__ import annotations

from director_ctx.clients.by_server import SERVER, calls_server, without_test
from director_ctx.clients.entries import handlers_in
from director_ctx.clients.hooks.installed import called_program
from director_ctx.clients.verify.proof import PROVEN
from director_ctx.clients.verify.run import PROOF, prove_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.entries import Entries, Entry
    from director_ctx.clients.hooks.installed import HooksInFile
    from director_ctx.clients.table import Client
    from director_ctx.clients.verify.proof import Proof, Scratch


def ask_server(hooks: Sequence[HooksInFile]) -> bool:
    handlers: list[Entry] = []
    for placed in hooks:
        handlers += handlers_in(placed.entries)
    return any(map(calls_server, handlers))


def prove_server(
    client: Client,
    scratch: Scratch,
    hooks: Sequence[HooksInFile],
    by_program: Proof,
) -> Proof:
    """The proof of the program, if the server does as well; else what the server did not do."""
    alone = [placed.replace(entries=_of_server(placed.entries)) for placed in hooks]
    play = PROOF.replace(server=(*_program(hooks), "mcp"))
    proof = prove_run(client, scratch, alone, play)

    if proof.outcome == PROVEN:
        said = f"{by_program.verdict} The server {SERVER} gives the same, where the client has started it."
        return by_program.replace(verdict=said)
    return proof.replace(
        verdict=f"The program gives the context, and the server {SERVER} does not. {proof.verdict}"
    )


def _program(hooks: Sequence[HooksInFile]) -> tuple[str, ...]:
    for placed in hooks:
        words = called_program(placed.entries)
        if words:
            return words
    return (SERVER,)


def _of_server(entries: Entries) -> Entries:
    """Without the programs that stand beside a server."""
    left: Entries = {}
    for event, groups in entries.items():
        own = [group for group in groups if not _stands_beside(group)]
        if own:
            left[event] = own
    return left


def _stands_beside(group: Entry) -> bool:
    for handler in handlers_in({"": [group]}):
        command = str(handler.get("command"))
        if without_test(command) != command:
            return True
    return False
