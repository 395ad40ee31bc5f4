"""A git at work: heard until it ends or until its time is over, and ended with whatever it started.

`os.posix_spawn` saves the 8 ms that importing `subprocess` costs. Git, or what somebody has put in
its place, may hang, speak for ever, ignore signals, or leave a process behind that keeps its pipes
open: none of it is waited for.
"""

from __future__ import annotations

import os
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from subprocess import Popen
    from typing import IO

NO_ANSWER = "git did not answer in time"
_CHUNK = 65_536
_LOOK = 0.05
"""Seconds without a word after which it is looked whether git is still there."""
_BURIAL = 0.2
"""Seconds for the system to take a killed process away; one that waits for a dead disk stays
longer.
"""
_alive: set[int] = set()


def start(
    arguments: Sequence[str | bytes],
    environment: Mapping[str, str],
    until: float,
    given: IO[bytes] | None = None,
) -> Child:
    """Starts git, with what it is `given` on standard input. Raises OSError where there is none."""
    if hasattr(os, "posix_spawnp"):
        return GitChild(arguments, environment, until, given)
    import subprocess

    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    process = subprocess.Popen(
        list(arguments), stdin=given or null, stdout=pipe, stderr=pipe, env=dict(environment)
    )
    return Piped(process, until)


def end_all() -> None:
    """Ends whatever git still runs for this process, which is about to end itself."""
    for pid in tuple(_alive):
        _kill_group(pid)


class Child:
    """What both kinds have in common. `silent` says that its time was over before it had said
    everything.
    """

    def __init__(self, pid: int, until: float) -> None:
        self.pid, self.until = pid, until
        self.silent = False
        self.said = b""
        self._streams = 2
        self._heard_out = False
        _alive.add(pid)

    def chunks(self) -> Iterator[bytes]:
        """What git prints, as it comes; what it complains of is kept aside, so that neither stream
        stalls.
        """
        gone = False
        while self._streams:
            left = self.until - monotonic()
            if left <= 0:
                self.silent = True
                return
            chunk = self._hear(min(left, _LOOK))
            if chunk:
                yield chunk
            elif chunk is None and gone:
                self._kill()  # Whoever still holds its pipes is not git.
                break
            elif chunk is None:
                gone = self._status() is not None
        self._heard_out = True

    def finish(self) -> str:
        """Ends git if it still runs; a reason if it failed by itself."""
        status = self._wait(self.until) if self._heard_out else None
        if status is None:
            self._kill()
            self._wait(monotonic() + _BURIAL)
            self.silent = self.silent or self._heard_out
        self._close()
        _alive.discard(self.pid)
        if self.silent:
            return NO_ANSWER
        return reason(self.said) if status else ""

    def _wait(self, until: float) -> int | None:
        while (status := self._status()) is None and monotonic() < until:
            sleep(0.0005)
        return status

    def _complained(self, chunk: bytes) -> None:
        self.said = (self.said + chunk)[:_CHUNK]

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


class GitChild(Child):
    """Made by `posix_spawn`, in a process group of its own, with its two streams on pipes."""

    def __init__(
        self,
        arguments: Sequence[str | bytes],
        environment: Mapping[str, str],
        until: float,
        given: IO[bytes] | None,
    ) -> None:
        import select

        self._out, out_end = os.pipe()
        self._err, err_end = os.pipe()
        nothing = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
        actions = [
            (os.POSIX_SPAWN_DUP2, given.fileno(), 0) if given else nothing,
            (os.POSIX_SPAWN_DUP2, out_end, 1),
            (os.POSIX_SPAWN_DUP2, err_end, 2),
        ]
        try:
            pid = os.posix_spawnp(
                arguments[0], [*arguments], environment, file_actions=actions, setpgroup=0
            )
        except (OSError, ValueError):
            self._close()
            raise
        finally:
            os.close(out_end)
            os.close(err_end)
        super().__init__(pid, until)
        self._ended: int | None = None
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    def _hear(self, seconds: float) -> bytes | None:
        ready = self._poll.poll(seconds * 1000)
        if not ready:
            return None
        stream = ready[0][0]
        chunk = os.read(stream, _CHUNK)
        if not chunk:
            self._poll.unregister(stream)
            self._streams -= 1
        elif stream == self._err:
            self._complained(chunk)
            return b""
        return chunk

    def _status(self) -> int | None:
        if self._ended is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # A program that uses dctx takes its children's ends itself.
                pid, status = self.pid, 0
            self._ended = status if pid else None
        return self._ended

    def _kill(self) -> None:
        _kill_group(self.pid)

    def _close(self) -> None:
        os.close(self._out)
        os.close(self._err)


class Piped(Child):
    """Made by `subprocess`, or by somebody who uses it: each stream is heard by a thread."""

    def __init__(self, process: Popen[bytes], until: float) -> None:
        from queue import SimpleQueue
        from threading import Thread

        super().__init__(process.pid, until)
        self._process = process
        self._words: SimpleQueue[tuple[IO[bytes], bytes]] = SimpleQueue()
        assert process.stdout and process.stderr
        streams = (process.stdout, process.stderr)
        self._listeners = [
            Thread(target=self._listen, args=(stream,), daemon=True) for stream in streams
        ]
        for listener in self._listeners:
            listener.start()

    def _listen(self, stream: IO[bytes]) -> None:
        """To its end. Whoever holds the pipe after git is gone holds this thread as well, and
        nothing else.
        """
        try:
            while chunk := os.read(stream.fileno(), _CHUNK):
                self._words.put((stream, chunk))
        except (OSError, ValueError):
            pass  # It was closed meanwhile.
        self._words.put((stream, b""))

    def _hear(self, seconds: float) -> bytes | None:
        from queue import Empty

        try:
            stream, chunk = self._words.get(timeout=seconds)
        except Empty:
            return None
        if not chunk:
            self._streams -= 1
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
        for listener, stream in zip(
            self._listeners, (self._process.stdout, self._process.stderr), strict=True
        ):
            listener.join(_BURIAL)
            if stream and not listener.is_alive():
                stream.close()


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
        pass  # it has ended meanwhile


def reason(said: bytes) -> str:
    """Git's own words, where they tell a user more than that there is nothing."""
    text = said.decode("utf-8", "replace").strip()
    if "does not have any commits" in text or "bad default revision" in text:
        return "the repository has no commits yet"
    if "Needed a single revision" in text or "unknown revision" in text:
        return "there is no such revision"
    if "not a git repository" in text:
        return "this is not a git repository"
    first = text.split("\n")[0].removeprefix("fatal: ") if text else "it ended without a word"
    return (
        "git could not read the history: "
        + "".join(char if char.isprintable() else " " for char in first)[:200]
    )
