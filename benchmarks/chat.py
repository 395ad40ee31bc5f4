"""A conversation with a model: from the start of `dctx chat` to the first byte that the provider is sent, beside
a program of three lines with the official client; and a turn beside the same call of that client, of a
provider that takes half a second for an answer, and of one that takes none.

usage: python -m benchmarks.chat [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import TYPE_CHECKING, Any

from benchmarks.answering import ADDRESS, HOST, answer, answers, read_request
from benchmarks.mcp import FRONT_DOOR
from benchmarks.measure import Job, Sample, take_turns, timed
from benchmarks.report import Aim, Row, aims_table, rows_table
from director_ctx import DirectorConversation
from director_ctx.chat.offered import OfferedTools
from director_ctx.chat.prompt import prompt
from director_ctx.clients.demo.example import make_example
from director_ctx.context.settings.tags import PULL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.measure import Series

    Call = Callable[[], object]

ROUNDS = 20
CALLS = 10
"""In one sample of the processor: a single one is near what its clock can tell."""
THINKS = 0.5
"""Seconds until a short answer of a fast model is there."""
MODEL, TOOLS, SAID = "gpt-6.1-terra", "few", "What is next?"
START, TURN = "start to the first byte", f"turn, answered in {THINKS} s"
PROCESSOR, AT_ONCE = "turn, answered at once: processor", "turn, answered at once: time"
OURS, OFFICIAL = "dctx chat", "the SDK"
PROGRAM = """
import openai, sys
client = openai.OpenAI(base_url=sys.argv[1], api_key="none")
print(client.responses.create(model="gpt-6.1-terra", input="What is next?").output_text)
"""
START_AIM, TURN_AIM = 1.2, 1.05


def measure(root: Path, rounds: int) -> dict[str, Series]:
    with ExitStack() as stack:
        listening = stack.enter_context(socket.create_server((HOST, 0)))
        url = ADDRESS.format(port=listening.getsockname()[1])
        ours = (sys.executable, "-c", FRONT_DOOR, "chat", "--base-url", url, SAID)
        official = (sys.executable, "-c", PROGRAM, url)
        jobs = {
            f"{START}: {OFFICIAL}": Job(lambda: first_byte(listening, official, root)),
            f"{START}: {OURS}": Job(lambda: first_byte(listening, ours, root)),
        }
        slow = talks(stack, root, THINKS)
        fast = talks(stack, root, 0)
        for name in (OFFICIAL, OURS):
            jobs[f"{TURN}: {name}"] = waited_for(slow[name])
            jobs[f"{AT_ONCE}: {name}"] = waited_for(fast[name])
            jobs[f"{PROCESSOR}: {name}"] = worked_on(fast[name])
        return take_turns(jobs, rounds)


def first_byte(listening: socket.socket, command: Sequence[str], root: Path) -> Sample:
    """From the start of a process until it sends its request, which is answered."""
    environment = {name: os.environ[name] for name in os.environ if not name.startswith("OPENAI_")}
    # Whoever installed it has compiled modules.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begin = perf_counter_ns()
    process = subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE)
    connection, _ = listening.accept()
    with connection:
        connection.recv(1, socket.MSG_PEEK)
        took = perf_counter_ns() - begin
        answer(connection, read_request(connection))
    told, _ = process.communicate()
    assert told == b"Step 2.\n", told
    return Sample(took / 1e6)


def talks(stack: ExitStack, root: Path, seconds: float) -> dict[str, Call]:
    """A turn of a conversation, and the request of it by the official client; both are warm."""
    import openai

    url = stack.enter_context(answers(seconds))
    conversation = stack.enter_context(DirectorConversation(str(root), model=MODEL, base_url=url))
    client = stack.enter_context(openai.OpenAI(base_url=url, api_key="none"))
    first = conversation.say(SAID)
    request: dict[str, Any] = {
        "model": MODEL,
        "instructions": prompt(conversation.project, PULL, TOOLS),
        "tools": list(OfferedTools(conversation.project, TOOLS, ()).definitions()),
        "tool_choice": "auto",
        "store": True,
        "previous_response_id": first.response,
        "input": [{"type": "message", "role": "user", "content": SAID}],
    }

    def turn() -> None:
        assert conversation.say(SAID).text == "Step 2."

    def call() -> None:
        assert client.responses.create(**request).output_text == "Step 2."

    return {OURS: turn, OFFICIAL: call}


def waited_for(call: Call) -> Job:
    return Job(lambda: timed(call))


def worked_on(call: Call) -> Job:
    """How long this process was at work, whatever else the machine did."""

    def run() -> Sample:
        begin = process_time_ns()
        for _ in range(CALLS):
            call()
        return Sample((process_time_ns() - begin) / 1e6 / CALLS)

    return Job(run)


def rows(series: Mapping[str, Series]) -> Iterator[Row]:
    for name, samples in series.items():
        what, _, _ = name.rpartition(": ")
        yield Row(name, samples, series[f"{what}: {OFFICIAL}"])


def aims(series: Mapping[str, Series]) -> Iterator[Aim]:
    for what, limit in ((START, START_AIM), (TURN, TURN_AIM)):
        ours, official = series[f"{what}: {OURS}"], series[f"{what}: {OFFICIAL}"]
        yield Aim(
            f"{what}: {OURS} / {OFFICIAL}",
            ours.median / official.median,
            ours.least / official.least,
            limit,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    values = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dctx-chat-") as place:
        root = Path(place).resolve() / "example"
        make_example(str(root))
        series = measure(root, values.rounds)
    print(rows_table("Chat", list(rows(series))), end="\n\n", flush=True)
    print(aims_table(list(aims(series))))


if __name__ == "__main__":
    main()
