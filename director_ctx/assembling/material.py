"""Reads what the decisions so far call for, and nothing else."""

from __future__ import annotations

from director_ctx.assembling.references import find_references
from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped
from director_ctx.base.text import plain
from director_ctx.context.extracts import without_decisions
from director_ctx.context.instructions import Extras, Spot
from director_ctx.context.selection import subject_of
from director_ctx.context.settings.tags import (
    DECISIONS,
    INSTRUCTIONS,
    PARTS,
    PULL,
    STEP,
    SYSTEM,
)
from director_ctx.context.sources import (
    NOTES,
    SUMMARIZED,
    Material,
    choose_sources,
    notes_folder,
    section_tags,
)
from director_ctx.project.git.recent import raw, tell
from director_ctx.project.git.subjects import are_conventional
from director_ctx.project.notes.stale_notes import stale_note_warnings
from director_ctx.project.project import Project, note_names
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.sub_agents import hand_over_types
from director_ctx.project.templates import without_prompts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from director_ctx.assembling.references import References
    from director_ctx.context.sections import Remembered
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Request, Settings
    from director_ctx.context.sources import Sources
    from director_ctx.project.git.log import RecentChanges
    from director_ctx.project.git.recent import Commit
    from director_ctx.project.reading.model import Document, Place


DEFAULT_ATTEMPTS = 3
NOT_AGREED = (
    "is not used, because you have not agreed to it: `dctx setup --trust` shows it, and asks"
)
PLAIN = "one plain sentence saying what now works"
CONVENTIONAL = "a Conventional Commits message, as this repository uses: `feat(scope): …`"
NO_TEMPLATE = "Do what the rest of this context asks for."


class AssemblyJob(Record):
    """One assembly, as far as it is decided before anything is read."""

    project: Project
    profile: Profile
    request: Request
    settings: Settings
    wanted: tuple[str, ...]
    place: Place | None
    layout: str = "tags"

    @property
    def task_path(self) -> str:
        if self.place is None or self.place.task is None:
            return ""
        return self.place.task.path


def supply(
    job: AssemblyJob, recent: RecentChanges | None
) -> tuple[Sources, Material, tuple[str, ...]]:
    """Which documents the context is made of, what they and everything else say, and warnings."""
    project = job.project
    references = find_references(project, job.profile, job.request)

    template = ""
    warnings: tuple[str, ...] = ()
    if INSTRUCTIONS in job.wanted or SYSTEM in job.wanted:
        template, warnings = instructions_template(project, job.profile, job.layout)
    warnings = (*warnings, *references.missing)

    task = ""
    if job.task_path:
        task = read_task(project, job.task_path)
    spot = make_spot(job)
    extras = make_extras(job, references)
    memories = remembered(job)

    sources = find_sources(job, spot, task, has_references=bool(references.parts))
    documents = read_documents(project, sources)
    stale = stale_note_warnings(project)

    # Git comes last: it was at work all the while.
    recent_lines: tuple[str, ...] = ()
    recent_why = ""
    recent_late = False
    if recent:
        recent.read()
        recent_lines = recent.lines
        recent_why = recent.why
        recent_late = recent.late
    if recent_lines and recent_why:
        warnings = (*warnings, f"the recent changes are not complete: {recent_why}")

    blanks = {**hand_over_types(project), "commit_style": _commit_style(recent)}
    # A syncer does that where there is one.
    has_task = job.place is not None and job.place.task is not None and not blanks["syncer"]
    blanks["done_command"] = f"dctx task done {job.place.ref}" if has_task and job.place else ""
    extras = extras.replace(blanks={**blanks, **extras.blanks})
    material = Material(
        documents=documents,
        stale=stale,
        template=template,
        spot=spot,
        task=task,
        extras=extras,
        references=references.parts,
        recent=recent_lines,
        recent_why=recent_why,
        recent_late=recent_late,
        remembered=memories,
    )
    return sources, material, warnings


def _commit_style(recent: RecentChanges | None) -> str:
    """How the message of a commit is written here, as the end of a sentence."""
    if recent and are_conventional(recent.subjects):
        return CONVENTIONAL
    if recent and recent.subjects:
        return f"{PLAIN}, in the style of the repository's log"
    return PLAIN


def find_sources(job: AssemblyJob, spot: Spot, task: str, has_references: bool) -> Sources:
    """The documents to read. The folders of notes are listed here, and no note is read yet."""
    request = job.request
    tags = section_tags(job.wanted, request, has_references)
    subject = subject_of(spot.task_title, task, request.quick)

    notes = {}
    unasked: dict[str, tuple[str, ...]] = {tag: () for tag in tags if tag not in job.wanted}
    for tag, choose in NOTES.items():
        if tag not in tags:
            continue
        names = note_names(job.project, notes_folder(tag))
        notes[tag] = choose(job.profile, request, job.settings, subject, names)
        if getattr(request, tag) and tag in job.wanted:
            plain_request = request.replace(**{tag: ()})
            choice = choose(job.profile, plain_request, job.settings, subject, names)
            unasked[tag] = choice.files
    sources = choose_sources(tags, notes, subject, request, spot.step_path)
    return sources.replace(unasked=unasked)


def read_documents(project: Project, sources: Sources) -> dict[str, Document]:
    """By path, the documents that are there."""
    documents: dict[str, Document] = {}
    tags_with_text = set()
    for tag in sources.tags:
        for path in sources.paths(tag):
            document = project.document(path)
            if document:
                documents[path] = document
                if document.text.strip():
                    tags_with_text.add(tag)

    # A summary that could stand for nothing is no part of the context, not even by having been read.
    for summary, path in sources.summaries.items():
        if tags_with_text.intersection(SUMMARIZED[summary]):
            document = project.document(path)
            if document:
                documents[path] = document
    return documents


def remembered(job: AssemblyJob) -> Mapping[str, Remembered]:
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
        why = _first_note(project, plain(path)) or "cannot be read"
        raise DctxError(f"{path} {why}.", "Mend the file, or name another task with --task.")
    if document.too_large:
        raise DctxError(
            f"{path} is too large to be a task.", "Shorten it; longer material belongs beside it."
        )
    return document.text


def _first_note(project: Project, path: str) -> str:
    for note in project.notes:
        if note.path == path:
            return note.text
    return ""


def told(
    project: Project, request: Request, commits: Iterable[Commit], most: int
) -> tuple[str, ...]:
    """What commits did, in plain words; or their subjects as they are, if that is asked for."""
    if not most:
        return ()
    if request.all_commits:
        return raw(commits, most)
    return tell(commits, most, project.task_title)


def make_spot(job: AssemblyJob) -> Spot:
    """Names and paths for the instructions."""
    if job.place is None:
        return Spot()
    project = job.project
    step = job.place.step
    task = job.place.task

    files: Sequence[str] = ()
    if step and task and STEP in job.wanted:
        files = project.step_files(step)

    spot = Spot(
        goal_title=project.title(job.place.goal),
        step_files=tuple(map(plain, files)),
    )
    if step:
        spot = spot.replace(step_title=project.title(step), step_path=step.path)
    if task:
        spot = spot.replace(
            task_title=project.title(task),
            task_path=plain(task.path),
            task_number=task.number,
        )
    return spot


def make_extras(job: AssemblyJob, references: References) -> Extras:
    step = step_as_text(job)
    decisions = ""
    if DECISIONS not in job.wanted:
        decisions = section(step, "decisions") or ""

    changes = changes_text(job.project, job.request)
    if job.layout == PULL:
        from director_ctx.assembling.pulled import pulled_extras

        return pulled_extras(job, changes)
    attempts = DEFAULT_ATTEMPTS
    if "issues" in job.profile.inputs:
        attempts = max_attempts(job.project)
    return Extras(
        step_context=without_decisions(step),
        step_decisions=decisions,
        issues=job.request.issues or "",
        changes=changes,
        references=tuple(map(plain, references.others)),
        guides=tuple(map(plain, references.paths)),
        max_attempts=attempts,
        sources=mode_sources(job),
    )


def step_as_text(job: AssemblyJob) -> str:
    """The step for an agent that researches it: such an agent has no step tag."""
    if job.place is None or job.place.step is None:
        return ""
    if "domain" not in job.profile.inputs or STEP in job.wanted:
        return ""
    return without_prompts(job.project.text(f"{job.place.step.path}/STEP.md"))


def mode_sources(job: AssemblyJob) -> tuple[str, ...]:
    """The notes that a synthesizer joins."""
    mode = (job.request.mode or "").strip().casefold()
    if mode not in ("research", "codebase"):
        return ()

    folder = f"{FOLDER}/{mode}"
    names = [name for name in note_names(job.project, folder) if name != "SUMMARY"]
    return tuple(plain(f"{folder}/{name}.md") for name in names)


def changes_text(project: Project, request: Request) -> str:
    if request.changes is None:
        return ""
    from director_ctx.project.git.changes import changes_since

    def lines(commits: list[Commit]) -> tuple[str, ...]:
        return told(project, request, commits, len(commits))

    try:
        return changes_since(project.root, request.changes, lines)
    except ValueError as error:
        hint = "Name a commit, a tag or a branch of this repository."
        raise DctxError(f"--changes {request.changes}: {error}.", hint) from error


def max_attempts(project: Project) -> int:
    """`max_retry_cycles` of config.json; only the debugger asks."""
    from director_ctx.project.config_json import read_config

    value = read_config(project).get("max_retry_cycles")
    if not isinstance(value, int) or isinstance(value, bool):
        return DEFAULT_ATTEMPTS
    if not 0 < value < 1000:
        return DEFAULT_ATTEMPTS
    return value


def instructions_template(
    project: Project, profile: Profile, layout: str = "tags"
) -> tuple[str, tuple[str, ...]]:
    """The project's own template for this agent, else the shipped one."""
    names = dict.fromkeys((profile.name, profile.instructions or profile.name))
    if layout == PULL:
        # One prompt for all.
        names = {PULL: None}
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
