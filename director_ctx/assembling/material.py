"""Reads what the decisions so far call for, and nothing else."""

from __future__ import annotations

from director_ctx.assembling.references import find_references
from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped
from director_ctx.base.text import plain
from director_ctx.context.extracts import without_decisions
from director_ctx.context.instructions import Extras, Spot
from director_ctx.context.place import task_json
from director_ctx.context.selection import subject_of
from director_ctx.context.settings import tags
from director_ctx.context.sources import (
    NOTES,
    SUMMARIZED,
    Material,
    Sources,
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
    from collections.abc import Iterable

    from director_ctx.assembling.references import References
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Request, Settings
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


def supply(
    job: AssemblyJob, recent: RecentChanges | None
) -> tuple[Sources, Material, tuple[str, ...]]:
    """Which documents the context is made of, what they and everything else say, and warnings."""
    project = job.project
    references = find_references(project, job.profile, job.request)

    template = ""
    warnings: tuple[str, ...] = ()
    if tags.INSTRUCTIONS in job.wanted or tags.SYSTEM in job.wanted:
        template, warnings = instructions_template(project, job.profile, job.layout)
    warnings = (*warnings, *references.missing)

    place = job.place
    task = ""
    if place and place.task:
        task = read_task(project, place.task.path)
    spot = _spot(job)
    extras = _extras(job, references)
    memories = {}
    parts = [tag for tag in job.wanted if tag in tags.PARTS and tag != tags.SYSTEM]
    if parts:
        from director_ctx.assembling.stored_parts import recall

        memories = recall(project, parts)

    sources = _sources(job, spot, task, has_references=bool(references.parts))
    documents = _read_documents(project, sources)
    stale = stale_note_warnings(project)

    # Git comes last: it was at work all the while.
    lines: tuple[str, ...] = ()
    why, late, commit_style = "", False, PLAIN
    if recent:
        recent.read()
        lines, why, late = recent.lines, recent.why, recent.late
        if are_conventional(recent.subjects):
            commit_style = CONVENTIONAL
        elif recent.subjects:
            commit_style = f"{PLAIN}, in the style of the repository's log"
    if lines and why:
        warnings = (*warnings, f"the recent changes are not complete: {why}")

    blanks = {**hand_over_types(project), "commit_style": commit_style, "done_command": ""}
    # A syncer does that where there is one.
    if place and place.task and not blanks["syncer"]:
        blanks["done_command"] = f"dctx task done {place.ref}"
    material = Material(
        documents=documents,
        stale=stale,
        template=template,
        spot=spot,
        task=task,
        extras=extras.replace(blanks={**blanks, **extras.blanks}),
        references=references.parts,
        recent=lines,
        recent_why=why,
        recent_late=late,
        remembered=memories,
    )
    return sources, material, warnings


def _sources(job: AssemblyJob, spot: Spot, task: str, has_references: bool) -> Sources:
    """The documents to read. The folders of notes are listed here, and no note is read yet."""
    request = job.request
    chosen = section_tags(job.wanted, request, has_references)
    subject = subject_of(spot.task_title, task, request.quick)

    notes = {}
    unasked: dict[str, tuple[str, ...]] = {tag: () for tag in chosen if tag not in job.wanted}
    for tag, choose in NOTES.items():
        if tag not in chosen:
            continue
        names = note_names(job.project, notes_folder(tag))
        notes[tag] = choose(job.profile, request, job.settings, subject, names)
        if getattr(request, tag) and tag in job.wanted:
            plain_request = request.replace(**{tag: ()})
            choice = choose(job.profile, plain_request, job.settings, subject, names)
            unasked[tag] = choice.files
    sources = choose_sources(chosen, notes, subject, request, spot.step_path)
    return sources.replace(unasked=unasked)


def _read_documents(project: Project, sources: Sources) -> dict[str, Document]:
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


def read_task(project: Project, path: str) -> str:
    """The task's text; without it there is nothing to work on."""
    document = project.document(path)
    if document is None:
        notes = [note.text for note in project.notes if note.path == plain(path)]
        why = next(iter(notes), "cannot be read")
        raise DctxError(f"{path} {why}.", "Mend the file, or name another task with --task.")
    if document.too_large:
        raise DctxError(
            f"{path} is too large to be a task.", "Shorten it; longer material belongs beside it."
        )
    return document.text


def told(
    project: Project, request: Request, commits: Iterable[Commit], most: int
) -> tuple[str, ...]:
    """What commits did, in plain words; or their subjects as they are, if that is asked for."""
    if not most:
        return ()
    if request.raw:
        return raw(commits, most)
    return tell(commits, most, project.task_title)


def _spot(job: AssemblyJob) -> Spot:
    """Names and paths for the instructions."""
    if job.place is None:
        return Spot()
    project = job.project
    step = job.place.step
    task = job.place.task
    spot = Spot(goal_title=project.title(job.place.goal))
    if step:
        spot = spot.replace(step_title=project.title(step), step_path=step.path)
    if task:
        files = project.step_files(step) if step and tags.STEP in job.wanted else ()
        spot = spot.replace(
            task_title=project.title(task),
            task_path=plain(task.path),
            task_number=task.number,
            step_files=tuple(map(plain, files)),
        )
    return spot


def _extras(job: AssemblyJob, references: References) -> Extras:
    project = job.project
    issues = job.request.issues or ""
    changes = _changes_text(project, job.request)
    if job.layout in tags.PULLED_TOOLS:
        return Extras(issues=issues, changes=changes, blanks=_pull_blanks(job))

    # An agent that researches the step has no tag for it.
    step = ""
    takes_domain = "domain" in job.profile.inputs and tags.STEP not in job.wanted
    if takes_domain and job.place and job.place.step:
        step = without_prompts(project.text(f"{job.place.step.path}/STEP.md"))
    decisions = ""
    if tags.DECISIONS not in job.wanted:
        decisions = section(step, "decisions") or ""

    # A synthesizer joins the notes of one folder.
    mode = (job.request.mode or "").strip().casefold()
    notes: list[str] = []
    if mode in ("research", "codebase"):
        folder = f"{FOLDER}/{mode}"
        names = [name for name in note_names(project, folder) if name != "SUMMARY"]
        notes = [plain(f"{folder}/{name}.md") for name in names]

    attempts = DEFAULT_ATTEMPTS
    if "issues" in job.profile.inputs:
        # Only the debugger asks.
        from director_ctx.project.config_json import read_config

        value = read_config(project).get("max_retry_cycles")
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1000:
            attempts = value
    return Extras(
        step_context=without_decisions(step),
        step_decisions=decisions,
        issues=issues,
        changes=changes,
        references=tuple(map(plain, references.others)),
        guides=tuple(map(plain, references.paths)),
        max_attempts=attempts,
        sources=tuple(notes),
    )


def _pull_blanks(job: AssemblyJob) -> dict[str, str]:
    """What the prompt of the pull layout says of this agent, this project and this task. It has no
    lists of files, which the tools give to whoever asks.
    """
    from director_ctx.context.settings.pulled import NOTES as PULLED_NOTES
    from director_ctx.context.settings.pulled import first_call, tool_lines
    from director_ctx.upkeep.status import project_name

    profile = job.profile
    agent = plain(profile.name)
    task = task_json(job.project, job.place) or {}
    ref = task.get("ref", "")
    tools = tags.PULLED_TOOLS[job.layout]
    own_section = tags.INSTRUCTIONS if tags.INSTRUCTIONS in profile.sections else tags.SYSTEM
    notes_call = ""
    if tags.INSTRUCTIONS in job.wanted:
        # They stand below the prompt already.
        own_section = ""
        notes = [tag for tag in PULLED_NOTES if tag in profile.sections and tag not in job.wanted]
        notes_call = first_call(tools, agent, ref, notes) if notes else ""
    return {
        "agent": agent,
        "purpose": plain(profile.purpose),
        "project": plain(project_name(job.project)),
        "task_ref": ref,
        "task_title": plain(task.get("title", "")),
        "tools": tool_lines(tools),
        "own_section": own_section,
        "first_call": first_call(tools, agent, ref),
        "notes_call": notes_call,
    }


def _changes_text(project: Project, request: Request) -> str:
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


def instructions_template(
    project: Project, profile: Profile, layout: str = "tags"
) -> tuple[str, tuple[str, ...]]:
    """The project's own template for this agent, else the shipped one."""
    names = dict.fromkeys((profile.name, profile.instructions or profile.name))
    if layout in tags.PULLED_TOOLS:
        # One prompt for all.
        names = {tags.PULL: None}
    warnings = list[str]()
    for name in names:
        path = f"{FOLDER}/instructions/{name}.md"
        own = project.text(path)
        if not own.strip():
            continue
        from director_ctx.context.settings.agreement import Override, is_agreed, is_shipped

        if is_shipped(f"{name}.md", own) or is_agreed(project, Override(path, own)):
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
