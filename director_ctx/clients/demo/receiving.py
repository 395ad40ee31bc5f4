"""A sub-agent of Claude Code that is handed its context: by the client itself, run offline, or by
the recorded event in which it spawns one.
"""

from __future__ import annotations

import os
import shutil
from json import dumps, loads
from tempfile import TemporaryDirectory

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.accepted import context_of
from director_ctx.clients.hooks.agents import context_for
from director_ctx.clients.parts.hooks import hooks_as_written
from director_ctx.clients.protocol import read_event
from director_ctx.clients.setup.proof import asking_for
from director_ctx.clients.table import CLIENTS, SPAWN
from director_ctx.clients.verify.events import asked_hooks, recorded_events, run_hook
from director_ctx.clients.verify.proof import Scratch, arrival_of
from director_ctx.clients.verify.run import Play, can_run, run_listening
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.clients.verify.scripted_model import ModelRequest

CLIENT = CLIENTS["claude"]
KIND = "dctx-builder"
YOU_SAY = asking_for(KIND)
AGENT_IS_TOLD = "Do the next task."
# Whoever watches should not have to wait for a minute.
_PLAY = Play(YOU_SAY, AGENT_IS_TOLD, seconds=30.0)


class Received(Record):
    """What an agent was sent."""

    by_client: bool
    """Whether the client itself ran; a recorded event of it took its place otherwise."""
    why_not: str
    """Why the client did not run, as the rest of a sentence that names it."""
    prompt: str
    whole: bool
    """Whether the context is in it, to the byte and in order, before what the agent is told to do."""


def client_is_here() -> bool:
    return can_run(CLIENT)


def receive(root: str) -> Received:
    """Has an agent spawned in a copy of a project, with a home of its own; nothing else is touched."""
    with TemporaryDirectory(prefix="dctx-demo-", ignore_cleanup_errors=True) as into:
        scratch = _copy(root, os.path.realpath(into))
        why_not = "is not installed"
        if client_is_here():
            prompt, why_not = _by_client(scratch)
            if prompt:
                return _received(scratch, prompt, "")
        prompt = _by_recorded_event(scratch)
        return _received(scratch, prompt, why_not)


def _copy(root: str, into: str) -> Scratch:
    """With its git history, which a context tells of."""
    copy = os.path.join(into, "project")
    home = os.path.join(into, "home")
    shutil.copytree(root, copy)
    os.makedirs(home)
    project = load_project(root=copy)
    agent = context_for(project, KIND)
    if agent.context is None:
        raise DctxError(f"The example has no context for an agent: {agent.why}")
    return Scratch(
        root=copy,
        home=home,
        kind=KIND,
        context=agent.context,
        original=copy,
    )


def _by_client(scratch: Scratch) -> tuple[str, str]:
    """What the agent was sent, or why nothing is known of it."""
    hooks = hooks_as_written(CLIENT)
    try:
        _, asked = run_listening(CLIENT, scratch, hooks, _PLAY)
    except DctxError:
        return "", "could not be run here"
    first = scratch.context.sections[0].text
    for request in asked:
        for text in _texts(request):
            if first in text and text.rstrip().endswith(AGENT_IS_TOLD):
                return text, ""
    return "", "ran and handed nothing on"


def _texts(request: ModelRequest) -> Iterator[str]:
    """Each text that the model was sent as a message."""
    for message in request.body.get("messages", ()):
        content = message["content"]
        if isinstance(content, str):
            yield content
            continue
        for block in content:
            yield str(block.get("text", ""))


def _by_recorded_event(scratch: Scratch) -> str:
    """What `dctx hook` made of the prompt of an agent that Claude Code spawned once."""
    _, events = recorded_events(CLIENT, scratch)
    for recorded in events:
        read = read_event(recorded.event, CLIENT.name)
        if read is not None and read.kind == SPAWN:
            return _answered(scratch, recorded.event)
    raise DctxError("No spawned agent was recorded for Claude Code.")


def _answered(scratch: Scratch, event: dict[str, Any]) -> str:
    hooks = hooks_as_written(CLIENT)
    text = dumps(event)
    for words in asked_hooks(CLIENT, event, hooks):
        reply = run_hook(words, text, scratch.root, scratch.home)
        if reply.out.strip():
            answer = loads(reply.out)
            return context_of(answer)
    raise DctxError("`dctx hook` gave the agent nothing.", "`dctx agents verify` looks into it.")


def _received(scratch: Scratch, prompt: str, why_not: str) -> Received:
    arrival = arrival_of(scratch.context.sections, prompt, AGENT_IS_TOLD)
    return Received(
        by_client=not why_not,
        why_not=why_not,
        prompt=prompt,
        whole=arrival.complete,
    )
