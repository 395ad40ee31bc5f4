"""Writes down what is needed to make a context again. No time of day: the same context has the same
lock.
"""

from __future__ import annotations

from director_ctx import __version__
from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.locks.lockfile import (
    Lock,
    LockedReference,
    LockedSection,
    Origin,
    Unlike,
)
from director_ctx.assembling.material import instructions_template, template_names
from director_ctx.assembling.references import reference_in_folder, shown_path
from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.profiles import find_profile
from director_ctx.context.settings.tags import PARTS, SYSTEM
from director_ctx.project.git.revision import Revision, below, commit_id, head
from director_ctx.project.git.worktree import ELSEWHERE, file_difference, folder_differences
from director_ctx.project.notes.stale_notes import stale_note_warnings
from director_ctx.project.reading.locate import absolute
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.sub_agents import hand_over_types

SHIPPED = "dctx"
"""Where instructions are from that are not the project's."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project


class LockedContext(Record):
    """A lock, and what stands in the way of making its context again."""

    lock: Lock
    assembly: Assembly
    why: str = ""
    """Why there is no revision to make it of."""


def make_lock(
    project: Project,
    agent: str,
    options: Mapping[str, Any],
) -> LockedContext:
    """Assembles the context as `dctx assemble` does, then looks where everything came from."""
    revision, why = _revision(project)
    assembly = assemble(project, agent, **options)
    refuse_remembered(assembly)

    references = tuple(_references(project, options, revision))
    documents = project.documents_read()
    files = {path: text_digest(document.text) for path, document in documents.items()}
    used = set(documents)
    for reference in references:
        used.add(reference.shown)

    origin = None
    if revision:
        origin = _origin(project, revision, options)
    instructions = instructions_source(project, agent, options.get("layout", ""))
    stale = {path: line for path, line in stale_note_warnings(project).items() if path in used}
    unreproducible: tuple[Unlike, ...] = ()
    if revision:
        unreproducible = tuple(_unlike(project, revision, references, used))

    task = assembly.task or {}
    lock = Lock(
        dctx=__version__,
        agent=assembly.agent,
        task=str(task.get("ref", "")),
        options=_options(options),
        counter=assembly.counter.name,
        budget=_budget(assembly),
        git=origin,
        references=references,
        sha256=text_digest(assembly.text),
        sections=locked_sections(assembly),
        files=files,
        instructions=instructions,
        stale=stale,
        agents=hand_over_types(project),
        unreproducible=unreproducible,
    )
    return LockedContext(lock, assembly, why)


def refuse_remembered(assembly: Assembly) -> None:
    """A revision has files. It does not have a plan's versions, variables, messages or a browser."""
    remembered: list[str] = []
    for section in assembly.sections:
        if section.tag in PARTS and section.tag != SYSTEM:
            remembered.append(section.tag)
    if remembered:
        raise DctxError(
            f"No revision has {', '.join(remembered)}, so this context cannot be made again.",
            f"Leave them out: --layout tags --without {','.join(remembered)}",
        )


def _revision(project: Project) -> tuple[Revision | None, str]:
    try:
        return head(project.root, project.location(FOLDER)), ""
    except ValueError as error:
        return None, str(error)


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON has them; the counter stands beside them, because settings may choose it too."""
    as_json: dict[str, Any] = {}
    for name, value in options.items():
        if name == "counter":
            continue
        as_json[name] = value
        if isinstance(value, tuple):
            as_json[name] = list(value)
    return as_json


def _budget(assembly: Assembly) -> dict[str, Any]:
    budget = assembly.budget
    return {
        "window": budget.window,
        "limit": budget.limit,
        "used": budget.used,
        "status": budget.status,
    }


def locked_sections(assembly: Assembly) -> tuple[LockedSection, ...]:
    sections: list[LockedSection] = []
    for section in assembly.sections:
        sections.append(
            LockedSection(
                tag=section.tag,
                tokens=section.tokens,
                sha256=text_digest(section.text),
                sources=section.sources,
            )
        )
    return tuple(sections)


def _origin(
    project: Project,
    revision: Revision,
    options: Mapping[str, Any],
) -> Origin:
    changes = ""
    if options.get("changes"):
        changes = commit_id(project.root, options["changes"])
    return Origin(revision.commit, revision.project, revision.folder, changes)


def instructions_source(project: Project, agent: str, layout: str = "") -> dict[str, str]:
    """The project's own instructions, or those that dctx brings; the latter change with its
    version.
    """
    profile = find_profile(agent, load_settings(project).profiles)
    template, _ = instructions_template(project, profile, layout)
    # A copy that says the same as ours is the project's all the same: ours may change.
    source = SHIPPED
    for name in template_names(profile, layout):
        path = f"{FOLDER}/instructions/{name}.md"
        if template and project.text(path) == template:
            source = path
            break
    return {"source": source, "sha256": text_digest(template)}


def _references(
    project: Project, options: Mapping[str, Any], revision: Revision | None
) -> Iterator[LockedReference]:
    """The files that `--ref` names outside `.director/`, and where in the repository they are."""
    for name in options.get("ref", ()):
        # What lies in the folder is among the documents.
        if reference_in_folder(project, name):
            continue
        location = absolute(name)
        path = ""
        if revision:
            try:
                path = below(location, revision.top)
            except ValueError:
                path = ""
        yield LockedReference(name, shown_path(project, location), path)


def _unlike(
    project: Project,
    revision: Revision,
    references: tuple[LockedReference, ...],
    used: set[str],
) -> Iterator[Unlike]:
    """Every file below `.director/`, and every named one, that the revision does not have as it is
    on disk.
    """
    # Compared as an agent would read them, so that line endings are no difference.
    root = project.root
    try:
        files = folder_differences(root, revision.commit, revision.folder, project.location(FOLDER))
        for name, how in files.items():
            path = f"{FOLDER}/{name}"
            yield Unlike(plain(path), how, path in used)

        for reference in references:
            if reference.shown.startswith(f"{FOLDER}/"):
                continue
            why = ELSEWHERE
            if reference.path:
                location = absolute(reference.name)
                why = file_difference(root, revision.commit, reference.path, location)
            if why:
                yield Unlike(reference.shown, why, True)
    except ValueError as error:
        raise DctxError(
            f"The lock cannot be made: {error}.", "Mend the repository, then try again."
        ) from error
