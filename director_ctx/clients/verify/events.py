"""The second proof: recorded events of a client go through the hooks as they are installed."""

from __future__ import annotations

import os
import re
import subprocess
from json import dumps, loads

from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped
from director_ctx.clients.accepted import context_of, faults_of_answer, kind_of
from director_ctx.clients.entries import handler_words
from director_ctx.clients.hooks.agents import profile_here
from director_ctx.clients.protocol import event_name, read_event
from director_ctx.clients.table import PROMPT, SESSION, SPAWN, START
from director_ctx.clients.verify.proof import arrival_of, judged
from director_ctx.project.claims import forget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.clients.parts.hooks import HooksInFile
    from director_ctx.clients.table import Client
    from director_ctx.clients.verify.proof import Proof, Scratch


NAME = "recorded events"
SECONDS = 20.0
"""Far more than a hook may take; a hook ends by itself before."""


class HookReply(Record):
    """What a hook left: its exit code, its answer, what it said besides."""

    code: int
    out: str
    err: str


def run_hook(words: Sequence[str], event: str, folder: str, home: str) -> HookReply:
    """One hook in a project, in a home of its own."""
    # Without what leads to settings and to a state of the user's own.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("XDG_STATE_HOME", "LOCALAPPDATA") and not name.startswith("DCTX_")
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
        return HookReply(-1, "", str(error))
    out, err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return HookReply(done.returncode, out, err)


class RecordedEvent(Record):
    """One event as a client sent it."""

    what: str
    event: dict[str, Any]
    transcript: object = None
    """The first line of the transcript that it names, where a hook reads it."""


def recorded_events(client: Client, scratch: Scratch) -> tuple[str, tuple[RecordedEvent, ...]]:
    """The version of the client that they are from, and the events, as if they had happened in this
    project.
    """
    text = read_shipped("clients", "events", f"{client.name}.json")
    values = {"{project}": scratch.root, "{home}": scratch.home, "{agent}": scratch.kind}
    for mark, value in values.items():
        # The mark stands inside of a string, so the value goes in without its quotes.
        text = text.replace(mark, dumps(value)[1:-1])
    data = loads(text)
    rows = data["events"]
    events = [RecordedEvent(row["what"], row["event"], row.get("transcript")) for row in rows]
    return data["version"], tuple(events)


def prove_events(client: Client, scratch: Scratch, hooks: Sequence[HooksInFile]) -> Proof:
    """Every event that these hooks wait for, through every one that would be asked."""
    version, all_events = recorded_events(client, scratch)
    count = 0
    faulty: list[str] = []
    for record in all_events:
        asked = list(asked_hooks(client, record.event, hooks))
        # Not every event has a hook: an installation may leave some of them out.
        if not asked:
            continue
        count += 1
        if record.transcript:
            path = record.event["transcript_path"]
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(dumps(record.transcript) + "\n")
        # Each of them is given the first task.
        forget(scratch.project, lambda _: True)
        for fault in _faults(client, scratch, record, asked):
            faulty.append(f"{record.what}: {fault}")

    who = f"{client.title} ({version}), {NAME}"
    if faulty:
        faulty[0] = f"{who}: {faulty[0]}."
    said = f"{who}: `dctx hook` answered all {count} as the client wants it."
    return judged(client, NAME, faulty, said, scratch.troubles if faulty else ())


def asked_hooks(
    client: Client, event: dict[str, Any], hooks: Sequence[HooksInFile]
) -> Iterator[list[str]]:
    """The words of the hooks that the client would run for an event."""
    subject = str(event.get("tool_name") or event.get("source") or "")
    for placed in hooks:
        for group in placed.entries.get(event_name(event), ()):
            # Without a matcher a hook is asked about everything.
            matcher = group.get("matcher") or ".*"
            if not client.matchers or re.fullmatch(matcher, subject):
                for handler in [group] if client.flat else group["hooks"]:
                    yield handler_words(handler)


def _faults(
    client: Client, scratch: Scratch, record: RecordedEvent, asked: Sequence[Sequence[str]]
) -> Iterator[str]:
    answers = []
    for words in asked:
        replied = run_hook(words, dumps(record.event), scratch.root, scratch.home)
        if replied.code:
            yield f"exit code {replied.code}"
        said = replied.err.strip()
        if said:
            yield f"it says on stderr: {said.splitlines()[-1]}"
        if not replied.out.strip():
            continue
        try:
            answer = loads(replied.out)
        except ValueError:
            yield "the answer is not JSON"
            continue
        answers.append(answer)
        yield from faults_of_answer(client, record.event, answer)

    # Several hooks may be asked about one event; all of them have to say the same kind of thing.
    kinds = {kind_of(answer) for answer in answers} or {"nothing"}
    wanted = _wanted(client, scratch, record)
    if kinds != {wanted}:
        yield f"the answer is {' and '.join(sorted(kinds))}, and not {wanted}"
    elif wanted == "prompt":
        prompt = str(record.event["tool_input"][client.prompt_key])
        yield from arrival_of(scratch.context.sections, context_of(answers[0]), prompt).faults


def _wanted(client: Client, scratch: Scratch, record: RecordedEvent) -> str:
    """What kind of answer this project's settings ask for."""
    read = read_event(record.event, client.name)
    if read is None:
        return "nothing"
    if read.kind == SESSION:
        return "context" if scratch.tells_sessions else "nothing"
    is_agents_prompt = read.kind == PROMPT and bool(read.child)
    if read.kind not in (SPAWN, START) and not is_agents_prompt:
        return "nothing"
    if not profile_here(scratch.project, read.agent_type):
        return "nothing"
    if read.kind == SPAWN:
        return "prompt"
    # Its prompt was answered before.
    was_answered = read.kind == START and client.has_task_names and not record.transcript
    return "nothing" if was_answered else "context"
