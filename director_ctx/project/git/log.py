"""The one `git log` of an assembly: started early, read late, stopped as soon as enough is known.

Nothing here writes, asks the network, opens a pager or runs anything that a repository's own
configuration names.
"""

from __future__ import annotations

import os

from director_ctx.base.system.due import until
from director_ctx.project.git.child import NO_ANSWER, start
from director_ctx.project.git.recent import Commit
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from director_ctx.project.git.child import Child

MOST_COMMITS = 200
SECONDS = 10.0
"""For an answer, where the door does not have to have its own sooner."""
LOG_SECONDS = 30.0
"""For a walk through thousands of commits, or through the content of files."""
MOST_BYTES = 256_000_000
_FOLDER = FOLDER.encode("ascii")
SAFE = (
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "protocol.allow=never",
)
LOG = ("log", "--no-merges", "--no-color", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-renames",
        "--no-notes", "--encoding=UTF-8", "-z", "--name-status", "--format=%x00%P %s")  # fmt: skip
"""A commit's parent and subject, then a letter and a path for each of its files. Merges, which have
more parents, are not asked for. Renames are not looked for: that reads the files, which may be
many, or not be here at all.
"""
_OURS = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
"""How variables of git begin that say which settings are the user's, and where to look for a
repository.
"""
_FIXED = {
    "LC_ALL": "C.UTF-8", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}  # fmt: skip


class History:
    """A `git log` on its way. `commits()` yields the newest first; `why` says what went wrong, if
    anything.
    """

    def __init__(self, root: str, revision: str = "") -> None:
        self.why = ""
        # A revision was found by git itself, in a repository that may be a bare one.
        there = bool(revision) or in_repository(root)
        early = None if revision else _EARLY.pop(root, None)
        self._process = early or (_start(root, revision) if there else None)
        if self._process is None:
            self.why = "git is not installed" if there else "this is not a git repository"

    def commits(self) -> Iterator[Commit]:
        process, whole = self._process, None
        if process is None:
            return
        for commit in parse_log(process.chunks()):
            if whole:
                yield whole
            whole = commit
        # Of a log that breaks off, the last commit may be half a one.
        if whole and not process.silent:
            yield whole
        self.close()

    @property
    def late(self) -> bool:
        """Whether its time was over before git was done."""
        return self.why == NO_ANSWER

    def close(self) -> None:
        """Ends git if it still runs."""
        process, self._process = self._process, None
        if process:
            self.why = self.why or process.finish()


_EARLY: dict[str, Child | None] = {}


def start_early(root: str) -> None:
    """Starts the log that the next `History` of this project will read: git works while Python
    loads the rest.
    """
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
    """The parent and subject, then letters and paths in turn; the first letter has a newline before
    it.
    """
    parent, _, subject = record[0].partition(b" ")
    elsewhere, changes = False, list[tuple[str, str]]()
    for letter, path in zip(record[1::2], record[2::2], strict=False):
        if _FOLDER in path.split(b"/")[:-1]:
            changes.append((letter.strip().decode("ascii", "replace"), os.fsdecode(path)))
        else:
            elsewhere = True
    line = clean_line(subject.decode("utf-8", "replace"))
    return Commit(line, elsewhere or not changes, tuple(changes), first=not parent)


def clean_line(text: str) -> str:
    """One printable line."""
    if text.isprintable():
        return text
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def environment() -> dict[str, str]:
    """The user's environment without what would point git elsewhere, let it ask anybody, or make it
    write.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_OURS)
    }
    return {**kept, **_FIXED}


def _start(root: str, revision: str = "") -> Child | None:
    arguments = ["git", *SAFE, "-C", root, *LOG, f"-n{MOST_COMMITS}"]
    arguments += [revision, "--"] if revision else []
    try:
        return start(arguments, environment(), until(SECONDS))
    except OSError:
        return None


def answer(*words: str | bytes, given: IO[bytes] | None = None) -> bytes:
    """All that git prints. Raises ValueError with the reason if it fails, or does not come to an
    end.
    """
    child = _child(words, SECONDS, given)
    printed = bytearray()
    for chunk in child.chunks():
        printed += chunk
        if len(printed) > MOST_BYTES:
            break
    why = child.finish()
    if not why and len(printed) > MOST_BYTES:
        why = "git printed without end"
    if why:
        raise ValueError(why.removeprefix("git could not read the history: "))
    return bytes(printed)


def chunks(*words: str | bytes, given: IO[bytes] | None = None) -> Iterator[bytes]:
    """The same as it comes, to whoever knows how much it is."""
    child = _child(words, LOG_SECONDS, given)
    try:
        yield from child.chunks()
    finally:
        why = child.finish()
    if why:
        raise ValueError(why)


def _child(words: tuple[str | bytes, ...], seconds: float, given: IO[bytes] | None) -> Child:
    try:
        return start(["git", *SAFE, *words], environment(), until(seconds), given)
    except OSError as error:
        raise ValueError("git is not installed") from error
    except ValueError as error:  # A NUL in a word.
        raise ValueError("that is no revision") from error
