"""The main use case: a project, an agent and options in; a context out."""

from __future__ import annotations

from director_ctx.assembling.material import AssemblyJob, supply, told
from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.assembly import Assembly, account, printed
from director_ctx.context.draft import draft
from director_ctx.context.fit import Descent
from director_ctx.context.layouts import Renderer, join
from director_ctx.context.place import locate_task, task_json
from director_ctx.context.settings.options import (
    chosen_layout,
    load_settings,
    make_request,
    plan_budget,
)
from director_ctx.context.settings.profiles import find_profile
from director_ctx.context.settings.request import pulled_tags, wanted_tags
from director_ctx.context.settings.tags import (
    COMPRESSED,
    CONVERSATION,
    PULLED_TOOLS,
    RECENT,
    VISION,
)
from director_ctx.context.tokens.counting import settle_counter
from director_ctx.project.git.log import History, RecentChanges
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.templates import is_template_vision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from director_ctx.context.fit import Fitting
    from director_ctx.context.layouts import PrintedBlock
    from director_ctx.context.sections import Draft
    from director_ctx.context.settings.budget import Budget, Counter
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Request, Settings
    from director_ctx.memory.runs.run import RunOccasion
    from director_ctx.project.git.recent import Commit
    from director_ctx.project.project import Project

    LeftOut = Callable[[Sequence[PrintedBlock], Sequence[PrintedBlock]], frozenset[str]]

QUICK_COMMITS = 5


def assemble(
    project: Project,
    agent: str | None = None,
    *,
    count: Callable[[str], int] | None = None,
    counter: str | Counter | None = None,
    record: bool = False,
    **options: Any,
) -> Assembly:
    """The context for a fresh agent, or with `skill="build"` for a skill.

    Options are those of `dctx assemble`, as keyword arguments: task, goal, step, codebase, research,
    with_, without, ref, note, quick, question, issues (the text), changes, layout, format, raw, model,
    window, budget; and what `--input` names: focus, domain, mode, attempt.
    Tokens are counted by the `counter` of that name, or by your own `count`, which a `Counter` may
    describe. With `record`, it goes into the project's run record, as `dctx assemble` does it.
    """
    settings = load_settings(project)
    request = make_request(agent, options)
    counting = settle_counter(counter, count, request, settings)
    assembly = _assembly(project, request, settings, counting)
    if record:
        from director_ctx.memory.runs.run import PROGRAM, RunOccasion

        keep_record(project, assembly, RunOccasion(PROGRAM))
    return assembly


def assemble_small(
    project: Project,
    agent: str | None,
    left_out: LeftOut,
    *,
    counter: str | None = None,
    **options: Any,
) -> Assembly:
    """The same where there is a limit to the text itself: the ladder is applied to that as well as
    to the budget.

    `left_out` gives the tags of the sections that find no space where others are named beside them.
    """
    settings = load_settings(project)
    request = make_request(agent, options)
    counting = settle_counter(counter, None, request, settings)
    return _assembly(project, request, settings, counting, left_out)


def _assembly(
    project: Project,
    request: Request,
    settings: Settings,
    counting: tuple[Callable[[str], int], Counter],
    left_out: LeftOut | None = None,
) -> Assembly:
    count, counter = counting
    prepared = prepare(project, request, settings, count)
    profile = prepared.profile
    drafted = prepared.draft

    descent = Descent(drafted, profile.protect, prepared.renderer.blocks, count)
    fitting = descent.fit(prepared.budget.limit)
    too_large: Sequence[PrintedBlock] = ()
    if left_out:
        fitting, too_large = _fit_text(prepared, descent, left_out, count)

    warnings = prepared.warnings
    if CONVERSATION in drafted.sections:
        from director_ctx.assembling.overfull import warnings_at
        from director_ctx.context.settings.hooks import Hooks

        hooks = settings.hooks or Hooks()
        warnings = (*warnings, *warnings_at(fitting.whole, hooks))
    return Assembly(
        agent=profile.name,
        budget=prepared.budget.replace(used=fitting.used, status=fitting.status),
        counter=counter,
        task=prepared.task,
        omissions=drafted.omissions,
        lacks=drafted.lacks,
        choices=drafted.choices,
        warnings=tuple(dict.fromkeys(warnings)),
        whole=fitting.whole,
        too_large=printed(too_large, count),
        recorded=settings.record,
        **account(fitting, count),
    )


def _fit_text(
    prepared: Prepared, descent: Descent, left_out: LeftOut, count: Callable[[str], int]
) -> tuple[Fitting, Sequence[PrintedBlock]]:
    """What fits into the text, too, and the sections that the ladder dropped for that."""
    from director_ctx.context.divide import importance

    limit = prepared.budget.limit
    whole = descent.fit(limit)

    def dropped(blocks: Sequence[PrintedBlock]) -> Sequence[PrintedBlock]:
        tags = {block.tag for block in blocks}
        return [block for block in whole.blocks if block.tag not in tags]

    def missing(blocks: Sequence[PrintedBlock]) -> frozenset[str]:
        return left_out(blocks, dropped(blocks))

    fitting = descent.fit(limit, lambda blocks: not missing(blocks))
    too_large = missing(fitting.blocks)
    if too_large:
        # No cut makes space for these, so nothing else has to go for them.
        fitting = descent.fit(limit, lambda blocks: missing(blocks) <= too_large)

    # The ladder takes groups, of which one section may still have space.
    for block in sorted(dropped(fitting.blocks), key=importance, reverse=True):
        sections = {one.tag: one.section for one in (*fitting.blocks, block)}
        blocks = prepared.renderer.blocks(sections)
        text = join(blocks)
        used = count(text)
        if used <= limit and missing(blocks) <= too_large:
            cuts = [cut for cut in fitting.reductions if cut.tag != block.tag]
            fitting = fitting.replace(blocks=blocks, text=text, used=used, reductions=tuple(cuts))
    return fitting, dropped(fitting.blocks)


def keep_record(project: Project, assembly: Assembly, occasion: RunOccasion) -> None:
    """Imported when it is needed: a budget, or a thousand contexts in a program, go without."""
    from director_ctx.memory.runs.record import record

    record(project, assembly, occasion)


class Prepared(Record):
    """Everything decided about one context except how much of it fits."""

    profile: Profile
    draft: Draft
    renderer: Renderer
    budget: Budget
    task: dict[str, Any] | None
    warnings: tuple[str, ...]


def prepare(
    project: Project, request: Request, settings: Settings, count: Callable[[str], int]
) -> Prepared:
    """Decides what the agent gets, reads it, then drafts it.

    Git starts first, because it is the slowest.
    """
    profile = requested_profile(request, settings)
    wanted = wanted_tags(profile, request)
    layout = chosen_layout(request, profile, wanted)
    tags = wanted
    if layout in PULLED_TOOLS:
        tags = pulled_tags(request)
    recent = None
    if RECENT in tags:
        recent = _recent_changes(project, profile, request)
        recent.start()
    try:
        budget, budget_warnings = plan_budget(project, request, settings, profile)
        refuse_template(project, profile, request, wanted)
        # Also where the agent asks for it itself: it is told which task it has.
        place, task_notes = locate_task(project, request, wanted)
        job = AssemblyJob(project, profile, request, settings, tags, place, layout)
        task = task_json(project, place)
        sources, material, material_warnings = supply(job, recent)
    finally:
        if recent:
            recent.close()

    drafted = draft(profile, request, sources, material, count)
    warnings = (
        *task_notes,
        *material_warnings,
        *lacking(project, drafted),
        *drafted.warnings,
        *notes_on(project, drafted),
        *budget_warnings,
    )
    empty = tuple(tag for tag in tags if tag not in drafted.sections)
    renderer = Renderer(layout, request.format, empty)
    return Prepared(profile, drafted, renderer, budget, task, warnings)


def requested_profile(request: Request, settings: Settings) -> Profile:
    if request.skill:
        return find_profile(request.skill, settings.skills, "skill")
    return find_profile(request.agent, settings.profiles)


def _recent_changes(project: Project, profile: Profile, request: Request) -> RecentChanges:
    """Git is asked once for all contexts of a project."""
    most = profile.recent_changes
    if request.quick:
        most = min(most, QUICK_COMMITS)

    def tell_them(commits: Iterable[Commit]) -> tuple[str, ...]:
        return told(project, request, commits, most)

    def ask() -> RecentChanges:
        return RecentChanges(lambda: History(project.root), tell_them)

    return project.once(f"recent changes: {most} {request.raw}", ask)


def refuse_template(
    project: Project, profile: Profile, request: Request, wanted: Sequence[str]
) -> None:
    """Some agents cannot work without a vision; a template that nobody filled in is none."""
    is_needed = VISION in profile.requires and VISION in wanted and not request.quick
    if not is_needed or not is_template_vision(project.text(f"{FOLDER}/VISION.md")):
        return

    who = profile.name
    if profile.skill:
        who += " skill"
    raise DctxError(
        f".director/VISION.md is still a template, and the {who} cannot work without a vision.",
        "Describe the project in it first; `dctx assemble interviewer` helps. --without vision leaves it out.",
    )


def lacking(project: Project, drafted: Draft) -> tuple[str, ...]:
    """What the agent lacks. Of a file that cannot be read, its note says more."""
    lost = {note.path for note in project.notes if note.lost}
    return tuple(lack.says for lack in drafted.lacks if plain(lack.path) not in lost)


def notes_on(project: Project, drafted: Draft) -> tuple[str, ...]:
    """Notes on the files that went into this context, and on whatever could not be read on the way."""
    used = {omission.what for omission in drafted.omissions}
    for section in drafted.sections.values():
        used.update(section.sources)

    notes = []
    for note in project.notes:
        if note.lost or note.path in used:
            notes.append(f"{note.path} {note.text}")
    return tuple(notes)


def parts_now(project: Project | None) -> dict[str, str]:
    """Parts 1 to 5 of the director's context, by tag; outside of a project there are none."""
    if project is None:
        return {}

    without = f"{CONVERSATION},{COMPRESSED}"
    assembly = assemble(project, "director", without=without)
    parts = {}
    for section in assembly.sections:
        _, _, body = section.text.partition("\n")
        if body.strip():
            parts[section.tag] = body.strip()
    return parts
