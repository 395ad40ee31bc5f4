"""The second proof: recorded events of a client go through the hooks as they are installed."""

from __future__ import annotations

import os
import subprocess

from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped
from director_ctx.clients.accepted import context_of, faults, kind_of
from director_ctx.clients.entries import handler_words
from director_ctx.clients.hooks.agents import profile_here
from director_ctx.clients.protocol import event_name, read_event
from director_ctx.clients.table import SESSION, SPAWN, START
from director_ctx.clients.verify.proof import FAILED, PROVEN, Proof
from director_ctx.clients.verify.run import arrived

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.clients.hooks.installed import Placed
    from director_ctx.clients.table import Client
    from director_ctx.clients.verify.proof import Scratch


SECONDS = 20.0
"""Far more than a hook may take; a hook ends by itself before."""


class Replied(Record):
    """What a hook left: its exit code, its answer, what it said besides."""

    code: int
    out: str
    err: str


def run_hook(words: Sequence[str], event: str, folder: str, home: str) -> Replied:
    """One hook in a project, in a home of its own."""
    elsewhere = ("XDG_STATE_HOME", "LOCALAPPDATA")
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("DCTX_") and name not in elsewhere
    }
    environment |= {"HOME": home, "USERPROFILE": home, "CLAUDE_PROJECT_DIR": folder}
    try:
        done = subprocess.run(
            words,
            input=event.encode(),
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Replied(-1, "", str(error))
    return Replied(
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        done.stderr.decode("utf-8", "replace"),
    )


NAME = "recorded events"


class Recorded(Record):
    """One event as a client sent it."""

    what: str
    event: dict[str, Any]


def recorded(client: Client, scratch: Scratch) -> tuple[str, tuple[Recorded, ...]]:
    """The version of the client that they are from, and the events, as if they had happened in this
    project.
    """
    from json import dumps, loads

    text = read_shipped("clients", "events", f"{client.name}.json")
    filled = {"{project}": scratch.root, "{home}": scratch.home, "{agent}": scratch.kind}
    for mark, value in filled.items():
        text = text.replace(mark, dumps(value)[1:-1])
    found = loads(text)
    return found["version"], tuple(Recorded(one["what"], one["event"]) for one in found["events"])


def prove_events(client: Client, scratch: Scratch, hooks: Sequence[Placed]) -> Proof:
    """Every event that these hooks wait for, through every one that would be asked."""
    version, all_events = recorded(client, scratch)
    events = [one for one in all_events if any(asked_hooks(client, one.event, hooks))]
    found = [
        f"{one.what}: {fault}" for one in events for fault in _faults(client, scratch, one, hooks)
    ]
    of = f"{client.title} ({version})"
    if found:
        return Proof(
            client.name, NAME, FAILED, f"{of}, {NAME}: {found[0]}.", (*found[1:], *scratch.troubles)
        )
    said = f"{of}, {NAME}: `dctx hook` answered all {len(events)} as the client wants it."
    return Proof(client.name, NAME, PROVEN, said)


def _faults(
    client: Client, scratch: Scratch, one: Recorded, hooks: Sequence[Placed]
) -> Iterator[str]:
    answers = []
    for words in asked_hooks(client, one.event, hooks):
        answer, fault = _answer(words, one.event, scratch)
        yield from fault
        if answer is not None:
            answers.append(answer)
            yield from faults(client, one.event, answer)
    kinds = {kind_of(answer) for answer in answers} or {"nothing"}
    wanted = _wanted(client, scratch, one.event)
    if kinds != {wanted}:
        yield f"the answer is {' and '.join(sorted(kinds))}, and not {wanted}"
    elif wanted == "prompt":
        prompt = str(one.event["tool_input"]["prompt"])
        yield from arrived(scratch.context.sections, context_of(answers[0]), prompt).faults


def asked_hooks(
    client: Client, event: dict[str, Any], hooks: Sequence[Placed]
) -> Iterator[list[str]]:
    """The words of the hooks that the client would run for an event."""
    from re import fullmatch

    subject = str(event.get("tool_name") or event.get("source") or "")
    for group in (group for placed in hooks for group in placed.entries.get(event_name(event), ())):
        matcher = group.get("matcher") if client.matchers else None
        if fullmatch(matcher or ".*", subject):
            yield from map(handler_words, [group] if client.flat else group["hooks"])


def _answer(
    words: list[str], event: dict[str, Any], scratch: Scratch
) -> tuple[Any, tuple[str, ...]]:
    from json import dumps, loads

    replied = run_hook(words, dumps(event), scratch.root, scratch.home)
    wrong = [f"exit code {replied.code}"] if replied.code else []
    wrong += (
        [f"it says on stderr: {replied.err.strip().splitlines()[-1]}"]
        if replied.err.strip()
        else []
    )
    try:
        return (loads(replied.out) if replied.out.strip() else None), tuple(wrong)
    except ValueError:
        return None, (*wrong, "the answer is not JSON")


def _wanted(client: Client, scratch: Scratch, event: dict[str, Any]) -> str:
    """What kind of answer this project's settings ask for."""
    read = read_event(event, client.name)
    if read and read.kind in (SPAWN, START):
        given = profile_here(scratch.project, read.agent_type)
        return ("prompt" if read.kind == SPAWN else "context") if given else "nothing"
    return "context" if read and read.kind == SESSION and scratch.tells_sessions else "nothing"
