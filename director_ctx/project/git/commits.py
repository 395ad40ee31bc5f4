"""What a repository's history says: the files at HEAD, and what each commit did to which path.

Git only reads, is bounded in time and in commits, and runs nothing that the repository's own
configuration names.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.project.git.ask import answer, streamed_answer
from director_ctx.project.git.child import NO_COMMITS, NO_REVISION
from director_ctx.project.git.log import clean_line, fields, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from typing import IO


MOST_COMMITS = 2000
_LATEST = 4_000_000_000
"""Seconds. A commit's time may be any number, and a later one is no date for Python everywhere."""
_DIFF = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "-z",
    "--raw",
    "-M100%",
    "--no-rename-empty",
)
_LOG = (
    "log",
    "--no-color",
    "--no-show-signature",
    "--no-notes",
    "--encoding=UTF-8",
    *_DIFF,
    f"-n{MOST_COMMITS}",
    "--format=%x00%H %h %ct %P%n%s",
)
_NET = ("diff-tree", "--stdin", "-r", "-R", "--no-abbrev", *_DIFF)


class Unknown(DctxError):
    """Git cannot say, and why."""


class Here(Record):
    """Where in which repository a folder is."""

    head: str
    prefix: str
    """The folder's path in the repository, with a slash at the end; empty at its root."""
    shallow: bool


class PathStep(Record):
    """What happened to the bytes of one path, as git's letter; and where they went if only the name
    changed.
    """

    letter: str
    path: str
    moved_to: str = ""


class HistoryCommit(Record):
    id: str
    short: str
    time: int
    parents: tuple[str, ...]
    subject: str
    steps: tuple[PathStep, ...]


def locate_here(root: str) -> Here:
    printed = _answer(
        root, "rev-parse", "--show-prefix", "--is-shallow-repository", "HEAD^{commit}"
    )
    # From the end, because the name of a folder may have a newline in it.
    prefix, shallow, head = printed.removesuffix(b"\n").rsplit(b"\n", 2)
    return Here(
        head=head.decode("ascii"),
        prefix=os.fsdecode(prefix),
        shallow=shallow == b"true",
    )


def files_at(root: str, commit: str) -> dict[str, str]:
    """Every path of a commit and the id of its content."""
    files: dict[str, str] = {}
    printed = _answer(root, "ls-tree", "-r", "-z", "--full-tree", commit)
    for line in printed.split(b"\0"):
        if not line:
            continue
        about, _, path = line.partition(b"\t")
        _mode, _kind, content_id = about.split()
        files[os.fsdecode(path)] = content_id.decode("ascii")
    return files


def commits_from(
    root: str,
    commit: str,
    matters: Callable[[str], bool],
) -> Iterator[HistoryCommit]:
    """The commits behind one, newest first, with what they did to the paths that matter. Merges do
    nothing by themselves.
    """
    log = _streamed_answer(root, *_LOG, commit, "--")
    for head, *changes in records(log):
        steps: list[PathStep] = []
        words = iter(changes)
        for word in words:
            # Takes the paths behind the word from the same iterator.
            for step in _steps(word, words):
                if matters(step.path):
                    steps.append(step)
        yield _commit(head, tuple(steps))


def _commit(head: bytes, steps: tuple[PathStep, ...]) -> HistoryCommit:
    about, _, subject = head.partition(b"\n")
    id, short, seconds, *parents = about.decode("ascii").split(" ")
    time = 0
    if seconds.isdigit():
        time = min(int(seconds), _LATEST)
    return HistoryCommit(
        id=id,
        short=short,
        time=time,
        # A first commit has one parent without a name.
        parents=tuple(filter(None, parents)),
        subject=clean_line(subject.decode("utf-8", "replace")),
        steps=steps,
    )


def net_steps(
    root: str,
    bases: Iterable[str],
    commit: str,
    paths: Container[str],
) -> dict[str, dict[str, PathStep]]:
    """What differs between each of some older commits and one, by base and path, whatever happened
    in between.
    """
    # Needed only where a cited file was touched, which most projects never get to.
    from tempfile import TemporaryFile

    steps_of: dict[str, dict[str, PathStep]] = {}
    for base in bases:
        steps_of[base] = {}
    if not steps_of:
        return {}
    # In a file: a pipe could fill up while git waits for somebody to read its answers.
    with TemporaryFile() as given:
        for base in steps_of:
            given.write(f"{base} {commit}\n".encode("ascii"))
        given.seek(0)
        base = ""
        words = fields(_streamed_answer(root, *_NET, given=given))
        for word in words:
            if not word.startswith(b":"):
                # What follows is about this one.
                base = word.decode("ascii")
                continue
            for step in _steps(word, words):
                if step.path in paths:
                    steps_of[base][step.path] = step
    return steps_of


def _steps(about: bytes, words: Iterator[bytes]) -> Iterator[PathStep]:
    """`:mode mode blob blob M`, then the path; `R100` with the old and the new one is both. Modes
    alone are nothing.
    """
    *_, before, after, kind = about.split(b" ")
    letter = kind[:1].decode("ascii", "replace")
    path = os.fsdecode(next(words, b""))
    if letter == "R":
        new_path = os.fsdecode(next(words, b""))
        yield PathStep("D", path, new_path)
        yield PathStep("A", new_path)
    elif letter != "M" or before != after:
        yield PathStep(letter, path)


def _answer(root: str, *words: str) -> bytes:
    """Raises `Unknown` if git fails or takes too long."""
    try:
        return answer(root, *words)
    except ValueError as error:
        raise _unknown(error) from error


def _streamed_answer(
    root: str,
    *words: str,
    given: IO[bytes] | None = None,
) -> Iterator[bytes]:
    try:
        yield from streamed_answer(root, *words, given=given)
    except ValueError as error:
        raise _unknown(error) from error


def _unknown(error: ValueError) -> Unknown:
    """A revision that is missing here can only be HEAD."""
    why = str(error)
    if why == NO_REVISION:
        why = NO_COMMITS
    return Unknown(why)
