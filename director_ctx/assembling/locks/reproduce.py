"""Makes the context of a lock again, from the revision that it names, and says where it differs and
why.
"""

from __future__ import annotations

import os
import tempfile

from director_ctx import __version__
from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.locks.compare import (
    CHANGED,
    SAME,
    Comparison,
    SectionDifference,
    compare,
)
from director_ctx.assembling.locks.lock import SHIPPED, instructions_source, locked_sections
from director_ctx.assembling.locks.lockfile import Lock, LockedSection, Origin
from director_ctx.assembling.references import reference_in_folder
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
    with tempfile.TemporaryDirectory(prefix="dctx-") as folder:
        try:
            files = _unpack_references(repository, origin, lock, folder)
            project = _project(repository, origin, lock, folder)
        except ValueError as error:
            raise DctxError(
                f"The revision cannot be read: {error}.",
                "Mend the repository, or try a clone.",
            ) from error
        references, lost = _references(project, files, lock)
        assembly = _assembly(project, lock, references)
        source = instructions_source(project, lock.agent, lock.options.get("layout", ""))

    comparison = compare(lock.sections, locked_sections(assembly))
    is_identical = text_digest(assembly.text) == lock.sha256
    reasons: list[str] = []
    if not is_identical:
        reasons += _reasons(lock, assembly, source, lost)
        reasons += _commits_missing(repository, assembly)
    return Again(
        assembly=assembly,
        comparison=comparison,
        identical=is_identical,
        reasons=tuple(reasons),
        by_section=_by_section(lock, comparison, project),
    )


def _known(repository: str, lock: Lock) -> Origin:
    """The revision, if this repository has it."""
    if lock.git is None:
        hint = "A context can be made again only from a revision of a git repository."
        raise DctxError("The lock names no revision: there was none when it was made.", hint)

    # With --changes there is a second commit that the context was made of.
    for commit in (lock.git.commit, lock.git.changes):
        if not commit:
            continue
        try:
            commit_id(repository, commit)
        except ValueError as error:
            hint = "Run this in the repository that the lock was made in, with its whole history."
            if is_shallow(repository):
                hint = "This clone is shallow; `git fetch --unshallow` may bring the commit."
            raise DctxError(f"The commit {commit[:12]} cannot be found: {error}.", hint) from error
    return lock.git


def _unpack_references(
    repository: str,
    origin: Origin,
    lock: Lock,
    folder: str,
) -> dict[str, str]:
    """The files that `--ref` named outside `.director/`. They come first, while there is no link to
    be led astray by.

    One in the project is called by its path there, so it has to lie there; any other by its name
    alone.
    """
    locations: dict[str, str] = {}
    for index, reference in enumerate(lock.references):
        parts = reference.shown.split("/")
        # Some file systems take another case for the same folder.
        is_directors = parts[0].casefold() == FOLDER
        if not reference.path or is_directors:
            continue

        top = str(index)
        if not origin.project or reference.path.startswith(f"{origin.project}/"):
            top = "project"
        location = os.path.join(folder, top, *parts)
        # Two names may be of one file, which is unpacked once.
        is_there = location in locations.values()
        if not is_there:
            is_there = unpack_file(repository, origin.commit, reference.path, location)
        if is_there:
            locations[reference.name] = location
    return locations


def _project(
    repository: str,
    origin: Origin,
    lock: Lock,
    folder: str,
) -> Project:
    # Out of git's objects: a checkout would run filters and hooks of the repository.
    root = os.path.join(folder, "project")
    os.makedirs(root, 0o700, exist_ok=True)
    unpack(repository, origin.commit, origin.folder, os.path.join(root, FOLDER))

    project = Project(root)
    project.past = Past(
        repository,
        origin.commit,
        origin.changes,
        stale=lock.stale,
        agents=lock.agents,
        own_instructions=lock.instructions.get("source") != SHIPPED,
    )
    return project


def _references(
    project: Project, files: Mapping[str, str], lock: Lock
) -> tuple[list[str], list[str]]:
    """What `--ref` means here: files in our own folder, documents in `.director/`; and what is not
    there.

    A name that is neither is never looked up on the disk.
    """
    shown = {reference.name: reference.shown for reference in lock.references}
    references: list[str] = []
    lost: list[str] = []
    for name in lock.options.get("ref", ()):
        path = shown.get(name, name)
        if name in files:
            references.append(files[name])
        elif reference_in_folder(project, path):
            references.append(path)
        else:
            lost.append(name)
    return references, lost


def _assembly(project: Project, lock: Lock, references: list[str]) -> Assembly:
    # The lock's own options go before the task that was next then, which nobody had named.
    options: dict[str, Any] = {
        **_next_then(project, lock),
        **lock.options,
        "ref": references,
        "counter": lock.counter,
    }
    try:
        return assemble(project, lock.agent, **options)
    except DctxError as error:
        message = f"The context cannot be made again: {error.message}"
        if lock.unreproducible:
            message += f" {len(lock.unreproducible)} files were not as in that revision."
        raise DctxError(message, error.hint) from error


def _next_then(project: Project, lock: Lock) -> dict[str, str]:
    """The task that was next then. By files that were never committed, it need not be the next in
    the revision.
    """
    goal = lock.options.get("goal")
    step = lock.options.get("step")
    try:
        find_task(project, lock.task, goal, step)
    except DctxError:
        return {}
    return {"task": lock.task}


def _reasons(
    lock: Lock,
    assembly: Assembly,
    source: dict[str, str],
    lost: list[str],
) -> Iterator[str]:
    for name in lost:
        yield f"{name}, named with --ref, is not in that revision"

    used_first = sorted(lock.unreproducible, key=lambda file: not file.used)
    for file in used_first:
        yield f"{file.path} was not as in that revision when the lock was made: {file.how}"

    if lock.dctx != __version__:
        yield f"the lock was made with dctx {lock.dctx}, and this is {__version__}"
    if source != lock.instructions:
        yield f"the instructions for {lock.agent} are others"

    then = lock.budget
    now = assembly.budget
    has_same_window = now.window == then["window"]
    has_same_limit = now.limit == then["limit"]
    if not has_same_window or not has_same_limit:
        yield f"the limit was {then['limit']:,} tokens, and is {now.limit:,}"
    if lock.counter == "calibrated" and now.used != then["used"]:
        yield "the tokens were counted by a calibration, and each user has their own"


def _commits_missing(repository: str, assembly: Assembly) -> Iterator[str]:
    """What keeps this clone from telling of the same recent changes."""
    if is_shallow(repository):
        yield "this clone is shallow: commits before its first are not known here"
    for omission in assembly.omissions:
        if omission.what == RECENT:
            yield f"recent changes are left out: {omission.why}"


def _by_section(
    lock: Lock,
    comparison: Comparison,
    project: Project,
) -> dict[str, tuple[str, ...]]:
    """For each section that is not the same, those of its files that are not."""
    unlike = _unlike(lock, project)
    by_section: dict[str, tuple[str, ...]] = {}
    for difference in comparison.sections:
        if difference.what == SAME:
            continue
        files: list[str] = []
        for path in _sources(difference):
            how = unlike.get(path)
            if how is not None:
                files.append(f"{path} ({how})")
        by_section[difference.tag] = tuple(files)
    return by_section


def _unlike(lock: Lock, project: Project) -> dict[str, str]:
    """By its path, how each file is not as it was when the lock was made."""
    unlike: dict[str, str] = {}
    documents = project.documents_read()
    for path, sha256 in lock.files.items():
        document = documents.get(path)
        if document and text_digest(document.text) != sha256:
            unlike[path] = CHANGED
    # What the lock itself says of a file says more than that it is another.
    for file in lock.unreproducible:
        unlike[file.path] = file.how
    return unlike


def _sources(difference: SectionDifference) -> list[str]:
    """The files of a section, as it was and as it is; each once."""
    paths: list[str] = []
    for section in (difference.old, difference.new):
        if isinstance(section, LockedSection):
            paths += section.sources
    return list(dict.fromkeys(paths))
