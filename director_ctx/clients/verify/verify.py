"""`dctx agents verify`: does what an agent should be given really arrive? Nothing of the user's is
touched.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from tempfile import TemporaryDirectory

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.hooks.agents import (
    USUAL,
    can_spawn,
    context_for,
    hooks_of,
    looked_in,
    others_can,
    profile_here,
    types_here,
)
from director_ctx.clients.hooks.failures import recent_failures
from director_ctx.clients.hooks.switches import switched_off
from director_ctx.clients.parts.hooks import (
    TWICE,
    hooks_as_written,
    installations,
    installed_hooks,
    is_dctx,
    is_safe,
    runs_twice,
    waits_for_agents,
)
from director_ctx.clients.parts.part import HOOKS, SERVER, to_install
from director_ctx.clients.parts.servers import installed_servers
from director_ctx.clients.program import plugin_file
from director_ctx.clients.servers.description import WORKSPACE, read_call
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.events import prove_events
from director_ctx.clients.verify.proof import FAILED, NOTHING, PROVEN, Proof, judged, make_scratch
from director_ctx.clients.verify.run import NAME as RUN
from director_ctx.clients.verify.run import can_run, prove_run
from director_ctx.clients.verify.standing import NO_TOOLS, OFF, clients_without_tools
from director_ctx.context.settings.hooks import BUILDER
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from director_ctx.clients.parts.hooks import HooksInFile
    from director_ctx.clients.parts.part import Installed
    from director_ctx.clients.table import Client
    from director_ctx.project.project import Project

INSTALLATION, AGENT, SERVER_PROOF = "installation", "agent", "server"
LOG = "hooks.log"
MOST = 10
"""Failures that are told one by one: the last of them."""
SECONDS = 20.0
"""For an answer of the server."""
_META = "io.modelcontextprotocol/"
_REVISION = "2026-07-28"


class ProofRequest(Record):
    """What is to be proven."""

    clients: tuple[str, ...] = ()
    """By name; those that have something of dctx here where none is named."""
    agent: str | None = None
    """The type of an agent."""
    replay: bool = False
    off: bool = False
    """Whether the user has switched hooks off."""


def verify(root: str, asked: ProofRequest) -> Iterator[Proof]:
    """First what is installed, then what arrives with exactly that, then which hooks failed before."""
    project = load_project(root=root)
    installed = [*installations(root), *installed_servers(root)]
    # OpenCode has no hooks that dctx knows, only a server.
    meant = [CLIENTS[name] for name in asked.clients if name in CLIENTS]
    others: list[Client] = []
    if not asked.clients:
        meant, others = _which_clients(installed)
    for client in meant:
        yield from proofs_of(client, project, asked)
    for client in others:
        command = to_install(HOOKS, client.name)
        said = f"{client.title} has no hooks of dctx here; skipped. `{command}` installs them."
        yield Proof(client.name, INSTALLATION, NOTHING, said)
    yield from prove_servers(root, asked.clients)
    if asked.clients and not meant:
        return
    names = {client.name for client in meant}
    looked_at = [one for one in installed if one.part == SERVER or names & set(one.clients)]
    for name in clients_without_tools(root, looked_at):
        # No failure of what is installed: the prompt arrives.
        command = f"`{to_install(SERVER, name)}` installs it."
        said = NO_TOOLS.format(client=CLIENTS[name].title)
        yield Proof(name, "tools to ask by", NOTHING, said, (command,))
    failures = recent_failures(root)
    if failures:
        count = "1 time" if len(failures) == 1 else f"{len(failures)} times"
        said = f"{LOG}: hooks failed {count} lately, and have not worked since."
        details = tuple(f"{failure.age}: {failure.said}" for failure in failures[-MOST:])
        yield Proof("", LOG, FAILED, said, details)


def _which_clients(installed: Sequence[Installed]) -> tuple[list[Client], list[Client]]:
    """The clients to look at, and those that are only here. Claude Code, where there is none at
    all.
    """
    hooked = {name for place in installed if place.part == HOOKS for name in place.clients}
    with_hooks = [client for client in CLIENTS.values() if client.name in hooked]
    without = [
        client
        for client in CLIENTS.values()
        if client.name not in hooked and shutil.which(client.program)
    ]
    if with_hooks:
        return with_hooks, without
    # Where none has hooks, whoever is here fails: somebody has to install them.
    without = without or [CLIENTS["claude"]]
    # Unless agents ask for their contexts here: then hooks are no must.
    if any(place.part == SERVER and place.is_dctx for place in installed):
        return [], without
    return without, []


def proofs_of(client: Client, project: Project, asked: ProofRequest) -> Iterator[Proof]:
    """What is true of a client now, whatever happened before."""
    installation = _prove_installed(client, project.root, asked.off)
    is_sound = installation.outcome == PROVEN
    yield installation

    about = f"{client.title}, {AGENT}"
    try:
        types = types_here(project, client)
        mapped = hooks_of(project).agents
    except DctxError as error:
        # With a mistake in `dctx.yaml` hooks give nothing to anybody, so a run would show nothing.
        said = f"{about}: hooks give nothing as long as this is so: {error.message}"
        yield judged(client, AGENT, [said, *filter(None, [error.hint])], "")
        return

    # Those of Director's plugin are known by their names, and what a plugin brings is not seen.
    wanted = [asked.agent] if asked.agent else [kind for kind in types if kind in mapped]
    unknown = [
        kind
        for kind in wanted
        if profile_here(project, kind) and not can_spawn(client, project.root, kind)
    ]
    for kind in unknown:
        said = f"{about} {kind}: no agent of that name: {looked_in(client)}."
        # A type of another client is no mistake in settings that several clients share.
        outcome = NOTHING if others_can(client, project.root, kind) else FAILED
        yield Proof(client.name, AGENT, outcome, said)

    kinds = tuple(kind for kind in types if kind not in unknown)
    kind = next(iter(kinds), f"dctx-{BUILDER}")
    if asked.agent and asked.agent not in unknown:
        kind = asked.agent
    agent = context_for(project, kind)
    if agent.context is None:
        said = f"{about}: an agent of type {kind} is given nothing now: {agent.why.rstrip('.')}."
        # Where there is nothing to do, that is right; otherwise somebody has to mend something.
        yield Proof(client.name, AGENT, NOTHING if agent.nothing_to_do else FAILED, said)
    # If its own context cannot be made, another type shows whether the way is open.
    if agent.mapped:
        kinds = (kind, *kinds)

    # Hooks that the plugin brings are in no file of settings: those of an installation stand in.
    if is_sound and not plugin_file(client, project.root):
        hooks = installed_hooks(client, project.root)
    else:
        hooks = hooks_as_written(client)
    proof = _prove_arrival(client, project, kinds, hooks, asked.replay)
    if not is_sound:
        # With hooks that are not those of the user, nothing is proven about them.
        would = "would work" if proof.outcome == PROVEN else "would not work either"
        verdict = f"In a copy, as `dctx setup` writes them, they {would}. {proof.verdict}"
        yield proof.replace(verdict=verdict)
        return
    if client.review and proof.outcome == PROVEN:
        review = f" {client.title} runs hooks only after {client.review} was looked at once: not to be seen from here."
        proof = proof.replace(verdict=proof.verdict + review)
    if not asked.agent and not mapped:
        proof = proof.replace(details=(*proof.details, f"Also given a context: {USUAL}."))
    yield proof


def _prove_installed(client: Client, root: str, off: bool) -> Proof:
    """What stands in the settings; nothing is run."""
    title = f"{client.title}, {INSTALLATION}"
    command = to_install(HOOKS, client.name)
    own = [place for place in installations(root) if client.name in place.clients]
    faults: list[str] = []
    if not own:
        faults.append(
            f"No hooks of dctx are installed for {client.title} here; `{command}` does that."
        )
    for place in own:
        if place.problem:
            faults.append(f"{place.path}: {place.problem}")
        elif not place.works:
            faults.append(f"{_where(place)}, which is not there; `{command}` brings it up to date.")
    # Of a file that cannot be read nothing more is known.
    if not any(place.problem for place in own):
        if own and not waits_for_agents(client, own):
            faults.append(
                f"None of them waits for a spawned agent; `{command}` brings them up to date."
            )
        if not all(is_safe(client, placed, root) for placed in installed_hooks(client, root)):
            faults.append(
                f"They do not call this dctx as it writes it: looked at, not run; `{command}` mends that."
            )
        faults += filter(None, [switched_off(client, root)])
    if off:
        faults.append(OFF)
    if faults:
        faults[0] = f"{title}: {faults[0]}"
    details: list[str] = []
    if not all(place.current for place in own):
        details.append(
            f"They are not what this version would install; `{command}` brings them up to date."
        )
    if runs_twice(own):
        details.append(TWICE)
    said = f"{title}: {'; '.join(map(_where, own))}."
    return judged(client, INSTALLATION, faults, said, () if faults else details)


def _where(place: Installed) -> str:
    if place.plugin:
        return "the plugin dctx brings the hooks"
    return f"{place.path} calls {' '.join(place.command)}"


def _prove_arrival(
    client: Client,
    project: Project,
    kinds: Sequence[str],
    hooks: Sequence[HooksInFile],
    replay: bool,
) -> Proof:
    with TemporaryDirectory(prefix="dctx-proof-", ignore_cleanup_errors=True) as into:
        try:
            scratch = make_scratch(project.root, into, kinds)
            # Cursor and VS Code cannot be run like that: recorded events take their place.
            if replay or not can_run(client):
                return prove_events(client, scratch, hooks)
            return prove_run(client, scratch, hooks)
        except DctxError as error:
            return judged(client, RUN, [f"{client.title}, {RUN}: {error.message}"], "")


def prove_servers(root: str, clients: Collection[str] = ()) -> Iterator[Proof]:
    """A proof for each file that has the server, of these clients, or of all: it is started by the words of
    the file, and asked for its tools.
    """
    for server in installed_servers(root):
        if not clients or set(clients) & set(server.clients):
            outcome, said = _judged_server(server, root)
            verdict = f"{server.titles}, {SERVER_PROOF}: {said}"
            yield Proof(server.clients[0], SERVER_PROOF, outcome, verdict)


def _judged_server(server: Installed, root: str) -> tuple[str, str]:
    if server.problem:
        return NOTHING, server.problem
    calls = f"{server.path} calls `{' '.join(server.command)}`"
    if server.foreign:
        return NOTHING, f"{calls}: somebody else's, looked at, not run."
    if not server.works:
        return FAILED, f"{calls}, which is not there; `{server.update}` brings it up to date."
    call = read_call(server.command)
    if call is None or not is_dctx(call.program, root):
        return FAILED, f"{calls}, which is not this dctx: looked at, not run."
    tools = _tools_of(server.command, root)
    if not tools:
        return FAILED, f"{calls}, which does not answer; `{server.update}` may mend that."
    return PROVEN, f"{calls}, which answers with {tools} tools."


def _tools_of(words: tuple[str, ...], root: str) -> int:
    """How many it has, started in the project as its client starts it. None where no answer comes."""
    meta = {f"{_META}protocolVersion": _REVISION, f"{_META}clientCapabilities": {}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    try:
        done = subprocess.run(
            [word.replace(WORKSPACE, root) for word in words],
            cwd=root,
            env={**os.environ, "CLAUDE_PROJECT_DIR": root},
            input=json.dumps(request).encode() + b"\n",
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        answer = json.loads(done.stdout.splitlines()[0])
        return len(answer["result"]["tools"])
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError):
        return 0
