"""`dctx agents verify`: does what an agent should be given really arrive? Nothing of the user's is
touched.
"""

from __future__ import annotations

import shutil
from tempfile import TemporaryDirectory

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.hooks.agents import (
    USUAL,
    AgentContext,
    can_spawn,
    context_for,
    hooks_of,
    looked_in,
    others_can,
    profile_here,
    types_here,
)
from director_ctx.clients.hooks.failures import recent_failures
from director_ctx.clients.hooks.installed import hooks_as_written, installations, installed_hooks
from director_ctx.clients.program import clients_named, is_here, plugin_file
from director_ctx.clients.servers.installed import installed_servers
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.events import prove_events
from director_ctx.clients.verify.proof import (
    FAILED,
    NOTHING,
    PROVEN,
    Proof,
    make_scratch,
    nothing_installed,
    prove_installed,
)
from director_ctx.clients.verify.pulling import say_without_tools
from director_ctx.clients.verify.run import NAME, can_run, prove_run
from director_ctx.clients.verify.servers import prove_servers
from director_ctx.context.settings.hooks import BUILDER
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.hooks.installed import HooksInFile
    from director_ctx.clients.table import Client
    from director_ctx.project.project import Project

AGENT = "agent"
LOG = "hooks.log"
MOST = 10
"""Failures that are told one by one: the last of them."""


class ProofRequest(Record):
    """What is to be proven."""

    client: str | None = None
    agent: str | None = None
    """The type of an agent."""
    replay: bool = False
    off: bool = False
    """Whether the user has switched hooks off."""


def verify(root: str, asked: ProofRequest) -> Iterator[Proof]:
    """First what is installed, then what arrives with exactly that, then which hooks failed before."""
    project = load_project(root=root)
    if asked.client in PLACES and asked.client not in CLIENTS:
        # It has no hooks that dctx knows.
        yield from prove_servers(root, [asked.client])
        return
    meant, others = which_clients(root, asked.client)
    for client in meant:
        yield from proofs_of(client, project, asked)
    for client in others:
        yield nothing_installed(client)
    yield from prove_servers(root, _with_servers(asked, meant))
    names = {client.name for client in meant}
    looked_at = [installed for installed in installations(root) if installed.client in names]
    yield from say_without_tools(root, looked_at)
    yield from _failed_lately(root)


def _with_servers(asked: ProofRequest, meant: Sequence[Client]) -> tuple[str, ...]:
    """The clients whose servers are looked at; none where all are."""
    if not asked.client or asked.client == "all":
        return ()
    return tuple(client.name for client in meant)


def _failed_lately(root: str) -> Iterator[Proof]:
    """What hooks wrote down about themselves; no word where there is nothing."""
    failures = recent_failures(root)
    if not failures:
        return
    count = f"{len(failures)} times"
    if len(failures) == 1:
        count = "1 time"
    yield Proof(
        client="",
        name=LOG,
        outcome=FAILED,
        verdict=f"{LOG}: hooks failed {count} lately, and have not worked since.",
        details=tuple(f"{failure.age}: {failure.said}" for failure in failures[-MOST:]),
    )


def which_clients(root: str, name: str | None) -> tuple[list[Client], list[Client]]:
    """The clients to look at, and those that are only here. Claude Code, where there is none at
    all.
    """
    if name == "all":
        here = [client for client in clients_named(name) if is_here(client, root)]
        if not here:
            here.append(CLIENTS["claude"])
        return here, []
    if name:
        return list(clients_named(name)), []

    installed = {installation.client for installation in installations(root)}
    with_hooks: list[Client] = []
    without: list[Client] = []
    for client in CLIENTS.values():
        if client.name in installed:
            with_hooks.append(client)
        elif shutil.which(client.program):
            without.append(client)
    if installed:
        return with_hooks, without
    # Where none has hooks, whoever is here fails: somebody has to install them.
    if not without:
        without.append(CLIENTS["claude"])
    # Unless agents ask for their contexts here: then hooks are no must.
    if any(server.is_dctx for server in installed_servers(root)):
        return [], without
    return without, []


def proofs_of(
    client: Client,
    project: Project,
    asked: ProofRequest,
) -> Iterator[Proof]:
    """What is true of a client now, whatever happened before."""
    installation = prove_installed(client, project.root, asked.off)
    is_sound = installation.outcome == PROVEN
    yield installation

    try:
        types = types_here(project, client)
    except DctxError as error:
        # With a mistake in `dctx.yaml` hooks give nothing to anybody, so a run would show nothing.
        yield _broken(client, error)
        return
    unknown = _unknown(client, project, types, asked.agent)
    for kind in unknown:
        yield _not_spawned(client, project.root, kind)
    types = tuple(kind for kind in types if kind not in unknown)

    kind = next(iter(types), f"dctx-{BUILDER}")
    if asked.agent and asked.agent not in unknown:
        kind = asked.agent
    agent = context_for(project, kind)
    if agent.context is None:
        yield _given_nothing(client, agent)

    # Hooks that the plugin brings are in no file of settings: those of an installation stand in.
    if is_sound and not plugin_file(client, project.root):
        hooks = installed_hooks(client, project.root)
    else:
        hooks = hooks_as_written(client)
    # If its own context cannot be made, another type shows whether the way is open.
    kinds = types
    if agent.mapped:
        kinds = (kind, *types)
    proof = _arrival(client, project, kinds, hooks, asked.replay)
    if is_sound:
        yield _said_of(proof, client, project, asked)
    else:
        yield _in_a_copy(proof)


def _broken(client: Client, error: DctxError) -> Proof:
    said = f"{client.title}, {AGENT}: hooks give nothing as long as this is so: {error.message}"
    details: tuple[str, ...] = ()
    if error.hint:
        details = (error.hint,)
    return Proof(
        client=client.name,
        name=AGENT,
        outcome=FAILED,
        verdict=said,
        details=details,
    )


def _unknown(
    client: Client,
    project: Project,
    types: Sequence[str],
    asked: str | None,
) -> tuple[str, ...]:
    """Of the types that are asked for or mapped, and that have a profile, those that the client
    does not have.
    """
    if asked:
        named = [asked]
    else:
        # Those of Director's plugin are known by their names, and what a plugin brings is not seen.
        mapped = hooks_of(project).agents
        named = [kind for kind in types if kind in mapped]

    unknown: list[str] = []
    for kind in named:
        if profile_here(project, kind) and not can_spawn(client, project.root, kind):
            unknown.append(kind)
    return tuple(unknown)


def _not_spawned(client: Client, root: str, kind: str) -> Proof:
    """A type of another client is no mistake in settings that several clients share."""
    said = f"{client.title}, {AGENT} {kind}: no agent of that name: {looked_in(client)}."
    outcome = FAILED
    if others_can(client, root, kind):
        outcome = NOTHING
    return Proof(
        client=client.name,
        name=AGENT,
        outcome=outcome,
        verdict=said,
    )


def _given_nothing(client: Client, agent: AgentContext) -> Proof:
    """Where there is nothing to do, that is right; otherwise somebody has to mend something."""
    why = agent.why.rstrip(".")
    said = f"{client.title}, {AGENT}: an agent of type {agent.kind} is given nothing now: {why}."
    outcome = FAILED
    if agent.nothing_to_do:
        outcome = NOTHING
    return Proof(
        client=client.name,
        name=AGENT,
        outcome=outcome,
        verdict=said,
    )


def _arrival(
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
            return Proof(
                client=client.name,
                name=NAME,
                outcome=FAILED,
                verdict=f"{client.title}, {NAME}: {error.message}",
            )


def _in_a_copy(proof: Proof) -> Proof:
    """With hooks that are not those of the user, nothing is proven about them."""
    would = "they would not work either"
    if proof.outcome == PROVEN:
        would = "they would work"
    verdict = f"In a copy, as `dctx agents install` writes them, {would}. {proof.verdict}"
    return proof.replace(verdict=verdict)


def _said_of(
    proof: Proof,
    client: Client,
    project: Project,
    asked: ProofRequest,
) -> Proof:
    """With what no run can see, and with the type that most people spawn, where nobody named another."""
    if client.review and proof.outcome == PROVEN:
        review = f" {client.title} runs hooks only after {client.review} was looked at once: not to be seen from here."
        proof = proof.replace(verdict=proof.verdict + review)
    hooks = hooks_of(project)
    if asked.agent or hooks.agents:
        return proof
    more = f"Also given a context: {USUAL}."
    return proof.replace(details=(*proof.details, more))
