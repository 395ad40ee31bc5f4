"""Runs an installed agent client without a network: its model is a scripted one on the loopback, its home a folder of
its own, its environment almost empty, its key a dummy. Nothing of the user's is read or written."""

from __future__ import annotations

import os
import signal
import subprocess

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.verify.offline_clients import WAYS, Bench

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SECONDS = 60.0


class Ran(Record):
    """What a run of a client left."""

    code: int
    out: str
    err: str


def prepare_home(bench: Bench, *kinds: str) -> None:
    """Makes the home, with what the client wants to find in it, and makes types of agents known."""
    way = WAYS[bench.client]
    os.makedirs(os.path.join(bench.home, "tmp"), exist_ok=True)
    files = {os.path.join(bench.home, name): text for name, text in way.files(bench).items()}
    for kind in kinds:
        files |= way.agent(bench, kind)
    for path, text in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)


def run_offline(
    bench: Bench,
    prompt: str,
    more: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> Ran:
    """One run with a prompt, in a home that was prepared. Raises DctxError where it does not end."""
    words = (*WAYS[bench.client].arguments(prompt), *more)
    return command_offline(bench, words, environment, seconds)


def command_offline(
    bench: Bench, words: Sequence[str], environment: Mapping[str, str] | None = None, seconds: float = SECONDS
) -> Ran:
    """One run with these arguments."""
    whole = {**_bare(bench), **WAYS[bench.client].environment(bench), **(environment or {})}
    return _run([*bench.program, *words], bench.folder, whole, seconds)


def _bare(bench: Bench) -> dict[str, str]:
    """Without keys or settings; the path is kept, for the client may be a script. Where a client asks its vendor for
    news all the same, its proxy is the scripted model, which connects to nobody."""
    kept = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PATHEXT", "COMSPEC")
    own = {"HOME": bench.home, "USERPROFILE": bench.home, "TMPDIR": os.path.join(bench.home, "tmp")}
    proxy = {**dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), bench.model), "NO_PROXY": "127.0.0.1"}
    return {name: os.environ[name] for name in kept if name in os.environ} | own | proxy


def _run(words: Sequence[str], folder: str, environment: Mapping[str, str], seconds: float) -> Ran:
    try:
        process = subprocess.Popen(
            words, cwd=folder, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise DctxError(f"{words[0]} could not be started: {error.strerror or error}.") from error
    with process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise DctxError(f"{words[0]} did not end within {seconds:g} seconds.", "Try once more.") from late
        finally:
            _end(process)
    return Ran(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


def _end(process: subprocess.Popen[bytes]) -> None:
    """The client, and whatever it started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        pass
