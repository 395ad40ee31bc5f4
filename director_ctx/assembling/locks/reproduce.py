"""Makes the context of a lock again, from the revision that it names, and says where it differs and
why.
"""

from __future__ import annotations

import os
import tempfile

from director_ctx import __version__
from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.locks.compare import CHANGED, SAME, Comparison, compare
from director_ctx.assembling.locks.lock import SHIPPED, instructions_source, locked
from director_ctx.assembling.locks.lockfile import Lock, Locked, Origin
from director_ctx.assembling.material import reference_in_folder
from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record
from director_ctx.context.settings.tags import RECENT
from director_ctx.project.git.revision import commit_id, is_shallow, unpack, unpack_file
from director_ctx.project.past import Past
from director_ctx.project.project import Project
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.tasks.names import find_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from director_ctx.context.assembly import Assembly


class Again(Record):
    """A context that was made again, beside what the lock says of it."""

    assembly: Assembly
    comparison: Comparison
    identical: bool
    reasons: tuple[str, ...]
    """Why it is not the same, as far as that is known."""
    by_section: dict[str, tuple[str, ...]]


def make_again(repository: str, lock: Lock) -> Again:
    """The context as the lock's revision has it. Only git's objects are read, and no other file of
    the disk.
    """
    origin = _known(repository, lock)
    with tempfile.TemporaryDirectory(prefix="dctx-") as place:
        try:
            files = _unpack_references(repository, origin, lock, place)
            project = _project(repository, origin, lock, place)
        except ValueError as error:
            raise DctxError(
                f"The revision cannot be read: {error}.", "Mend the repository, or try a clone."
            ) from error
        references, lost = _references(project, files, lock)
        assembly = _assembly(project, lock, references)
        source = instructions_source(project, lock.agent)
    comparison = compare(lock.sections, locked(assembly))
    identical = text_digest(assembly.text) == lock.sha256
    reasons = (
        ()
        if identical
        else (*_reasons(lock, assembly, source, lost), *_commits_missing(repository, assembly))
    )
    return Again(assembly, comparison, identical, reasons, _by_section(lock, comparison, project))


def _known(repository: str, lock: Lock) -> Origin:
    """The revision, if this repository has it."""
    if lock.git is None:
        hint = "A context can be made again only from a revision of a git repository."
        raise DctxError("The lock names no revision: there was none when it was made.", hint)
    for commit in filter(None, (lock.git.commit, lock.git.changes)):
        try:
            commit_id(repository, commit)
        except ValueError as error:
            hint = "Run this in the repository that the lock was made in, with its whole history."
            if is_shallow(repository):
                hint = "This clone is shallow; `git fetch --unshallow` may bring the commit."
            raise DctxError(f"The commit {commit[:12]} cannot be found: {error}.", hint) from error
    return lock.git


def _unpack_references(repository: str, origin: Origin, lock: Lock, place: str) -> dict[str, str]:
    """The files that `--ref` named outside `.director/`. They come first, while there is no link to
    be led astray by.

    One in the project is called by its path there, so it has to lie there; any other by its name
    alone.
    """
    found: dict[str, str] = {}
    for index, one in enumerate(lock.references):
        parts = one.shown.split("/")
        if not one.path or parts[0].casefold() == FOLDER:
            continue
        inside = not origin.project or one.path.startswith(f"{origin.project}/")
        location = os.path.join(place, "project" if inside else str(index), *parts)
        if location in found.values() or unpack_file(repository, origin.commit, one.path, location):
            found[one.name] = location
    return found


def _project(repository: str, origin: Origin, lock: Lock, place: str) -> Project:
    root = os.path.join(place, "project")
    os.makedirs(root, 0o700, exist_ok=True)
    unpack(repository, origin.commit, origin.folder, os.path.join(root, FOLDER))
    project = Project(root)
    own = lock.instructions.get("source") != SHIPPED
    project.past = Past(repository, origin.commit, origin.changes, lock.stale, own)
    return project


def _references(
    project: Project, files: Mapping[str, str], lock: Lock
) -> tuple[list[str], list[str]]:
    """What `--ref` means here: files in our own folder, documents in `.director/`; and what is not
    there.

    A name that is neither is never looked up on the disk.
    """
    shown = {one.name: one.shown for one in lock.references}
    found, lost = list[str](), list[str]()
    for name in lock.options.get("ref", ()):
        own = shown.get(name, name)
        if name in files:
            found.append(files[name])
        elif reference_in_folder(project, own):
            found.append(own)
        else:
            lost.append(name)
    return found, lost


def _assembly(project: Project, lock: Lock, references: list[str]) -> Assembly:
    options: dict[str, Any] = {
        **_next_then(project, lock),
        **lock.options,
        "ref": references,
        "counter": lock.counter,
    }
    try:
        return assemble(project, lock.agent, **options)
    except DctxError as error:
        unlike = (
            f" {len(lock.unreproducible)} files were not as in that revision."
            if lock.unreproducible
            else ""
        )
        raise DctxError(
            f"The context cannot be made again: {error.message}{unlike}", error.hint
        ) from error


def _next_then(project: Project, lock: Lock) -> dict[str, str]:
    """The task that was next then. By files that were never committed, it need not be the next in
    the revision.
    """
    try:
        find_task(project, lock.task, lock.options.get("goal"), lock.options.get("step"))
    except DctxError:
        return {}
    return {"task": lock.task}


def _reasons(
    lock: Lock, assembly: Assembly, source: dict[str, str], lost: list[str]
) -> Iterator[str]:
    for name in lost:
        yield f"{name}, named with --ref, is not in that revision"
    for one in sorted(lock.unreproducible, key=lambda one: not one.used):
        yield f"{one.path} was not as in that revision when the lock was made: {one.how}"
    if lock.dctx != __version__:
        yield f"the lock was made with dctx {lock.dctx}, and this is {__version__}"
    if source != lock.instructions:
        yield f"the instructions for {lock.agent} are others"
    if (assembly.budget.window, assembly.budget.limit) != (
        lock.budget["window"],
        lock.budget["limit"],
    ):
        yield f"the limit was {lock.budget['limit']:,} tokens, and is {assembly.budget.limit:,}"
    if assembly.budget.used != lock.budget["used"] and lock.counter == "calibrated":
        yield "the tokens were counted by a calibration, and each user has their own"


def _commits_missing(repository: str, assembly: Assembly) -> Iterator[str]:
    """What keeps this clone from telling of the same recent changes."""
    if is_shallow(repository):
        yield "this clone is shallow: commits before its first are not known here"
    for one in assembly.omissions:
        if one.what == RECENT:
            yield f"recent changes are left out: {one.why}"


def _by_section(lock: Lock, comparison: Comparison, project: Project) -> dict[str, tuple[str, ...]]:
    """For each section that is not the same, those of its files that are not."""
    now = {path: text_digest(document.text) for path, document in project.documents_read().items()}
    how = {path: CHANGED for path, sha256 in lock.files.items() if now.get(path, sha256) != sha256}
    how |= {one.path: one.how for one in lock.unreproducible}
    found = {}
    for one in comparison.sections:
        sources = [
            path for told in (one.old, one.new) if isinstance(told, Locked) for path in told.sources
        ]
        if one.what != SAME:
            found[one.tag] = tuple(
                f"{path} ({how[path]})" for path in dict.fromkeys(sources) if path in how
            )
    return found
