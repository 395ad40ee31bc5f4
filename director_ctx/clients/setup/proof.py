"""Whether contexts arrive after a setup, and what to say to the client next."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.system.own_name import own_name
from director_ctx.clients.hooks.agents import profile_here
from director_ctx.clients.parts.own_files import has_own_agent
from director_ctx.clients.program import plugin_file
from director_ctx.clients.setup.here import waiting_plans
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.proof import FAILED, PROVEN
from director_ctx.clients.verify.verify import AGENT, ProofRequest, proofs_of, prove_servers
from director_ctx.project.project import load_project
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.taken import TITLES
from director_ctx.project.tasks.next import DONE, READY, UNPLANNED, next_task
from director_ctx.project.templates import is_template_vision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.verify.proof import Proof


class NextStep(Record):
    """What is lacking before an agent can be given its context, and the sentence that leads on."""

    lacking: str
    """Nothing where a task can be done."""
    say: str
    """What to say to the client; nothing where somebody has to decide."""
    then: str = ""


def proofs(root: str, clients: Sequence[str], off: bool) -> Iterator[Proof]:
    """Proven or failed, of these clients. That nothing is planned yet is no failure of a setup, and
    neither is what failed before it.
    """
    project = load_project(root=root)
    is_waiting = bool(next_step(root, clients).lacking)
    asked = ProofRequest(off=off)
    for name in filter(CLIENTS.__contains__, clients):
        for proof in proofs_of(CLIENTS[name], project, asked):
            waits_for_plan = is_waiting and proof.name == AGENT
            if proof.outcome in (PROVEN, FAILED) and not waits_for_plan:
                yield proof
    for proof in prove_servers(root, clients):
        if proof.outcome in (PROVEN, FAILED):
            yield proof


def next_step(root: str, clients: Sequence[str]) -> NextStep:
    project = load_project(root=root)
    dctx = own_name()
    state = next_task(project).state
    waiting = waiting_plans(root)
    if waiting and state == UNPLANNED:
        return _taking_over(waiting)
    if is_template_vision(project.text(f"{FOLDER}/VISION.md")):
        return NextStep(
            lacking=f"{FOLDER}/VISION.md does not say yet what this project is",
            say=f"Run `{dctx} assemble interviewer`, and do what it prints.",
            then=f"It asks you what the project is, and writes {FOLDER}/VISION.md."
            f" Then plan: say the same with `{dctx} assemble planner`, or use `dctx add --from FILE`.",
        )

    if state == UNPLANNED:
        return NextStep(
            lacking="no task is planned yet",
            say=f"Run `{dctx} assemble planner`, and do what it prints.",
            then="It plans goals, steps and tasks with you; `dctx add --from FILE` takes an outline of yours.",
        )
    if state == DONE:
        return NextStep("every task is done", "", "`dctx add task NAME` adds another.")
    if state != READY:
        return NextStep("no task is ready", "", "`dctx next` says what each of them waits for.")
    return NextStep("", _ready(root, clients))


def _taking_over(names: Sequence[str]) -> NextStep:
    """What is planned already is not planned once more."""
    tools = " and ".join(TITLES[name] for name in names)
    commands = ", then ".join(f"`{own_name()} init --from {name}`" for name in names)
    return NextStep(
        lacking=f"what {tools} has planned is not taken over yet",
        say="",
        then=f"Next: {commands}, which shows all of it first.",
    )


def asking_for(kind: str) -> str:
    """What to say to a client so that it spawns an agent of a type."""
    return f"Have a {kind} agent do the next task."


def _ready(root: str, clients: Sequence[str]) -> str:
    """Names a type that is given a context."""
    project = load_project(root=root)
    for name in filter(CLIENTS.__contains__, clients):
        client = CLIENTS[name]
        kinds = [client.usual_type]
        if has_own_agent(client, root, "dctx-builder"):
            kinds.insert(0, "dctx-builder")
        if plugin_file(client, root):
            kinds.insert(0, "dctx:builder")
        for kind in kinds:
            if profile_here(project, kind):
                return asking_for(kind)
    return f"Run `{own_name()} assemble builder`, and do what it prints."
