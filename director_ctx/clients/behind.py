"""A client that is run behind an address of ours: what it has to be told, and its run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.clients.table import Client

ANY_CLIENT = {
    "ANTHROPIC_BASE_URL": "",
    "OPENAI_BASE_URL": "/v1",
}
"""What is said to a program that is not in our table: the variables that the vendors' own libraries
read.
"""
KILLED = 128
"""Added to the number of the signal that ended a program, as shells do."""


class ClientRun(Record):
    """What is run, and with which environment."""

    words: tuple[str, ...]
    environment: Mapping[str, str]


def client_of(word: str) -> Client | None:
    """The client that a command is, by the name of its program."""
    name = os.path.basename(word).removesuffix(".exe")
    for client in CLIENTS.values():
        if client.program == name:
            return client
    return None


def expect_program(word: str) -> None:
    if shutil.which(word) is None:
        if os.path.isfile(word):
            raise UsageProblem(
                f"{plain(word)} is a file that may not be run.",
                "`chmod +x` makes it a program; or name the one that runs it, such as -- python3 FILE.",
            )
        raise UsageProblem(
            f"There is no program {plain(word)!r}.", "Write the client's command behind --."
        )


def usual_address(word: str, environment: Mapping[str, str]) -> str:
    """Where a client would ask its model: as its environment says, else as it does by itself; empty
    where nobody knows.
    """
    client = client_of(word)
    if client is None:
        return ""
    for variable, end in client.address_variables.items():
        named = environment.get(variable, "").rstrip("/")
        if named:
            return named.removesuffix(end)
    return client.model_address


def run_behind(
    words: Sequence[str],
    address: str,
    environment: Mapping[str, str],
) -> ClientRun:
    """How it is run so that it asks this address."""
    client = client_of(words[0])
    variables: Mapping[str, str] = ANY_CLIENT
    more: tuple[str, ...] = ()
    if client is not None and (client.address_variables or client.address_words):
        variables = client.address_variables
        more = tuple(word.replace("ADDRESS", address) for word in client.address_words)

    told = dict(environment)
    for variable, end in variables.items():
        told[variable] = address + end
    program, *others = words
    return ClientRun(words=(program, *more, *others), environment=told)


def run_to_end(client_run: ClientRun) -> int:
    """Its exit code. It has the terminal; a signal that we are sent is the client's."""
    # Ctrl-C reaches both of us. Only a signal that has a handler is not inherited as one to ignore.
    signal.signal(signal.SIGINT, _nothing)
    try:
        child = subprocess.Popen(client_run.words, env=client_run.environment)
    except OSError as error:
        program = plain(client_run.words[0])
        raise DctxError(
            f"{program} could not be run: {error.strerror or error}.", "Look at its path."
        ) from error

    def pass_on(number: int, _: object) -> None:
        child.send_signal(number)

    signal.signal(signal.SIGTERM, pass_on)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, pass_on)
    code = child.wait()
    if code < 0:
        return KILLED - code
    return code


def _nothing(*_: object) -> None:
    """The client decides what Ctrl-C means."""
