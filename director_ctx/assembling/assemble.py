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
    share_of,
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
    assembly = _assembly(prepare(project, agent, options, count, counter))
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
    return _assembly(prepare(project, agent, options, None, counter), left_out)


def _assembly(prepared: Prepared, left_out: LeftOut | None = None) -> Assembly:
    settings = prepared.settings
    count = prepared.count
    drafted = prepared.draft

    descent = prepared.descent()
    fitting = descent.fit(prepared.budget.limit)
    too_large: Sequence[PrintedBlock] = ()
    if left_out:
        fitting, too_large = _fit_text(prepared, descent, left_out)

    warnings = prepared.warnings
    if CONVERSATION in drafted.sections:
        from director_ctx.assembling.overfull import warnings_at
        from director_ctx.context.settings.hooks import Hooks

        warnings = (*warnings, *warnings_at(fitting.whole, settings.hooks or Hooks()))
    return Assembly(
        agent=prepared.profile.name,
        budget=prepared.budget.replace(used=fitting.used, status=fitting.status),
        counter=prepared.counter,
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
    prepared: Prepared, descent: Descent, left_out: LeftOut
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
        used = prepared.count(text)
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

    settings: Settings
    profile: Profile
    draft: Draft
    renderer: Renderer
    count: Callable[[str], int]
    counter: Counter
    budget: Budget
    share: str
    """The budget as it was said: a share of the window, or a number of tokens."""
    task: dict[str, Any] | None
    warnings: tuple[str, ...]

    def descent(self) -> Descent:
        return Descent(self.draft, self.profile.protect, self.renderer.blocks, self.count)


def prepare(
    project: Project,
    agent: str | None,
    options: dict[str, Any],
    count: Callable[[str], int] | None = None,
    counter: str | Counter | None = None,
) -> Prepared:
    """Decides what the agent gets, reads it, then drafts it.

    Git starts first, because it is the slowest.
    """
    settings = load_settings(project)
    request = make_request(agent, options)
    count, counter = settle_counter(counter, count, request, settings)
    if request.skill:
        profile = find_profile(request.skill, settings.skills, "skill")
    else:
        profile = find_profile(request.agent, settings.profiles)
    wanted = wanted_tags(profile, request)
    layout = chosen_layout(request, profile, wanted)
    tags = pulled_tags(request) if layout in PULLED_TOOLS else wanted
    recent = _recent_changes(project, profile, request) if RECENT in tags else None
    if recent:
        recent.start()
    try:
        budget, budget_warnings = plan_budget(project, request, settings, profile)
        if VISION in profile.requires and VISION in wanted and not request.quick:
            _refuse_template(project, profile)
        # Also where the agent asks for it itself: it is told which task it has.
        place, task_notes = locate_task(project, request, wanted)
        job = AssemblyJob(project, profile, request, settings, tags, place, layout)
        task = task_json(project, place)
        sources, material, material_warnings = supply(job, recent)
    finally:
        if recent:
            recent.close()

    drafted = draft(profile, request, sources, material, count)
    # Of a file that cannot be read, its note says more than that it is lacking.
    lost = {note.path for note in project.notes if note.lost}
    used = {omission.what for omission in drafted.omissions}
    for section in drafted.sections.values():
        used.update(section.sources)
    warnings = (
        *task_notes,
        *material_warnings,
        *(lack.says for lack in drafted.lacks if plain(lack.path) not in lost),
        *drafted.warnings,
        *(f"{note.path} {note.text}" for note in project.notes if note.lost or note.path in used),
        *budget_warnings,
    )
    empty = tuple(tag for tag in tags if tag not in drafted.sections)
    return Prepared(
        settings=settings,
        profile=profile,
        draft=drafted,
        renderer=Renderer(layout, request.format, empty),
        count=count,
        counter=counter,
        budget=budget,
        share=share_of(request, settings, profile),
        task=task,
        warnings=warnings,
    )


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


def _refuse_template(project: Project, profile: Profile) -> None:
    """Some agents cannot work without a vision; a template that nobody filled in is none."""
    if is_template_vision(project.text(f"{FOLDER}/VISION.md")):
        who = f"{profile.name} skill" if profile.skill else profile.name
        raise DctxError(
            f".director/VISION.md is still a template, and the {who} cannot work without a vision.",
            "Describe the project in it first; `dctx assemble interviewer` helps. --without vision leaves it out.",
        )


def parts_now(project: Project | None) -> dict[str, str]:
    """Parts 1 to 5 of the director's context, by tag; outside of a project there are none."""
    if project is None:
        return {}

    without = f"{CONVERSATION},{COMPRESSED}"
    sections = assemble(project, "director", without=without).sections
    bodies = {section.tag: section.text.partition("\n")[2].strip() for section in sections}
    return {tag: body for tag, body in bodies.items() if body}
