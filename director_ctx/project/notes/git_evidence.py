"""Which notes cite files that changed or vanished since the note was written, and the commits that
made it so.
"""

from __future__ import annotations

import os
from itertools import chain

from director_ctx.project.git.child import NO_COMMITS, NO_GIT
from director_ctx.project.git.commits import (
    MOST_COMMITS,
    Unknown,
    commits_from,
    files_at,
    locate_here,
    net_steps,
)
from director_ctx.project.notes.evidence import Evidence, StaleNote
from director_ctx.project.notes.path_history import Matters, PathHistory, Tree
from director_ctx.project.notes.walk import Walk, Written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.project.git.commits import Here, PathStep
    from director_ctx.project.notes.evidence import Cited, CodeChange


CUT = f"only the newest {MOST_COMMITS:,} commits were looked at"
SHALLOW = "this clone is shallow: its history does not reach back to when the notes were written"
UNFOUND = "the commits that wrote some of the notes are not in this history"
REMEDIES = {
    CUT: "Look through the notes that were written before these, and write them again.",
    SHALLOW: "Fetch the whole history: `git fetch --unshallow`, or `fetch-depth: 0` where CI checks out.",
    UNFOUND: "Write those notes again, in a commit of their own that is no merge.",
    NO_COMMITS: "Commit the notes and the files that they cite.",
    NO_GIT: "Install git.",
}
REMEDY = "Run this in a clone with its whole history, where git can read it."


def gather(root: str, notes: Sequence[Cited]) -> Evidence:
    """The verdict on every note. Without an answer from git there is no evidence, and `why` says
    it.
    """
    hashes = {note.path: note.sha256 for note in notes}
    try:
        here = locate_here(root)
        files = files_at(root, here.head)
        written = {note: _written(root, here, files, note) for note in notes}
        matters = Matters(here.prefix, notes, written.values())
        commits = commits_from(root, here.head, matters)
        walk = Walk(commits, here.head, written.values())

        known: dict[Cited, Written] = {}
        why = ""
        for note, where in written.items():
            why_not = _unknown(walk, here, where)
            why = why or why_not
            if not why_not:
                known[note] = where
        tree = Tree(here.prefix, files)
        stale = tuple(_stale(root, walk, tree, known))
    except Unknown as error:
        return Evidence("", hashes, (), error.message)

    if not why and not walk.whole:
        why = CUT
    return Evidence(here.head, hashes, stale, why)


def _written(
    root: str,
    here: Here,
    files: Mapping[str, str],
    note: Cited,
) -> Written:
    """Where a note is in the repository; and when it was saved, if that is not what the last commit
    has.
    """
    location = os.path.realpath(note.location)
    inside = os.path.relpath(location, os.path.realpath(root))
    place = here.prefix + inside.replace(os.sep, "/")
    committed = files.get(place)
    if committed is not None and committed in _blob_ids(note.data, committed):
        return Written(place)
    saved = os.stat(note.location).st_mtime
    return Written(place, int(saved))


def _blob_ids(data: bytes, like: str) -> Iterator[str]:
    """What git calls such content, with the line endings as they are and as git may have stored
    them.
    """
    # Here and not above: `status` without anything new does without OpenSSL.
    from hashlib import new

    algorithm = "sha1" if len(like) == 40 else "sha256"
    for content in (data, data.replace(b"\r\n", b"\n")):
        blob = b"blob %d\0%b" % (len(content), content)
        # A name, and no protection: so it is there on systems that forbid SHA-1, too.
        yield new(algorithm, blob, usedforsecurity=False).hexdigest()


def _unknown(walk: Walk, here: Here, note: Written) -> str:
    """Why nothing can be said about a note."""
    wrote = walk.wrote[note]
    if here.shallow:
        for commit in (*wrote, *walk.since(note)):
            # Here the clone was cut off.
            if not commit.parents:
                return SHALLOW
    is_committed = note.time is None
    if is_committed and not wrote and walk.whole:
        return UNFOUND
    return ""


def _stale(
    root: str,
    walk: Walk,
    tree: Tree,
    notes: Mapping[Cited, Written],
) -> Iterator[StaleNote]:
    """The notes that cite what commits have touched since, if it is not again what it was."""
    touched: dict[Cited, dict[str, CodeChange]] = {}
    bases: dict[Cited, list[str]] = {}
    paths: set[str] = set()
    for note, written in notes.items():
        history = PathHistory(tree, walk.since(written))
        changes = history.changes(note.paths)
        if changes:
            touched[note] = changes
            bases[note] = walk.bases(written)
            paths.update(changes)

    # One question for all notes: each process costs milliseconds.
    net = net_steps(root, chain.from_iterable(bases.values()), walk.head, paths)
    for note, changes in touched.items():
        since_bases = [net[base] for base in bases[note]]
        changed = tuple(_lasting(tree, changes, since_bases))
        if changed:
            since = _since(walk, notes[note])
            yield StaleNote(note.path, note.sha256, since, changed)


def _lasting(
    tree: Tree,
    touched: Mapping[str, CodeChange],
    net: Sequence[Mapping[str, PathStep]],
) -> Iterator[CodeChange]:
    """What differs from everything that whoever wrote the note can have seen. A folder that
    vanished does.
    """
    for path, change in touched.items():
        differing = 0
        moved_to = ""
        for steps in net:
            step = steps.get(path)
            if step is None or step.letter == "A":
                continue
            differing += 1
            moved_to = moved_to or step.moved_to
        is_folder = path.endswith("/")
        if differing < len(net) and not is_folder:
            continue

        if change.moved_to:
            yield change
        else:
            yield change.replace(moved_to=tree.shown(moved_to))


def _since(walk: Walk, note: Written) -> str:
    """When a note was written, if that is known."""
    if note.time is not None:
        return _in_words(note.time)
    wrote = walk.wrote[note]
    if not wrote:
        return ""
    return _in_words(wrote[0].time)


def _in_words(time: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
