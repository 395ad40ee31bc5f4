"""Whether the server answers: started by the words of a client's settings, and asked for its tools."""

from __future__ import annotations

import json
import os
import subprocess

from director_ctx.clients.hooks.installed import USER, is_dctx
from director_ctx.clients.servers.description import WORKSPACE, read_call
from director_ctx.clients.servers.installed import installed_servers
from director_ctx.clients.verify.proof import FAILED, NOTHING, PROVEN, Proof

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from director_ctx.clients.servers.installed import InstalledServer

NAME = "server"
SECONDS = 20.0
_META = "io.modelcontextprotocol/"
_REVISION = "2026-07-28"


def prove_servers(root: str, clients: Collection[str] = ()) -> Iterator[Proof]:
    """A proof for each file that has the server, of these clients, or of all."""
    for server in installed_servers(root):
        if not clients or set(clients) & set(server.clients):
            yield _prove(server, root)


def _prove(server: InstalledServer, root: str) -> Proof:
    outcome, said = _judged(server, root)
    return Proof(
        client=server.clients[0],
        name=NAME,
        outcome=outcome,
        verdict=f"{server.titles}, {NAME}: {said}",
    )


def _judged(server: InstalledServer, root: str) -> tuple[str, str]:
    install = to_install(server)
    if server.problem:
        return NOTHING, server.problem
    calls = f"{server.path} calls `{' '.join(server.command)}`"
    if server.foreign:
        return NOTHING, f"{calls}: somebody else's, looked at, not run."
    if not server.works:
        return FAILED, f"{calls}, which is not there; `{install}` brings it up to date."
    call = read_call(server.command)
    if call is None or not is_dctx(call.program, root):
        return FAILED, f"{calls}, which is not this dctx: looked at, not run."

    tools = _tools_of(server.command, root)
    if not tools:
        return FAILED, f"{calls}, which does not answer; `{install}` may mend that."
    return PROVEN, f"{calls}, which answers with {len(tools)} tools."


def to_install(server: InstalledServer) -> str:
    """The command that brings it up to date."""
    words = ["dctx agents install --what mcp"]
    client = server.clients[0]
    if client != "claude":
        words.append(f"--client {client}")
    if server.scope == USER:
        words.append("--user")
    return " ".join(words)


def _tools_of(words: tuple[str, ...], root: str) -> tuple[str, ...]:
    """Started in the project, as its client starts it. None where no answer comes."""
    command = [word.replace(WORKSPACE, root) for word in words]
    meta = {f"{_META}protocolVersion": _REVISION, f"{_META}clientCapabilities": {}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    line = json.dumps(request).encode() + b"\n"
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env={**os.environ, "CLAUDE_PROJECT_DIR": root},
            input=line,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        answer = json.loads(done.stdout.splitlines()[0])
        return tuple(tool["name"] for tool in answer["result"]["tools"])
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError):
        return ()
