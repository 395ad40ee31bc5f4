"""The first proof: the installed client, run without a network in a copy of the project, spawns an
agent.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.hooks.position import standing
from director_ctx.clients.verify.arrival import Arrival, arrival_of
from director_ctx.clients.verify.offline_clients import WAYS, Bench
from director_ctx.clients.verify.proof import FAILED, PROVEN, Proof, Scratch, put_hooks
from director_ctx.clients.verify.scripted_model import AnswerRule, ModelRequest, ScriptedModel
from director_ctx.clients.verify.scripted_wires import ScriptedCall
from director_ctx.context.settings.options import CLEAN_CONTEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.clients.hooks.installed import HooksInFile
    from director_ctx.clients.table import Client


SECONDS = 60.0


class ClientOutcome(Record):
    """What a run of a client left."""

    code: int
    out: str
    err: str


def prepare_home(bench: Bench, *kinds: str) -> None:
    """Makes the home, with what the client wants to find in it, and makes types of agents known."""
    client = WAYS[bench.client]
    temporary = os.path.join(bench.home, "tmp")
    os.makedirs(temporary, exist_ok=True)

    for name, text in client.files(bench).items():
        path = os.path.join(bench.home, name)
        _write(path, text)
    for kind in kinds:
        for path, text in client.agent(bench, kind).items():
            _write(path, text)


def _write(path: str, text: str) -> None:
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    # The type of an agent is typed by somebody, and may hold what is no text.
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)


def run_offline(
    bench: Bench,
    prompt: str,
    more: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> ClientOutcome:
    """One run with a prompt, in a home that was prepared. Raises DctxError where it does not end."""
    client = WAYS[bench.client]
    words = (*client.arguments(prompt), *more)
    return command_offline(bench, words, environment, seconds)


def command_offline(
    bench: Bench,
    words: Sequence[str],
    environment: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> ClientOutcome:
    """One run with these arguments."""
    client = WAYS[bench.client]
    whole = bare_environment(bench)
    whole.update(client.environment(bench))
    if environment:
        whole.update(environment)
    command = [*bench.program, *words]
    return _run(command, bench.folder, whole, seconds)


def bare_environment(bench: Bench) -> dict[str, str]:
    """Without keys or settings of the user's, and without a way out."""
    environment: dict[str, str] = {}
    # The path is kept, for the client may be a script; so is what decides how contexts are laid out.
    kept = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PATHEXT", "COMSPEC", CLEAN_CONTEXT)
    for name in kept:
        if name in os.environ:
            environment[name] = os.environ[name]

    environment["HOME"] = bench.home
    environment["USERPROFILE"] = bench.home
    environment["TMPDIR"] = os.path.join(bench.home, "tmp")
    # Where a client asks its vendor for news all the same, its proxy is the scripted model, which
    # connects to nobody.
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        environment[name] = bench.model
    environment["NO_PROXY"] = "127.0.0.1"
    return environment


def _run(
    words: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    seconds: float,
) -> ClientOutcome:
    try:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        why = error.strerror or error
        raise DctxError(f"{words[0]} could not be started: {why}.") from error

    with process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise DctxError(
                f"{words[0]} did not end within {seconds:g} seconds.", "Try once more."
            ) from late
        finally:
            _end(process)
    return ClientOutcome(
        code=process.returncode,
        out=out.decode("utf-8", "replace"),
        err=err.decode("utf-8", "replace"),
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """The client, and whatever it started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        pass


ASK = "dctx proof: spawn one agent."
WORK = "dctx proof: say what you were given."
NAME = "run offline"


class Play(Record):
    """What is said in a run."""

    ask: str
    """What the session is asked for,"""
    work: str
    """and the prompt of the agent that it spawns."""
    seconds: float = SECONDS


_END = AnswerRule(calls=(ScriptedCall("complete_task", {"result": "done"}),), when=WORK)
"""Gemini CLI waits for this call where an agent is done."""


def can_run(client: Client) -> bool:
    """Whether the client is here, and one that runs without a network."""
    return client.name in WAYS and shutil.which(client.program) is not None


def prove_run(
    client: Client,
    scratch: Scratch,
    hooks: Sequence[HooksInFile],
) -> Proof:
    """Runs the client once, with these hooks. Raises DctxError where it cannot be run at all."""
    outcome, asked = run_listening(client, scratch, hooks, Play(ASK, WORK))
    return judge(client, scratch, outcome, asked)


def run_listening(
    client: Client,
    scratch: Scratch,
    hooks: Sequence[HooksInFile],
    play: Play,
) -> tuple[ClientOutcome, list[ModelRequest]]:
    """What a run of the client left, and everything that its model was asked."""
    path = shutil.which(client.program) or client.program
    program = os.path.abspath(path)
    script = rules(client.name, scratch.kind, play.work, play.ask)
    with ScriptedModel(script) as model:
        bench = Bench(
            client=client.name,
            program=(program,),
            home=scratch.home,
            folder=scratch.root,
            model=model.url,
        )
        prepare_home(bench, scratch.kind)
        # After the home is made: a client's own settings may be the file that its hooks are in.
        put_hooks(client, scratch, hooks)
        arguments = WAYS[client.name].more(bench, scratch.kind)
        outcome = run_offline(bench, play.ask, arguments, seconds=play.seconds)
        asked = model.conversations
    return outcome, asked


def rules(
    client: str,
    kind: str,
    prompt: str = WORK,
    ask: str = ASK,
) -> tuple[AnswerRule, ...]:
    """The model spawns one agent, and waits until it has begun."""
    way = WAYS[client]
    spawns: list[AnswerRule] = []
    for call in way.spawns(kind, prompt):
        spawns.append(AnswerRule(calls=(call,), when=ask, unless=way.result))
    # By the third request the agent has begun; who is done would not wait for it.
    done = AnswerRule("done", when=way.result, after=3)
    return (*spawns, _END, done)


def judge(
    client: Client,
    scratch: Scratch,
    ran: ClientOutcome,
    asked: Sequence[ModelRequest],
) -> Proof:
    """What the requests say."""
    session, agent = _said_to(asked)
    told = not scratch.tells_sessions or standing(scratch.project) in session
    arrival = arrival_of(scratch.context.sections, agent, WORK)
    if client.prompts_of_agents:
        # There it stands behind the prompt.
        arrival = arrival.replace(followed=True)

    faults = [*_session_faults(session, told), *_agent_faults(agent, arrival)]
    if not faults:
        return Proof(
            client=client.name,
            name=NAME,
            outcome=PROVEN,
            verdict=_verdict(client, scratch, arrival),
        )

    verdict = f"{client.title}, {NAME}: {faults[0]}."
    details = faults[1:]
    details.append(f"{client.program} ended with exit code {ran.code}")
    if ran.code:
        details += ran.err.strip().splitlines()[-1:]
    details += scratch.troubles
    return Proof(
        client=client.name,
        name=NAME,
        outcome=FAILED,
        verdict=verdict,
        details=tuple(details),
    )


def _said_to(asked: Sequence[ModelRequest]) -> tuple[str, str]:
    """The first request of the session, and the first of the agent that it spawned."""
    session = ""
    agent = ""
    for request in asked:
        said = request.said
        # The session has the agent's prompt in it, too: in the call that spawned the agent.
        if ASK in said:
            session = session or said
        elif WORK in said:
            agent = agent or said
    return session, agent


def _session_faults(session: str, told: bool) -> tuple[str, ...]:
    if not session:
        return ("it asked its model nothing",)
    if not told:
        return ("the session was not told where the project stands",)
    return ()


def _agent_faults(agent: str, arrival: Arrival) -> tuple[str, ...]:
    if not agent:
        return ("no agent was spawned",)
    return arrival.faults


def _verdict(
    client: Client,
    scratch: Scratch,
    arrival: Arrival,
) -> str:
    count = len(arrival.whole)
    sections = f"{count} sections"
    if count == 1:
        sections = "1 section"
    named = ""
    if arrival.named:
        named = f", {len(arrival.named)} too large for it named with the command that prints them"
    place = "before" if client.prompts_of_agents else "behind"
    told = ""
    if scratch.tells_sessions:
        told = " The session was told where the project stands."
    return (
        f"{client.title}, {NAME}: an agent of type {scratch.kind} was sent the context of "
        f"`dctx assemble {scratch.context.agent}`: {sections} whole and in order{named}, its prompt {place} them."
        f"{told}"
    )
