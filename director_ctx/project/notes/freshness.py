"""Which notes are older than the files that they name: by one `git log`, asked only where a note or HEAD is new."""

from __future__ import annotations

import os
import re
from posixpath import dirname, join, normpath
from time import gmtime, strftime

from director_ctx.base.hashing import digest
from director_ctx.base.record import Record
from director_ctx.project.git import NO_REPOSITORY
from director_ctx.project.git.repository import head_id, repository
from director_ctx.project.notes.stale_notes import (
    CHANGED,
    VANISHED,
    CodeChange,
    Evidence,
    StaleNote,
    keep_evidence,
    kept_evidence,
    note_bytes,
)
from director_ctx.project.project import note_names
from director_ctx.project.reading.markdown import outside_code
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from director_ctx.project.project import Project

    Steps = dict[str, list[tuple[int, str, str, str, str]]]
    """By path, newest first: which commit, git's letter, the content before and after, and where it moved to."""

MOST_COMMITS = 2000
MOST_COMMITS_NAMED = 20
SHALLOW = "this clone is shallow: its history does not reach back to when the notes were written"
CUT = f"the newest {MOST_COMMITS:,} commits do not say when some of the notes were written"
REMEDY = "Run this in a clone with its whole history: `git fetch --unshallow`, or `fetch-depth: 0` where CI checks out."
_LOG = (
    "log", "--no-color", "--no-show-signature", "--no-notes", "--encoding=UTF-8", "--no-ext-diff", "--no-textconv",
    "--no-relative", "-z", "--raw", "-M100%", "--no-rename-empty", f"-n{MOST_COMMITS}",
    "--format=%x00%h %ct %P%n%s",
)  # fmt: skip
_CITED = r"(?<![`\\])(`+)(?!`)\s*([^`\s]+)\s*\1(?!`)|\]\(<?((?:[^()\s<>]|\([^()\s]*\))+)"
"""A code span without a blank, or the target of a link. Compiled only where a note is looked at anew."""


class Freshness(Record):
    """The notes that are out of date."""

    notes: tuple[StaleNote, ...] = ()
    why: str = ""
    """Why it is not known of all notes, if it is not."""

    @property
    def doubt(self) -> str:
        """The same as it is worth saying unasked: without git nobody expects to know."""
        return "" if self.why == NO_REPOSITORY else self.why


class _Commit(Record):
    short: str
    time: int
    is_first: bool
    subject: str


def freshness(project: Project) -> Freshness:
    """Judges every codebase and research note, or takes what was found before if neither notes nor
    HEAD changed.
    """
    notes: dict[str, bytes] = {}
    for path in _note_paths(project):
        data = note_bytes(project, path)
        if data is not None:
            notes[path] = data
    if not notes:
        return Freshness()
    hashes = {path: digest(data) for path, data in notes.items()}
    head = head_id(project.root)
    known = kept_evidence(project.root)
    # A shallow clone may have got the rest of its history.
    if known and known.hashes == hashes and known.head == head and known.why != SHALLOW:
        return Freshness(known.stale, known.why)

    stale, why = _judged(project, notes)
    if head and why in ("", SHALLOW, CUT):
        keep_evidence(project.root, Evidence(head, hashes, stale, why))
    return Freshness(stale, why)


def _judged(project: Project, notes: Mapping[str, bytes]) -> tuple[tuple[StaleNote, ...], str]:
    """The notes that are out of date, and why it is not known of all, if it is not."""
    cited = {path: tuple(dict.fromkeys(_cited(project, path))) for path in notes}
    if not any(cited.values()):
        return (), ""
    from director_ctx.project.git.child import NO_COMMITS, NO_REVISION, NoAnswer

    git = repository(os.path.realpath(project.root))
    if git is None:
        return (), NO_REPOSITORY
    inner = os.path.relpath(os.path.realpath(project.root), git.top).replace(os.sep, "/")
    prefix = "" if inner == "." else f"{inner}/"
    try:
        commits, steps, written = _history(project, prefix, notes)
    except NoAnswer as error:
        # A revision that is missing can only be HEAD.
        return (), NO_COMMITS if str(error) == NO_REVISION else str(error)

    is_shallow = os.path.exists(os.path.join(git.shared, "shallow"))
    stale: list[StaleNote] = []
    why = ""
    for path in notes:
        newer, time = written.get(path, (len(commits), 0.0))
        writer = commits[newer : newer + 1]
        if is_shallow and (not writer or writer[0].is_first):
            why = SHALLOW
        elif path not in written:
            why = why or CUT
        else:
            changes = [_change(prefix, one, newer, steps, commits) for one in cited[path]]
            changed = tuple(filter(None, changes))
            if changed:
                since = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(time))
                stale.append(StaleNote(path, since, changed))
    return tuple(stale), why


def _note_paths(project: Project) -> Iterator[str]:
    """Every note that describes code or what was found out: by folder, then by step."""
    for name in ("codebase", "research"):
        folder = f"{FOLDER}/{name}"
        for note in note_names(project, folder):
            yield f"{folder}/{note}.md"
    for goal in project.goals():
        for step in project.steps(goal):
            if "RESEARCH.md" in project.listing(step.path):
                yield f"{step.path}/RESEARCH.md"


def _cited(project: Project, note: str) -> Iterator[str]:
    """The paths in a note's code spans and links. `../` leads up from the note, everything else starts at the root."""
    from urllib.parse import unquote

    for _, _, line in outside_code(project.text(note)):
        for _, span, target in re.findall(_CITED, line):
            # Without a place in the page, a line of the file, the end of a sentence, and brackets of a call.
            path = (span or unquote(target)).partition("#")[0].partition(":")[0]
            path = path.replace("\\", "/").rstrip(".,;!").removesuffix("()")
            path = normpath(join(dirname(note) if path.startswith("../") else "", path))
            # What is in `.director/` is about the project, not of it.
            if FOLDER not in path.split("/"):
                yield path


def _history(
    project: Project, prefix: str, notes: Mapping[str, bytes]
) -> tuple[list[_Commit], Steps, dict[str, tuple[int, float]]]:
    """The commits back to the oldest note, what they did to each path, and of each note how many are newer and when it
    was written.
    """
    from director_ctx.project.git.child import answer, streamed_answer
    from director_ctx.project.git.log import records

    root = project.root
    printed = answer(
        root, "ls-tree", "-z", "--full-tree", "HEAD", "--", *(prefix + path for path in notes)
    )
    blobs: dict[str, str] = {}
    for line in printed.split(b"\0")[:-1]:
        about, _, place = line.partition(b"\t")
        blobs[os.fsdecode(place)] = about.rpartition(b" ")[2].decode()
    committed: dict[str, str] = {}
    """Notes that are as the last commit has them, by their path in the commit that is looked at."""
    saved: dict[str, float] = {}
    """When each of the others was saved."""
    for path, data in notes.items():
        if blobs.get(prefix + path) in _blob_ids(data):
            committed[prefix + path] = path
        else:
            saved[path] = os.stat(project.location(path)).st_mtime

    commits: list[_Commit] = []
    steps: Steps = {}
    written: dict[str, tuple[int, float]] = {}
    for fields in records(streamed_answer(root, *_LOG, "HEAD", "--")):
        at = len(commits)
        commits.append(_commit(fields[0]))
        touched = list(_steps(fields[1:]))
        for path, letter, before, after, moved_to in touched:
            steps.setdefault(path, []).append((at, letter, before, after, moved_to))
            if moved_to in committed:
                committed[path] = committed.pop(moved_to)
            elif path in committed and letter != "D":
                written[committed.pop(path)] = at, commits[at].time
        for path, time in list(saved.items()):
            if commits[at].time <= time:
                written[path] = at, time
                del saved[path]
        if not committed and not saved:
            break
    for path, time in saved.items():
        written[path] = len(commits), time
    return commits, steps, written


def _blob_ids(data: bytes) -> set[str]:
    """What git calls such content, with the line endings as they are and as git may have stored
    them.
    """
    from hashlib import new

    contents = (data, data.replace(b"\r\n", b"\n"))
    blobs = [b"blob %d\0%b" % (len(content), content) for content in contents]
    # A name, and no protection: so it is there on systems that forbid SHA-1, too.
    return {
        new(algorithm, blob, usedforsecurity=False).hexdigest()
        for algorithm in ("sha1", "sha256")
        for blob in blobs
    }


def _commit(head: bytes) -> _Commit:
    from director_ctx.project.git.log import clean_line

    about, _, subject = head.partition(b"\n")
    short, seconds, *parents = about.decode("ascii").split(" ")
    # A commit's time may be any number, and a first commit has one parent without a name.
    time = min(int(seconds), 4_000_000_000) if seconds.isdigit() else 0
    return _Commit(short, time, not any(parents), clean_line(subject.decode("utf-8", "replace")))


def _steps(fields: list[bytes]) -> Iterator[tuple[str, str, str, str, str]]:
    """`:mode mode blob blob M`, then the path; `R100` with the old and the new one is both."""
    words = iter(fields)
    for word in words:
        _, _, before, after, kind = word.decode("ascii", "replace").split(" ")
        path = os.fsdecode(next(words, b""))
        if kind.startswith("R"):
            new_path = os.fsdecode(next(words, b""))
            yield path, "D", before, "", new_path
            yield new_path, "A", "", after, ""
        else:
            yield path, kind[:1], before, after, ""


def _change(
    prefix: str, cited: str, newer: int, steps: Steps, commits: list[_Commit]
) -> CodeChange | None:
    """What became of a file below the project, else below the repository."""
    path = prefix + cited
    if path not in steps:
        path = cited
    since = [step for step in steps.get(path, ()) if step[0] < newer]
    # Nobody can have written about what was added later.
    if not since or since[-1][1] == "A":
        return None
    _, letter, _, after, moved_to = since[0]
    before = since[-1][2]
    is_gone = letter == "D"
    if not is_gone and after == before:
        # It is again as it was.
        return None
    named = [
        at
        for at, letter, before, after, _ in since
        if (letter == "D") >= is_gone and before != after
    ]
    return CodeChange(
        path=path.removeprefix(prefix),
        what=VANISHED if is_gone else CHANGED,
        moved_to=moved_to.removeprefix(prefix),
        commits=tuple(
            (commits[at].short, commits[at].subject) for at in named[:MOST_COMMITS_NAMED]
        ),
    )
