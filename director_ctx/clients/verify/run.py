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
from director_ctx.base.text import counted
from director_ctx.clients.hooks.position import standing
from director_ctx.clients.verify.offline_clients import WAYS, Bench
from director_ctx.clients.verify.proof import arrival_of, judged, put_hooks
from director_ctx.clients.verify.scripted_model import AnswerRule, ModelRequest, ScriptedModel
from director_ctx.clients.verify.scripted_wires import ScriptedCall
from director_ctx.context.settings.options import CLEAN_CONTEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.clients.parts.hooks import HooksInFile
    from director_ctx.clients.table import Client
    from director_ctx.clients.verify.proof import Arrival, Proof, Scratch


SECONDS = 60.0


class ClientOutcome(Record):
    """What a run of a client left."""

    code: int
    out: str
    err: str


def prepare_home(bench: Bench, *kinds: str) -> None:
    """Makes the home, with what the client wants to find in it, and makes types of agents known."""
    client = WAYS[bench.client]
    os.makedirs(os.path.join(bench.home, "tmp"), exist_ok=True)
    files = {os.path.join(bench.home, name): text for name, text in client.files(bench).items()}
    for kind in kinds:
        files.update(client.agent(bench, kind))
    for path, text in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
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
    words = (*WAYS[bench.client].arguments(prompt), *more)
    return command_offline(bench, words, environment, seconds)


def command_offline(
    bench: Bench,
    words: Sequence[str],
    environment: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> ClientOutcome:
    """One run with these arguments."""
    whole = {
        **bare_environment(bench),
        **WAYS[bench.client].environment(bench),
        **(environment or {}),
    }
    program = bench.program[0]
    try:
        process = subprocess.Popen(
            [*bench.program, *words],
            cwd=bench.folder,
            env=whole,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise DctxError(f"{program} could not be started: {error.strerror or error}.") from error

    with process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise DctxError(
                f"{program} did not end within {seconds:g} seconds.", "Try once more."
            ) from late
        finally:
            _end(process)
    return ClientOutcome(
        process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    )


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


def prove_run(client: Client, scratch: Scratch, hooks: Sequence[HooksInFile]) -> Proof:
    """Runs the client once, with these hooks. Raises DctxError where it cannot be run at all."""
    outcome, asked = run_listening(client, scratch, hooks, Play(ASK, WORK))
    session = agent = ""
    for request in asked:
        said = request.said
        # The session has the agent's prompt in it, too: in the call that spawned the agent.
        if ASK in said:
            session = session or said
        elif WORK in said:
            agent = agent or said

    arrival = arrival_of(scratch.context.sections, agent, WORK)
    if client.prompts_of_agents:
        # There it stands behind the prompt.
        arrival = arrival.replace(followed=True)
    faults: list[str] = []
    if not session:
        faults.append("it asked its model nothing")
    elif scratch.tells_sessions and standing(scratch.project) not in session:
        faults.append("the session was not told where the project stands")
    faults += arrival.faults if agent else ["no agent was spawned"]
    if not faults:
        return judged(client, NAME, (), _verdict(client, scratch, arrival))

    details = [f"{client.program} ended with exit code {outcome.code}"]
    if outcome.code:
        details += outcome.err.strip().splitlines()[-1:]
    faults[0] = f"{client.title}, {NAME}: {faults[0]}."
    return judged(client, NAME, faults, "", [*details, *scratch.troubles])


def run_listening(
    client: Client,
    scratch: Scratch,
    hooks: Sequence[HooksInFile],
    play: Play,
) -> tuple[ClientOutcome, list[ModelRequest]]:
    """What a run of the client left, and everything that its model was asked."""
    program = os.path.abspath(shutil.which(client.program) or client.program)
    script = rules(client.name, scratch.kind, play.work, play.ask)
    with ScriptedModel(script) as model:
        bench = Bench(client.name, (program,), scratch.home, scratch.root, model.url)
        prepare_home(bench, scratch.kind)
        # After the home is made: a client's own settings may be the file that its hooks are in.
        put_hooks(client, scratch, hooks)
        arguments = WAYS[client.name].more(bench, scratch.kind)
        outcome = run_offline(bench, play.ask, arguments, seconds=play.seconds)
        asked = model.conversations
    return outcome, asked


def rules(client: str, kind: str, prompt: str = WORK, ask: str = ASK) -> tuple[AnswerRule, ...]:
    """The model spawns one agent, and waits until it has begun."""
    way = WAYS[client]
    spawns = [
        AnswerRule(calls=(call,), when=ask, unless=way.result) for call in way.spawns(kind, prompt)
    ]
    # By the third request the agent has begun; who is done would not wait for it.
    done = AnswerRule("done", when=way.result, after=3)
    return (*spawns, _END, done)


def _verdict(client: Client, scratch: Scratch, arrival: Arrival) -> str:
    sections = counted(len(arrival.whole), "section")
    named = ""
    if arrival.named:
        named = f", {len(arrival.named)} too large for it named with the command that prints them"
    place = "before" if client.prompts_of_agents else "behind"
    told = " The session was told where the project stands." if scratch.tells_sessions else ""
    return (
        f"{client.title}, {NAME}: an agent of type {scratch.kind} was sent the context of "
        f"`dctx assemble {scratch.context.agent}`: {sections} whole and in order{named}, its prompt {place} them."
        f"{told}"
    )
