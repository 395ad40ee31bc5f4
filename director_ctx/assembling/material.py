"""Reference documents: those to put into a context, and those to name by their path."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped
from director_ctx.base.text import plain
from director_ctx.context.draft import Material
from director_ctx.context.extracts import without_decisions
from director_ctx.context.instructions import Extras, Spot
from director_ctx.context.sections import Part
from director_ctx.context.settings.tags import DECISIONS, INSTRUCTIONS, PARTS, STEP, SYSTEM
from director_ctx.project.git.recent import raw, tell
from director_ctx.project.notes.stale_notes import marks
from director_ctx.project.project import FILE, Project, note_names
from director_ctx.project.reading.locate import absolute
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import FOLDER, Place
from director_ctx.project.reading.read import LARGEST_FILE, Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from director_ctx.context.sections import Remembered
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Request
    from director_ctx.project.git.log import History
    from director_ctx.project.git.recent import Commit
    from director_ctx.project.project import Project


def reference_paths(project: Project) -> list[str]:
    return [f"{FOLDER}/reference/{name}.md" for name in note_names(project, f"{FOLDER}/reference")]


def reference_parts(project: Project, profile: Profile, request: Request) -> list[Part]:
    """Documents that a profile or `--ref` puts into the context."""
    parts = []
    for name in profile.reference:
        path = reference_in_folder(project, name)
        if path:
            parts.append(Part(project.text(path), path, path))
    for name in request.ref:
        parts.append(named_reference(project, name))
    unique = {(part.path, part.text): part for part in parts if part.text.strip()}
    return list(unique.values())


def missing_references(project: Project, profile: Profile) -> tuple[str, ...]:
    """A word for each document that a profile names and nobody wrote."""
    missing = [name for name in profile.reference if not reference_in_folder(project, name)]
    return tuple(
        f"the profile of {profile.name} names {plain(name)}, which is not in {FOLDER}/"
        for name in missing
    )


def reference_in_folder(project: Project, name: str) -> str:
    """A document of `.director/reference/`, or elsewhere in `.director/`."""
    bare = name.removeprefix(f"{FOLDER}/")
    tries = (
        f"{FOLDER}/reference/{bare}",
        f"{FOLDER}/reference/{bare}.md",
        f"{FOLDER}/{bare}",
        f"{FOLDER}/{bare}.md",
    )
    return next(
        (path for path in tries if ".." not in path.split("/") and project.kind(path) == FILE), ""
    )


def named_reference(project: Project, name: str) -> Part:
    """A file that the user named: one of the project's references, or any file they can read."""
    if path := reference_in_folder(project, name):
        return Part(project.text(path), path, path)
    location = absolute(name)
    try:
        text = read_document(location, name).text
    except (FileNotFoundError, Unreadable) as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else str(error)
        raise DctxError(
            f"--ref {name}: {why}.", "Name a file, or one of .director/reference/."
        ) from error
    shown = plain(shown_path(project, location))
    return Part(text, shown, shown)


def shown_path(project: Project, location: str) -> str:
    """How a file is called in a context: by its path in the project, or by its name alone."""
    if not location.startswith(project.root + os.sep):
        return os.path.basename(location)
    return os.path.relpath(location, project.root).replace(os.sep, "/")


QUICK_COMMITS = 5
DEFAULT_ATTEMPTS = 3
NOT_AGREED = "is not used, because you have not agreed to it: `dctx hooks trust` shows it, and asks"
NO_TEMPLATE = "Do what the rest of this context asks for."


class Job(Record):
    """One assembly, as far as it is decided before anything is read."""

    project: Project
    profile: Profile
    request: Request
    wanted: tuple[str, ...]
    place: Place | None

    @property
    def task_path(self) -> str:
        return self.place.task.path if self.place and self.place.task else ""


def supply(
    job: Job, history: History | None, count: Callable[[str], int]
) -> tuple[Material, tuple[str, ...]]:
    """The material, and warnings about it."""
    project = job.project
    references = tuple(reference_parts(project, job.profile, job.request))
    template, warnings = "", tuple[str, ...]()
    if INSTRUCTIONS in job.wanted or SYSTEM in job.wanted:
        template, warnings = instructions_template(project, job.profile)
    warnings = (*warnings, *missing_references(project, job.profile))
    task = read_task(project, job.task_path) if job.task_path else ""
    recent = recent_changes(job, history)
    marked = project.past.stale if project.past else marks(project)
    if history and history.why and recent:
        warnings = (*warnings, f"the recent changes are not complete: {history.why}")
    material = Material(
        read=lambda path: None if (document := project.document(path)) is None else document.text,
        too_large=lambda path: too_large(project, path),
        files=lambda path: note_names(project, path),
        stale=lambda path: marked.get(path, ""),
        count=count,
        template=template,
        spot=make_spot(job),
        task=task,
        extras=make_extras(job, references),
        references=references,
        recent=recent,
        recent_why=history.why if history else "",
        recent_late=history.late if history else False,
        remembered=remembered(job),
    )
    return material, warnings


def remembered(job: Job) -> Mapping[str, Remembered]:
    """What is known beside the documents, if this context has any of it."""
    wanted = [tag for tag in job.wanted if tag in PARTS and tag != SYSTEM]
    if not wanted:
        return {}
    from director_ctx.assembling.stored_parts import recall

    return recall(job.project, job.request, wanted)


def read_task(project: Project, path: str) -> str:
    """The task's text; without it there is nothing to work on."""
    document = project.document(path)
    if document is None:
        why = next(
            (note.text for note in project.notes if note.path == plain(path)), "cannot be read"
        )
        raise DctxError(f"{path} {why}.", "Mend the file, or name another task with --task.")
    if too_large(project, path):
        raise DctxError(
            f"{path} is too large to be a task.", "Shorten it; longer material belongs beside it."
        )
    return document.text


def too_large(project: Project, path: str) -> bool:
    document = project.document(path)
    return document is not None and document.size > LARGEST_FILE


def recent_changes(job: Job, history: History | None) -> tuple[str, ...]:
    most = job.profile.recent_changes
    if job.request.quick:
        most = min(most, QUICK_COMMITS)
    if history is None or not most:
        return ()
    return told(job.project, job.request, history.commits(), most)


def told(
    project: Project, request: Request, commits: Iterable[Commit], most: int
) -> tuple[str, ...]:
    """What commits did, in plain words; or their subjects as they are, if that is asked for."""
    if request.all_commits:
        return raw(commits, most)
    return tell(commits, most, project.task_title)


def make_spot(job: Job) -> Spot:
    """Names and paths for the instructions."""
    project, place = job.project, job.place
    if place is None:
        return Spot()
    step, task = place.step, place.task
    files = project.step_files(step) if step and task and STEP in job.wanted else []
    return Spot(
        goal_title=project.title(place.goal),
        step_title=project.title(step) if step else "",
        step_path=step.path if step else "",
        task_title=project.title(task) if task else "",
        task_path=plain(task.path) if task else "",
        task_number=task.number if task else None,
        step_files=tuple(map(plain, files)),
    )


def make_extras(job: Job, inlined: Sequence[Part]) -> Extras:
    taken = {part.path for part in inlined}
    references = reference_paths(job.project)
    step = step_as_text(job)
    return Extras(
        step_context=without_decisions(step),
        step_decisions="" if DECISIONS in job.wanted else section(step, "decisions") or "",
        issues=job.request.issues or "",
        changes=changes_text(job.project, job.request),
        references=tuple(plain(path) for path in references if path not in taken),
        guides=tuple(map(plain, references)),
        max_attempts=max_attempts(job.project)
        if "issues" in job.profile.inputs
        else DEFAULT_ATTEMPTS,
        sources=mode_sources(job),
    )


def step_as_text(job: Job) -> str:
    """The step for an agent that researches it: such an agent has no step tag."""
    step = job.place.step if job.place else None
    if step is None or "domain" not in job.profile.inputs or STEP in job.wanted:
        return ""
    return job.project.text(f"{step.path}/STEP.md")


def mode_sources(job: Job) -> tuple[str, ...]:
    """The notes that a synthesizer joins."""
    mode = (job.request.mode or "").strip().casefold()
    names = note_names(job.project, f"{FOLDER}/{mode}") if mode in ("research", "codebase") else []
    return tuple(plain(f"{FOLDER}/{mode}/{name}.md") for name in names if name != "SUMMARY")


def changes_text(project: Project, request: Request) -> str:
    if request.changes is None:
        return ""
    from director_ctx.project.git.changes import changes_since

    def lines(commits: list[Commit]) -> tuple[str, ...]:
        return told(project, request, commits, len(commits))

    past = project.past
    try:
        if past:
            return changes_since(past.repository, past.since, lines, past.revision)
        return changes_since(project.root, request.changes, lines)
    except ValueError as error:
        hint = "Name a commit, a tag or a branch of this repository."
        raise DctxError(f"--changes {request.changes}: {error}.", hint) from error


def max_attempts(project: Project) -> int:
    """`max_retry_cycles` of config.json; only the debugger asks."""
    from director_ctx.project.config_json import read_config

    value = read_config(project).get("max_retry_cycles", DEFAULT_ATTEMPTS)
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1000
    return value if usable else DEFAULT_ATTEMPTS


def instructions_template(project: Project, profile: Profile) -> tuple[str, tuple[str, ...]]:
    """The project's own template for this agent, else the shipped one."""
    names = dict.fromkeys((profile.name, profile.instructions or profile.name))
    warnings = list[str]()
    for name in names:
        path = f"{FOLDER}/instructions/{name}.md"
        own = project.text(path)
        if not own.strip():
            continue
        if may_be_used(project, path, own):
            return own, tuple(warnings)
        warnings.append(f"{plain(path)} {NOT_AGREED}")
    for name in names:
        try:
            return read_shipped("templates", "instructions", f"{name}.md"), tuple(warnings)
        except OSError:
            continue
    if not profile.skill and not warnings:
        path = f"{FOLDER}/instructions/{profile.name}.md"
        warnings.append(f"there are no instructions for {profile.name}; write {path}")
    return NO_TEMPLATE, tuple(warnings)


def may_be_used(project: Project, path: str, own: str) -> bool:
    """Whether instructions of the project's are those of dctx, or the user has agreed to them."""
    from director_ctx.context.settings.agreement import Override, is_agreed, is_shipped

    return is_shipped(path.rpartition("/")[2], own) or is_agreed(project, Override(path, own))
