"""A git at work: started so that nothing of the repository is run, heard until it ends or until its
time is over, and ended with whatever it started.

`os.posix_spawn` saves the 8 ms that importing `subprocess` costs. Git, or what somebody has put in
its place, may hang, speak for ever, ignore signals, or leave a process behind that keeps its pipes
open: none of it is waited for.
"""

from __future__ import annotations

import os
from time import monotonic, sleep

from director_ctx.base.system.due import until
from director_ctx.base.system.waiting import still_wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from subprocess import Popen
    from typing import IO

NO_ANSWER = "git did not answer in time"
NO_GIT = "git is not installed"
NO_REPOSITORY = "this is not a git repository"
NO_COMMITS = "the repository has no commits yet"
NO_REVISION = "there is no such revision"
UNREADABLE = "git could not read the history: "
"""Before git's own words, where none of these reasons is meant."""

SECONDS = 10.0
"""For an answer, where the door does not have to have its own sooner."""
LOG_SECONDS = 30.0
"""For a walk through thousands of commits, or through the content of files."""
SAFE = (
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "protocol.allow=never",
)
_USERS_OWN = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
"""How variables of git begin that say which settings are the user's, and where to look for a
repository.
"""
_FIXED = {
    "LC_ALL": "C.UTF-8",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
_PIECE = 65_536
_LOOK = 0.05
"""Seconds without a word after which it is looked whether git is still there."""
_BURIAL = 0.2
"""Seconds for the system to take a killed process away; one that waits for a dead disk stays
longer.
"""
_alive: set[int] = set()


def environment() -> dict[str, str]:
    """The user's environment without what would point git elsewhere, let it ask anybody, or make it
    write.
    """
    variables: dict[str, str] = {}
    for name, value in os.environ.items():
        is_gits = name.startswith("GIT_")
        if not is_gits or name.startswith(_USERS_OWN):
            variables[name] = value
    variables.update(_FIXED)
    return variables


def start_git(
    root: str,
    words: Sequence[str | bytes],
    seconds: float,
    given: IO[bytes] | None = None,
) -> Child:
    """Starts git in a folder, with what it is `given` on standard input. Raises OSError where there
    is no git, and ValueError for a word with a NUL in it.
    """
    arguments = ["git", *SAFE, "-C", root, *words]
    if hasattr(os, "posix_spawnp"):
        return SpawnedChild(arguments, environment(), until(seconds), given)
    import subprocess

    process = subprocess.Popen(
        arguments,
        stdin=given or subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    return PipedChild(process, until(seconds))


def end_all() -> None:
    """Ends whatever git still runs for this process, which is about to end itself."""
    for pid in tuple(_alive):
        _kill_group(pid)


class Child:
    """What both kinds have in common. `silent` says that its time was over before it had said
    everything.
    """

    def __init__(self, pid: int, deadline: float) -> None:
        self.pid = pid
        self.deadline = deadline
        self.silent = False
        self._complaint = b""
        self._open_streams = 2
        self._heard_out = False
        _alive.add(pid)

    def chunks(self) -> Iterator[bytes]:
        """What git prints, as it comes; what it complains of is kept aside, so that neither stream
        stalls.
        """
        has_ended = False
        while self._open_streams:
            still_wanted()
            left = self.deadline - monotonic()
            if left <= 0:
                self.silent = True
                return
            chunk = self._hear(min(left, _LOOK))
            if chunk:
                yield chunk
            elif chunk is None and has_ended:
                # Whoever still holds its pipes is not git.
                self._kill()
                break
            elif chunk is None:
                # One more look at the pipes follows: git may have spoken just before it ended.
                has_ended = self._status() is not None
        self._heard_out = True

    def finish(self) -> str:
        """Ends git if it still runs; a reason if it failed by itself."""
        status = None
        if self._heard_out:
            status = self._wait(self.deadline)
        if status is None:
            self._kill()
            self._wait(monotonic() + _BURIAL)
            # Who was heard out and is still there has not done all that was asked.
            self.silent = self.silent or self._heard_out
        self._close()
        _alive.discard(self.pid)

        if self.silent:
            return NO_ANSWER
        if not status:
            return ""
        return reason(self._complaint)

    def _wait(self, deadline: float) -> int | None:
        status = self._status()
        while status is None and monotonic() < deadline:
            sleep(0.0005)
            status = self._status()
        return status

    def _complained(self, chunk: bytes) -> None:
        self._complaint = (self._complaint + chunk)[:_PIECE]

    def _hear(self, seconds: float) -> bytes | None:
        """What is said within this time; empty for what is not for the listener, None for silence."""
        raise NotImplementedError

    def _status(self) -> int | None:
        """How it ended; None while it runs."""
        raise NotImplementedError

    def _kill(self) -> None:
        raise NotImplementedError

    def _close(self) -> None:
        raise NotImplementedError


class SpawnedChild(Child):
    """Made by `posix_spawn`, in a process group of its own, with its two streams on pipes."""

    def __init__(
        self,
        arguments: list[str | bytes],
        variables: Mapping[str, str],
        deadline: float,
        given: IO[bytes] | None,
    ) -> None:
        # Only whoever starts a git needs it.
        import select

        self._out, out_end = os.pipe()
        self._err, err_end = os.pipe()
        try:
            pid = _spawn(arguments, variables, given, out_end, err_end)
        except (OSError, ValueError):
            self._close()
            raise
        finally:
            os.close(out_end)
            os.close(err_end)
        super().__init__(pid, deadline)
        self._exit_status: int | None = None
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    def _hear(self, seconds: float) -> bytes | None:
        ready = self._poll.poll(seconds * 1000)
        if not ready:
            return None
        stream, _ = ready[0]
        chunk = os.read(stream, _PIECE)
        if not chunk:
            self._poll.unregister(stream)
            self._open_streams -= 1
        elif stream == self._err:
            self._complained(chunk)
            return b""
        return chunk

    def _status(self) -> int | None:
        if self._exit_status is not None:
            return self._exit_status
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            # A program that uses dctx takes its children's ends itself.
            self._exit_status = 0
            return 0
        if pid:
            self._exit_status = status
        return self._exit_status

    def _kill(self) -> None:
        _kill_group(self.pid)

    def _close(self) -> None:
        os.close(self._out)
        os.close(self._err)


class PipedChild(Child):
    """Made by `subprocess`, or by somebody who uses it: each stream is heard by a thread."""

    def __init__(self, process: Popen[bytes], deadline: float) -> None:
        from queue import SimpleQueue
        from threading import Thread

        super().__init__(process.pid, deadline)
        self._process = process
        self._heard: SimpleQueue[tuple[IO[bytes], bytes]] = SimpleQueue()
        assert process.stdout and process.stderr
        self._listeners: list[tuple[IO[bytes], Thread]] = []
        for stream in (process.stdout, process.stderr):
            # A daemon: it may be held by a pipe that nobody closes.
            listener = Thread(target=self._listen, args=(stream,), daemon=True)
            self._listeners.append((stream, listener))
            listener.start()

    def _listen(self, stream: IO[bytes]) -> None:
        """To its end. Whoever holds the pipe after git is gone holds this thread as well, and
        nothing else.
        """
        try:
            while chunk := os.read(stream.fileno(), _PIECE):
                self._heard.put((stream, chunk))
        except (OSError, ValueError):
            # It was closed meanwhile.
            pass
        self._heard.put((stream, b""))

    def _hear(self, seconds: float) -> bytes | None:
        from queue import Empty

        try:
            stream, chunk = self._heard.get(timeout=seconds)
        except Empty:
            return None
        if not chunk:
            self._open_streams -= 1
        elif stream is self._process.stderr:
            self._complained(chunk)
            return b""
        return chunk

    def _status(self) -> int | None:
        return self._process.poll()

    def _kill(self) -> None:
        _kill_group(self.pid)
        self._process.kill()

    def _close(self) -> None:
        """A stream that is still listened to is left to its thread."""
        for stream, listener in self._listeners:
            listener.join(_BURIAL)
            if not listener.is_alive():
                stream.close()


def _spawn(
    arguments: list[str | bytes],
    variables: Mapping[str, str],
    given: IO[bytes] | None,
    out_end: int,
    err_end: int,
) -> int:
    stdin: tuple[object, ...] = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    if given:
        stdin = (os.POSIX_SPAWN_DUP2, given.fileno(), 0)
    streams = [
        stdin,
        (os.POSIX_SPAWN_DUP2, out_end, 1),
        (os.POSIX_SPAWN_DUP2, err_end, 2),
    ]
    # A group of its own, so that whatever git starts can be ended with it.
    return os.posix_spawnp(arguments[0], arguments, variables, file_actions=streams, setpgroup=0)


def _kill_group(pid: int) -> None:
    """Everything that git started and that did not leave its group; where there are no groups, git
    alone.
    """
    try:
        if hasattr(os, "killpg"):
            os.killpg(pid, 9)
        else:
            os.kill(pid, 9)
    except OSError:
        # It has ended meanwhile.
        pass


def reason(complaint: bytes) -> str:
    """Git's own words, where they tell a user more than that there is nothing."""
    text = complaint.decode("utf-8", "replace").strip()
    if "does not have any commits" in text or "bad default revision" in text:
        return NO_COMMITS
    if "Needed a single revision" in text or "unknown revision" in text:
        return NO_REVISION
    if "not a git repository" in text:
        return NO_REPOSITORY
    first = "it ended without a word"
    if text:
        first = text.split("\n")[0].removeprefix("fatal: ")
    printable = "".join(char if char.isprintable() else " " for char in first)
    return f"{UNREADABLE}{printable[:200]}"
