"""The one place that knows every adapter. Each use case is here, in the order in which it happens."""

from __future__ import annotations

import os

from director_ctx.context.assembly import Assembly, account
from director_ctx.context.blocks import recent_subjects
from director_ctx.context.budget import CHARS, Budget, count_chars, parse_budget, parse_window
from director_ctx.context.build import Draftsman, Material
from director_ctx.context.fit import fit
from director_ctx.context.instructions import Extras, Spot
from director_ctx.context.layouts import LAYOUTS, ORDERS, WRAPS, Renderer
from director_ctx.context.models import DEFAULT_WINDOW, find_model
from director_ctx.context.profiles import Profile, find_profile
from director_ctx.context.request import Request, Settings, wanted_tags
from director_ctx.context.sections import Part
from director_ctx.context.tags import CHANGES, DECISIONS, RECENT, STEP, STEP_RESEARCH, TASK, VISION
from director_ctx.errors import AllDone, DctxError, NothingReady, UsageProblem
from director_ctx.folder.markdown import section
from director_ctx.folder.model import FOLDER, Place
from director_ctx.folder.naming import find_step, find_task
from director_ctx.folder.next import DONE, choose, next_task
from director_ctx.folder.onboarding import is_template_vision
from director_ctx.folder.project import FILE, Project
from director_ctx.folder.read import Unreadable, plain, read_document
from director_ctx.folder.readiness import Readiness, readiness
from director_ctx.outside.git import History
from director_ctx.record import Record
from director_ctx.resources import read_shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.context.budget import Counter
    from director_ctx.context.sections import Draft

QUICK_COMMITS = 5


class Prepared(Record):
    """Everything decided about one context except how much of it fits."""

    profile: Profile
    request: Request
    draft: Draft
    renderer: Renderer
    task: dict[str, Any] | None
    warnings: tuple[str, ...]


def load_settings(project: Project) -> Settings:
    """The shipped tables, or the project's `dctx.yaml` on top of them."""
    path = f"{FOLDER}/dctx.yaml"
    if project.kind(path) != FILE:
        return Settings()
    from director_ctx.context.config import parse_config
    from director_ctx.outside.yaml_file import parse_yaml

    return parse_config(parse_yaml(project.text(path), path))


def assemble(
    project: Project,
    agent: str,
    *,
    count: Callable[[str], int] = count_chars,
    counter: Counter = CHARS,
    **options: Any,
) -> Assembly:
    """The context for a fresh agent. Options are those of `dctx assemble`, as keyword arguments."""
    settings = load_settings(project)
    request = make_request(agent, options)
    prepared = prepare(project, request, settings, count)
    budget, warnings = plan_budget(request, settings)
    fitting = fit(prepared.draft, prepared.profile.protect, prepared.renderer.blocks, budget.limit, count)
    return Assembly(
        agent=prepared.profile.name,
        budget=budget.replace(used=fitting.used, status=fitting.status),
        counter=counter,
        task=prepared.task,
        omissions=prepared.draft.omissions,
        warnings=(*prepared.warnings, *warnings),
        **account(fitting, count),
    )


def make_request(agent: str, options: dict[str, Any]) -> Request:
    """Checks the options that have a fixed set of values; tuples are made of single words."""
    several = ("type", "codebase", "research", "with_", "without", "ref")
    values = {name: value for name, value in options.items() if value is not None}
    for name in several:
        value = values.get(name, ())
        words = [value] if isinstance(value, str) else list(value)
        values[name] = tuple(part.strip() for word in words for part in (word.split(",") if name != "ref" else [word]) if part.strip())
    for name in ("task", "goal", "step", "window", "budget", "attempt"):
        if name in values:
            values[name] = str(values[name])
    unknown = set(values) - set(Request._fields)
    if unknown:
        raise UsageProblem(f"There is no option {', '.join(sorted(unknown))}.", "Options: " + ", ".join(Request._fields))
    request = Request(agent, **values)
    for name, known in (("layout", LAYOUTS), ("order", ORDERS), ("format", WRAPS), ("compat", {"upstream": 0})):
        if getattr(request, name) not in (*known, *((None,) if name == "compat" else ())):
            raise UsageProblem(f"--{name}: there is no {getattr(request, name)!r}.", "Choose one of: " + ", ".join(known))
    return request


def prepare(project: Project, request: Request, settings: Settings, count: Callable[[str], int]) -> Prepared:
    """Decides what the agent gets, then reads it. Git starts first, because it is the slowest."""
    profile = find_profile(request.agent, settings.profiles)
    wanted = wanted_tags(profile, request)
    history = History(project.root) if RECENT in wanted else None
    try:
        place, notes = locate_task(project, request, wanted)
        refuse_template(project, profile, request, wanted)
        material, warnings = supply(project, profile, request, wanted, place, history, count)
    finally:
        if history:
            history.close()
    draft = Draftsman(profile, wanted, request, settings, material).draft()
    warnings = (*notes, *warnings, *draft.warnings, *unread(project, draft))
    renderer = Renderer(request.layout, request.order, request.format)
    return Prepared(profile, request, draft, renderer, task_json(project, place), warnings)


def locate_task(project: Project, request: Request, wanted: Sequence[str]) -> tuple[Place | None, tuple[str, ...]]:
    """The task to work on, if this agent gets one; otherwise its step, if it gets that."""
    if request.quick:
        place = find_step(project, request.goal, request.step) if request.step or request.goal else None
        return (place, ())
    if request.task:
        place = find_task(project, request.task, request.goal, request.step)
        return place, task_notes(project, place)
    if TASK in wanted:
        return next_or_refuse(project, request), ()
    needs_step = STEP in wanted or DECISIONS in wanted or bool(request.step or request.goal)
    return (find_step(project, request.goal, request.step) if needs_step else None), ()


def next_or_refuse(project: Project, request: Request) -> Place:
    """The next task, within a goal or step if one is named; or an error that says why there is none."""
    if request.goal or request.step:
        return next_within(project, request)
    candidate = choose(project)
    if candidate:
        return candidate.place
    state = next_task(project)
    if state.state == DONE:
        raise AllDone("Every task in the gameplan is done.", "Name one with --task, or plan the next goal.")
    waiting = "; ".join(f"{one.place.ref} waits: {one.readiness.why}" for one in state.waiting[:3])
    reasons = waiting or "; ".join(state.unplanned[:3]) or "no goal has a task file yet"
    raise NothingReady(f"No task is ready: {reasons}.", "See `dctx next`, or name a task with --task.")


def next_within(project: Project, request: Request) -> Place:
    where = find_step(project, request.goal, request.step)
    pending = [task for task in project.tasks(where.step) if not task.done] if where and where.step else []
    if where is None or not pending:
        raise AllDone("Every task of that step is done." if where else "There is no step yet.", "Name a task with --task.")
    places = [where.replace(task=task) for task in pending]
    return next((place for place in places if readiness(project, place).ready), places[0])


def task_notes(project: Project, place: Place) -> tuple[str, ...]:
    """What is worth knowing about a task that was named outright."""
    assert place.task
    if place.task.done:
        return (f"task {place.ref} is already done",)
    judged = readiness(project, place)
    return () if judged.ready else (f"task {place.ref} is not ready: {judged.why}",)


def refuse_template(project: Project, profile: Profile, request: Request, wanted: Sequence[str]) -> None:
    """Some agents cannot work without a vision; an unfilled template is not one."""
    if VISION in profile.requires and VISION in wanted and not request.quick:
        if is_template_vision(project.text(f"{FOLDER}/VISION.md")):
            raise DctxError(
                f".director/VISION.md is still a template, and the {profile.name} cannot work without a vision.",
                "Describe the project in it first, or leave it out with --without vision.",
            )


def supply(
    project: Project,
    profile: Profile,
    request: Request,
    wanted: Sequence[str],
    place: Place | None,
    history: History | None,
    count: Callable[[str], int],
) -> tuple[Material, tuple[str, ...]]:
    """Reads what the decisions so far call for."""
    inlined = tuple(reference_parts(project, profile, request))
    extras = make_extras(project, profile, request, wanted, place, inlined)
    most = min(profile.recent_changes, QUICK_COMMITS) if request.quick else profile.recent_changes
    task = project.text(place.task.path) if place and place.task else ""
    template, warnings = instructions_template(project, profile)
    if place and place.task and not task.strip():
        warnings = (*warnings, f"{place.task.path} is empty")
    commits = ((commit.subject, commit.only_folder) for commit in history.commits()) if history else iter(())
    recent = recent_subjects(commits, most, request.all_commits) if most else ()
    return Material(
        read=lambda path: None if (document := project.document(path)) is None else document.text,
        files=lambda path: note_names(project, path),
        count=count,
        template=template,
        spot=make_spot(project, wanted, place),
        task=task,
        extras=extras,
        references=inlined,
        recent=recent,
        recent_why=history.why if history else "",
    ), warnings


def note_names(project: Project, folder: str) -> list[str]:
    return [name.removesuffix(".md") for name, kind in project.listing(folder).items() if kind == FILE and name.endswith(".md")]


def make_spot(project: Project, wanted: Sequence[str], place: Place | None) -> Spot:
    """Names and paths for the instructions; nothing of a step that the agent does not get."""
    if place is None:
        return Spot()
    with_files = place.task is not None and STEP in wanted and place.step is not None
    return Spot(
        goal_title=project.title(place.goal),
        step_title=project.title(place.step) if place.step else "",
        step_path=place.step.path if place.step else "",
        task_title=project.title(place.task) if place.task else "",
        task_path=plain(place.task.path) if place.task else "",
        task_number=place.task.number if place.task else None,
        step_files=tuple(map(plain, project.step_files(place.step))) if with_files and place.step else (),
    )


def make_extras(
    project: Project, profile: Profile, request: Request, wanted: Sequence[str], place: Place | None, inlined: Sequence[Part]
) -> Extras:
    taken = {part.path for part in inlined}
    references = [path for path in reference_paths(project) if path not in taken]
    step = project.text(f"{place.step.path}/STEP.md") if place and place.step and request.step and STEP not in wanted else ""
    as_text = step if STEP_RESEARCH not in wanted else ""
    mode = (request.mode or "").strip().casefold()
    sources = [f"{FOLDER}/{mode}/{name}.md" for name in note_names(project, f"{FOLDER}/{mode}") if name != "SUMMARY"] if mode else []
    return Extras(
        step_context=as_text,
        step_decisions="" if not as_text or DECISIONS in wanted else section(as_text, "decisions") or "",
        issues=request.issues or "",
        changes=changes_text(project, request, wanted),
        references=tuple(plain(path) for path in references),
        max_attempts=max_attempts(project) if "issues" in profile.inputs else 3,
        sources=tuple(map(plain, sources)),
    )


def changes_text(project: Project, request: Request, wanted: Sequence[str]) -> str:
    if not request.changes:
        return ""
    from director_ctx.outside.git import changes_since

    try:
        return changes_since(project.root, request.changes)
    except ValueError as error:
        raise DctxError(f"--changes {request.changes}: {error}.", "Name a commit, a tag or a branch of this repository.") from error


def max_attempts(project: Project) -> int:
    """`max_retry_cycles` of config.json; only the debugger asks."""
    from director_ctx.folder.settings import read_config

    value = read_config(project).get("max_retry_cycles", 3)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1000 else 3


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
    unique = {part.path: part for part in parts if part.text.strip()}
    return list(unique.values())


def reference_in_folder(project: Project, name: str) -> str:
    """A document of `.director/reference/`, or elsewhere in `.director/`."""
    bare = name.removeprefix(f"{FOLDER}/")
    tries = (f"{FOLDER}/reference/{bare}", f"{FOLDER}/reference/{bare}.md", f"{FOLDER}/{bare}", f"{FOLDER}/{bare}.md")
    return next((path for path in tries if ".." not in path.split("/") and project.kind(path) == FILE), "")


def named_reference(project: Project, name: str) -> Part:
    """A file that the user named: one of the project's references, or any file they can read."""
    if path := reference_in_folder(project, name):
        return Part(project.text(path), path, path)
    location = os.path.abspath(os.path.expanduser(name))
    try:
        text = read_document(location, name).text
    except (FileNotFoundError, Unreadable) as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else str(error)
        raise DctxError(f"--ref {name}: {why}.", "Name a file, or one of .director/reference/.") from error
    inside = os.path.relpath(location, project.root) if location.startswith(project.root + os.sep) else os.path.basename(location)
    shown = plain(inside.replace(os.sep, "/"))
    return Part(text, shown, shown)


def instructions_template(project: Project, profile: Profile) -> tuple[str, tuple[str, ...]]:
    """The project's own template for this agent, else the shipped one."""
    names = dict.fromkeys((profile.name, profile.instructions or profile.name))
    for name in names:
        own = project.text(f"{FOLDER}/instructions/{name}.md")
        if own.strip():
            return own, ()
    for name in names:
        try:
            return read_shipped("templates", "instructions", f"{name}.md"), ()
        except OSError:
            continue
    path = f"{FOLDER}/instructions/{profile.name}.md"
    return "Do what the rest of this context asks for.", (f"there are no instructions for {profile.name}; write {path}",)


def plan_budget(request: Request, settings: Settings) -> tuple[Budget, tuple[str, ...]]:
    """Window and limit: the command line, then `dctx.yaml`, then the defaults."""
    warnings: tuple[str, ...] = ()
    window = parse_window(request.window) if request.window else None
    if window is None and request.model:
        window, warnings = model_window(request.model, settings)
    window = window or settings.window
    if window is None:
        window, warnings = model_window(settings.model, settings) if settings.model else (DEFAULT_WINDOW, ())
    limit = parse_budget(request.budget or settings.budget, window)
    if limit > window:
        warnings = (*warnings, f"the budget of {limit:,} tokens is larger than the window of {window:,}")
    return Budget(window, limit), warnings


def model_window(name: str, settings: Settings) -> tuple[int, tuple[str, ...]]:
    model = find_model(name, settings.models)
    if model:
        return model.window, ()
    return DEFAULT_WINDOW, (f"the model {name!r} is not in the table, so a window of {DEFAULT_WINDOW:,} is assumed; --window says otherwise",)


def unread(project: Project, draft: Draft) -> tuple[str, ...]:
    """Notes on the files that went into this context, so that nothing was changed in silence."""
    used = {path for one in draft.sections.values() for path in one.sources} | {one.what for one in draft.omissions}
    return tuple(f"{note.path} {_said(note.text)}" for note in project.notes if note.path in used)


def _said(text: str) -> str:
    return text if text.startswith(("is ", "has ", "cannot ", "exists ")) else f": {text}"


def task_json(project: Project, place: Place | None, judged: Readiness | None = None) -> dict[str, Any] | None:
    """A task as every JSON output shows it."""
    if place is None or place.step is None or place.task is None:
        return None
    if judged is None and not place.task.done:
        judged = readiness(project, place)
    return {
        "ref": place.ref,
        "path": plain(place.task.path),
        "title": project.title(place.task),
        "readiness": judged.kind if judged else None,
        "goal": unit_json(project, place.goal),
        "step": unit_json(project, place.step),
    }


def unit_json(project: Project, unit: Any) -> dict[str, Any]:
    return {"number": unit.number, "title": project.title(unit), "path": plain(unit.path)}


__all__ = ["CHANGES", "assemble", "load_settings", "make_request", "plan_budget", "prepare", "task_json"]
