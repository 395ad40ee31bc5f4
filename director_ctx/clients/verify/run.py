"""The first proof: the installed client, run offline in a copy of the project, spawns an agent. What is it sent?"""

from __future__ import annotations

import os
import shutil

from director_ctx.clients.hooks.position import standing
from director_ctx.clients.table import START
from director_ctx.clients.verify.arrival import Arrival, arrived
from director_ctx.clients.verify.offline import Ran, prepare_home, run_offline
from director_ctx.clients.verify.offline_clients import WAYS, Bench
from director_ctx.clients.verify.proof import FAILED, PROVEN, Proof, Scratch, put_hooks
from director_ctx.clients.verify.scripted_model import Asked, Rule, ScriptedModel
from director_ctx.clients.verify.scripted_wires import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.hooks.in_place import Placed
    from director_ctx.clients.table import Client

ASK = "dctx proof: spawn one agent."
WORK = "dctx proof: say what you were given."
NAME = "run offline"
_END = Rule(calls=(Call("complete_task", {"result": "done"}),), when=WORK)
"""Gemini CLI waits for this call where an agent is done."""


def can_run(client: Client) -> bool:
    """Whether the client is here, and one that runs without a network."""
    return client.name in WAYS and shutil.which(client.program) is not None


def prove_run(client: Client, scratch: Scratch, hooks: Sequence[Placed]) -> Proof:
    """Runs the client once, with these hooks. Raises DctxError where it cannot be run at all."""
    kinds = {client.events.get(event) for one in hooks for event in one.entries}
    with ScriptedModel(rules(client.name, scratch.kind)) as model:
        program = os.path.abspath(shutil.which(client.program) or client.program)
        bench = Bench(client.name, (program,), scratch.home, scratch.root, model.url)
        prepare_home(bench, scratch.kind)
        put_hooks(client, scratch, hooks)
        ran = run_offline(bench, ASK, WAYS[client.name].more(bench, scratch.kind))
        return judge(client, scratch, ran, model.conversations, beside=START in kinds and not client.in_order)


def rules(client: str, kind: str, prompt: str = WORK) -> tuple[Rule, ...]:
    """The model spawns one agent, and waits until it has begun."""
    way = WAYS[client]
    spawns = (Rule(calls=(call,), when=ASK, unless=way.result) for call in way.spawns(kind, prompt))
    return (*spawns, _END, Rule("done", when=way.result, after=3))


def judge(client: Client, scratch: Scratch, ran: Ran, asked: Sequence[Asked], beside: bool) -> Proof:
    """What the requests say. `beside` the prompt, parts stand in the order in which hooks end."""
    session = next((one.said for one in asked if ASK in one.said), "")
    agent = next((one.said for one in asked if WORK in one.said and ASK not in one.said), "")
    told = not scratch.tells_sessions or standing(scratch.project) in session
    arrival = arrived(scratch.context.sections, agent, WORK)
    if beside:
        arrival = arrival.replace(in_order=True, followed=True)
    faults = [*_session_faults(session, told), *_agent_faults(agent, arrival)]
    if not faults:
        return Proof(client.name, NAME, PROVEN, _verdict(client, scratch, arrival, beside))
    said = ran.err.strip().splitlines()[-1:] if ran.code else []
    ended = f"{client.program} ended with exit code {ran.code}"
    return Proof(client.name, NAME, FAILED, f"{client.title}, {NAME}: {faults[0]}.",
                 (*faults[1:], ended, *said, *scratch.troubles))  # fmt: skip


def _session_faults(session: str, told: bool) -> tuple[str, ...]:
    if not session:
        return ("it asked its model nothing",)
    return () if told else ("the session was not told where the project stands",)


def _agent_faults(agent: str, arrival: Arrival) -> tuple[str, ...]:
    return arrival.faults if agent else ("no agent was spawned",)


def _verdict(client: Client, scratch: Scratch, arrival: Arrival, beside: bool) -> str:
    named = f", {len(arrival.named)} too large for it named with the command that prints them" if arrival.named else ""
    told = " The session was told where the project stands." if scratch.tells_sessions else ""
    count = len(arrival.whole)
    order = "whole, in numbered parts" if beside else "whole and in order"
    behind = "" if beside else ", its prompt behind them"
    return (
        f"{client.title}, {NAME}: an agent of type {scratch.kind} was sent the context of "
        f"`dctx assemble {scratch.context.agent}`: {count} section{'s' * (count != 1)} {order}{named}{behind}."
        f"{told}"
    )
