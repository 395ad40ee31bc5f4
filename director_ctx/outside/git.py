"""The one `git log` of an assembly: started early, read late, stopped as soon as enough is known.

`os.posix_spawn` saves the 8 ms that importing `subprocess` costs. Nothing here writes, asks the
network, opens a pager or runs anything that a repository's own configuration names.
"""

from __future__ import annotations

import os

from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_COMMITS = 200
NO_ANSWER = "git did not answer in time"
DEADLINE = 10.0
_CHUNK = 65536
_FOLDER = b".director"
SAFE = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "protocol.allow=never")
LOG = ("log", "--no-merges", "--no-color", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-renames",
        "--no-notes", "--encoding=UTF-8", "-z", "--name-only")  # fmt: skip
_DROPPED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX",
            "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_TRACE")  # fmt: skip
_FIXED = {
    "LC_ALL": "C.UTF-8", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}  # fmt: skip


class Commit(Record):
    subject: str
    only_folder: bool
    """Whether everything it changed lies inside a `.director/` folder."""


class History:
    """A `git log` on its way. `commits()` yields the newest first; `why` says what went wrong, if anything."""

    def __init__(self, root: str, revision: str = "") -> None:
        self.why = ""
        # A revision was found by git itself, in a repository that may be a bare one.
        there = bool(revision) or in_repository(root)
        early = None if revision else _EARLY.pop(root, None)
        self._process = early or (_start(root, revision) if there else None)
        if self._process is None:
            self.why = "git is not installed" if there else "this is not a git repository"

    def commits(self) -> Iterator[Commit]:
        if self._process is None:
            return
        yield from parse_log(self._process.chunks())
        self.close()

    def close(self) -> None:
        """Ends git if it still runs."""
        process, self._process = self._process, None
        if process:
            self.why = self.why or process.finish()


_ALIVE: set[int] = set()


def end_all() -> None:
    """Ends whatever git still runs for this process, which is about to end itself."""
    for pid in tuple(_ALIVE):
        try:
            os.kill(pid, 9)
        except OSError:
            pass  # it has ended meanwhile


_EARLY: dict[str, _Spawned | _Popen | None] = {}


def start_early(root: str) -> None:
    """Starts the log that the next `History` of this project will read: git works while Python loads the rest."""
    if root not in _EARLY and in_repository(root):
        _EARLY[root] = _start(root)


def forget_early(root: str) -> None:
    """Ends a log that nobody came to read."""
    early = _EARLY.pop(root, None)
    if early:
        early.finish()


def in_repository(root: str) -> bool:
    """Whether git would find a repository here; spares a process where it would not."""
    return bool(working_tree(root))


def working_tree(root: str) -> str:
    """The top of the working tree that a folder is in; an empty string where it is in none."""
    here = os.path.realpath(root)
    while not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return ""
        here = parent
    return here


def parse_log(chunks: Iterator[bytes]) -> Iterator[Commit]:
    """Commits out of the log, as soon as each is complete."""
    return map(_commit, records(chunks))


def records(chunks: Iterator[bytes]) -> Iterator[list[bytes]]:
    """The fields of one commit after the other. An empty field stands before each."""
    record = list[bytes]()
    for field in fields(chunks):
        if field:
            record.append(field)
        elif record:
            yield record
            record = []
    if record:
        yield record


def fields(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """What stands between the NULs of git's `-z`, as it comes."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
    if rest:
        yield rest


def _commit(record: list[bytes]) -> Commit:
    """The id and subject, then the paths; the first path has a newline before it."""
    names = [name.lstrip(b"\n") for name in record[1:]]
    inside = bool(names) and all(_FOLDER in name.split(b"/")[:-1] for name in names)
    subject = record[0].partition(b" ")[2].decode("utf-8", "replace")
    return Commit(clean_line(subject), inside)


def clean_line(text: str) -> str:
    """One printable line."""
    if text.isprintable():
        return text
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def environment() -> dict[str, str]:
    """The user's environment without what would point git elsewhere or let it ask anybody."""
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    return {**kept, **_FIXED}


def _start(root: str, revision: str = "") -> _Spawned | _Popen | None:
    arguments = ["git", *SAFE, "-C", root, *LOG, f"-n{MOST_COMMITS}", "--format=%x00%H %s"]
    arguments += [revision, "--"] if revision else []
    try:
        return _Spawned(arguments) if hasattr(os, "posix_spawnp") else _Popen(arguments)
    except OSError:
        return None


class _Spawned:
    """A child made by `posix_spawn`, with its two streams on pipes."""

    def __init__(self, arguments: list[str]) -> None:
        self.out, out_end = os.pipe()
        self.err, err_end = os.pipe()
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, out_end, 1),
            (os.POSIX_SPAWN_DUP2, err_end, 2),
        ]
        try:
            self.pid = os.posix_spawnp(arguments[0], arguments, environment(), file_actions=actions)
            _ALIVE.add(self.pid)
        except OSError:
            os.close(self.out)
            os.close(self.err)
            raise
        finally:
            os.close(out_end)
            os.close(err_end)
        self.ended = self.silent = False
        self.said = b""

    def chunks(self) -> Iterator[bytes]:
        """What git prints, as it comes; what it complains of is kept aside, so that neither stream stalls."""
        import select

        poll, open_ends = select.poll(), {self.out, self.err}
        for stream in open_ends:
            poll.register(stream, select.POLLIN)
        while open_ends and (ready := poll.poll(DEADLINE * 1000)):
            for stream, _ in ready:
                chunk = os.read(stream, _CHUNK)
                if not chunk:
                    poll.unregister(stream)
                    open_ends.discard(stream)
                elif stream == self.err:
                    self.said = (self.said + chunk)[:_CHUNK]
                else:
                    yield chunk
        self.ended, self.silent = not open_ends, bool(open_ends)

    def finish(self) -> str:
        """Ends the child if it still runs; a reason if it failed by itself."""
        if not self.ended:
            os.kill(self.pid, 9)
        os.close(self.out)
        os.close(self.err)
        _ALIVE.discard(self.pid)
        _, status = os.waitpid(self.pid, 0)
        if self.silent:
            return NO_ANSWER
        return reason(self.said) if self.ended and status else ""


class _Popen:
    """The same for systems without `posix_spawn`."""

    def __init__(self, arguments: list[str]) -> None:
        import subprocess

        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        self.child = subprocess.Popen(arguments, stdin=null, stdout=pipe, stderr=pipe, env=environment())
        _ALIVE.add(self.child.pid)
        self.why = ""

    def chunks(self) -> Iterator[bytes]:
        import subprocess

        try:
            output, said = self.child.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self.why = NO_ANSWER
            return
        self.why = reason(said) if self.child.returncode else ""
        yield output

    def finish(self) -> str:
        _ALIVE.discard(self.child.pid)
        self.child.kill()
        self.child.communicate()
        return self.why


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
    return "git could not read the history: " + "".join(char if char.isprintable() else " " for char in first)[:200]
