"""The one runner of git: started so that nothing of the repository is run, heard until it ends or until its
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
from director_ctx.project.git import NO_REPOSITORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO

NO_ANSWER = "git did not answer in time"
NO_GIT = "git is not installed"
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
MOST_BYTES = 256_000_000
AS_IT_IS = ("--no-replace-objects", "--literal-pathspecs")
"""For objects as they are in the repository, whatever it would put in their place, and for paths
that are no patterns.
"""
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


class NoAnswer(ValueError):
    """Git did not do what it was asked for, and why."""


def answer(root: str, *words: str | bytes, given: IO[bytes] | None = None) -> bytes:
    """All that git prints. Raises `NoAnswer` with the reason if it fails, or does not come to an
    end.
    """
    printed = bytearray()
    for chunk in streamed_answer(root, *words, given=given, seconds=SECONDS):
        printed += chunk
        if len(printed) > MOST_BYTES:
            raise NoAnswer("git printed without end")
    return bytes(printed)


def answer_line(root: str, *words: str | bytes) -> str:
    """The one line of an answer that is in ASCII, such as the id of a commit."""
    return answer(root, *words).decode("ascii", "replace").strip()


def streamed_answer(
    root: str,
    *words: str | bytes,
    given: IO[bytes] | None = None,
    seconds: float = LOG_SECONDS,
) -> Iterator[bytes]:
    """The same as it comes; whoever has heard enough ends it."""
    try:
        child = start_git(root, words, seconds, given)
    except OSError as error:
        raise NoAnswer(NO_GIT) from error
    except ValueError as error:
        # A NUL in a word.
        raise NoAnswer("that is no revision") from error
    try:
        yield from child.chunks()
    finally:
        why = child.finish()
    if why:
        raise NoAnswer(why.removeprefix(UNREADABLE))


def start_git(
    root: str,
    words: Sequence[str | bytes],
    seconds: float,
    given: IO[bytes] | None = None,
) -> Child | WholeChild:
    """Starts git in a folder, with what it is `given` on standard input. Raises OSError where there
    is no git, and ValueError for a word with a NUL in it.
    """
    arguments = ["git", *SAFE, "-C", root, *words]
    if hasattr(os, "posix_spawnp"):
        return Child(arguments, until(seconds), given)
    return WholeChild(arguments, seconds, given)


def end_all() -> None:
    """Ends whatever git still runs for this process, which is about to end itself."""
    for pid in tuple(_alive):
        _kill_group(pid)


class Child:
    """Made by `posix_spawn`, in a process group of its own, with its two streams on pipes. `silent`
    says that its time was over before it had said everything.
    """

    def __init__(
        self, arguments: list[str | bytes], deadline: float, given: IO[bytes] | None
    ) -> None:
        # Only whoever starts a git needs it.
        import select

        self._out, out_end = os.pipe()
        self._err, err_end = os.pipe()
        stdin: tuple[object, ...] = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
        if given:
            stdin = (os.POSIX_SPAWN_DUP2, given.fileno(), 0)
        streams = [stdin, (os.POSIX_SPAWN_DUP2, out_end, 1), (os.POSIX_SPAWN_DUP2, err_end, 2)]
        try:
            # A group of its own, so that whatever git starts can be ended with it.
            self.pid = os.posix_spawnp(
                "git", arguments, environment(), file_actions=streams, setpgroup=0
            )
        except (OSError, ValueError):
            self._close()
            raise
        finally:
            os.close(out_end)
            os.close(err_end)
        _alive.add(self.pid)
        self.deadline = deadline
        self.silent = False
        self._complaint = b""
        self._open_streams = 2
        self._heard_out = False
        self._exit_status: int | None = None
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

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
                _kill_group(self.pid)
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
            _kill_group(self.pid)
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

    def _hear(self, seconds: float) -> bytes | None:
        """What is said within this time; empty for what is not for the listener, None for silence."""
        ready = self._poll.poll(seconds * 1000)
        if not ready:
            return None
        stream, _ = ready[0]
        chunk = os.read(stream, _PIECE)
        if not chunk:
            self._poll.unregister(stream)
            self._open_streams -= 1
        elif stream == self._err:
            self._complaint = (self._complaint + chunk)[:_PIECE]
            return b""
        return chunk

    def _status(self) -> int | None:
        """How it ended; None while it runs."""
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

    def _close(self) -> None:
        os.close(self._out)
        os.close(self._err)


def _kill_group(pid: int) -> None:
    """Everything that git started and that did not leave its group."""
    try:
        os.killpg(pid, 9)
    except OSError:
        # It has ended meanwhile.
        pass


class WholeChild:
    """Where there is no `posix_spawn`: a git that is heard when it has ended."""

    def __init__(
        self, arguments: list[str | bytes], seconds: float, given: IO[bytes] | None
    ) -> None:
        from shutil import which

        if which("git") is None:
            raise FileNotFoundError("git")
        self.silent = False
        self._arguments = arguments
        self._seconds = seconds
        self._given = given
        self._why = ""

    def chunks(self) -> Iterator[bytes]:
        import subprocess

        try:
            done = subprocess.run(
                self._arguments,
                stdin=self._given or subprocess.DEVNULL,
                capture_output=True,
                env=environment(),
                timeout=self._seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self.silent = True
            return
        if done.returncode:
            self._why = reason(done.stderr)
        yield done.stdout

    def finish(self) -> str:
        return NO_ANSWER if self.silent else self._why


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
