"""What a shell may offer: agents, tasks, tags, models and runs. Never fails, never prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.context.settings.budget import MODELS
from director_ctx.context.settings.profiles import PROFILES, SKILLS
from director_ctx.context.settings.tags import TAGS
from director_ctx.project.project import load_project
from director_ctx.project.tasks.next import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from director_ctx.context.settings.profiles import Profile


def agents(incomplete: str) -> list[tuple[str, str]]:
    """The agents of this project, with what each is for."""
    profiles_here, _ = _known_profiles()
    return _offered_profiles(profiles_here, incomplete)


def skill_profiles(incomplete: str) -> list[tuple[str, str]]:
    _, skills_here = _known_profiles()
    return _offered_profiles(skills_here, incomplete)


def profiles(incomplete: str) -> list[tuple[str, str]]:
    return agents(incomplete) + skill_profiles(incomplete)


def _known_profiles() -> tuple[Mapping[str, Profile], Mapping[str, Profile]]:
    """The profiles of this project's agents and skills, or the shipped ones."""
    # This module is loaded for every help text, too; what one completer needs is loaded in it.
    from director_ctx.context.settings.options import load_settings

    try:
        settings = load_settings(load_project())
    except (DctxError, OSError):
        return PROFILES, SKILLS
    return settings.profiles, settings.skills


def _offered_profiles(known: Mapping[str, Profile], incomplete: str) -> list[tuple[str, str]]:
    purposes = {name: profile.purpose for name, profile in known.items()}
    return _offered(purposes.items(), incomplete)


def _offered(pairs: Iterable[tuple[str, str]], incomplete: str) -> list[tuple[str, str]]:
    """Names with a word about each, of those that begin with what was typed so far."""
    return [(name, about) for name, about in pairs if name.startswith(incomplete)]


def names_that_begin(names: Iterable[str], incomplete: str) -> list[str]:
    """The same for names that say enough by themselves."""
    return [name for name in names if name.startswith(incomplete)]


def tasks(incomplete: str) -> list[tuple[str, str]]:
    try:
        project = load_project()
    except (DctxError, OSError):
        return []

    offered = []
    for place in places(project):
        if place.task and place.ref.startswith(incomplete):
            offered.append((place.ref, project.title(place.task)))
    return offered


def tasks_to_do(incomplete: str) -> list[tuple[str, str]]:
    """Open tasks first, and the finished ones behind them."""
    return _tasks_in_order(incomplete, done_first=False)


def tasks_to_reopen(incomplete: str) -> list[tuple[str, str]]:
    return _tasks_in_order(incomplete, done_first=True)


def _tasks_in_order(incomplete: str, done_first: bool) -> list[tuple[str, str]]:
    try:
        project = load_project()
    except (DctxError, OSError):
        return []

    first: list[tuple[str, str]] = []
    last: list[tuple[str, str]] = []
    for place in places(project):
        if place.task and place.ref.startswith(incomplete):
            row = (place.ref, project.title(place.task))
            if place.task.done == done_first:
                first.append(row)
            else:
                last.append(row)
    return first + last


def paths(incomplete: str) -> list[str]:
    """Files and folders, where a shell does not offer them by itself."""
    import os

    folder, _, start = incomplete.rpartition("/")
    shown_folder = incomplete.removesuffix(start)
    try:
        names = sorted(os.listdir(folder or shown_folder or "."))
    except OSError:
        return []

    offered = []
    for name in names:
        is_hidden = name.startswith(".") and not start
        if name.startswith(start) and not is_hidden:
            offered.append(f"{shown_folder}{name}")
    return offered


def tags(incomplete: str) -> list[str]:
    return names_that_begin(TAGS, incomplete)


def models(incomplete: str) -> list[str]:
    return names_that_begin(MODELS, incomplete)


def runs(incomplete: str) -> list[tuple[str, str]]:
    """The runs on record, newest first, with what each was for."""
    from director_ctx.memory.runs.storage import read_runs

    try:
        recorded = read_runs(load_project().root)
    except (DctxError, OSError):
        return []

    offered = []
    for run in reversed(recorded):
        if run.id.startswith(incomplete):
            # A record may have been anywhere, and a shell obeys what it shows.
            offered.append((run.id, plain(f"{run.agent} {run.task} {run.time}")))
    return offered


def skills(incomplete: str) -> list[tuple[str, str]]:
    """The skills that are here, each name once, with where the nearest one is."""
    from director_ctx.clients.skills.files import list_skills, skills_root

    try:
        known = list_skills(skills_root(None))
    except (DctxError, OSError):
        return []

    # The nearest stand first, so they are written last.
    nearest = {skill.name: skill.source for skill in reversed(known)}
    offered = []
    for name, source in _offered(nearest.items(), incomplete):
        offered.append((plain(name), source))
    return offered


def plan_tasks(incomplete: str) -> list[tuple[str, str]]:
    """The tasks of the current plan."""
    from director_ctx.memory.plans.plan import current_plan
    from director_ctx.memory.plans.tasks import every_task
    from director_ctx.memory.store.open import project_here

    try:
        version = current_plan(project_here(None))
        if version is None:
            return []
        planned = list(every_task(version.data))
    except (DctxError, OSError):
        return []

    offered = []
    for task in planned:
        if task.name.startswith(incomplete):
            offered.append((plain(task.name), plain(task.description)))
    return offered


def plan_statuses(incomplete: str) -> list[str]:
    from director_ctx.memory.plans.rules import STATUSES

    return names_that_begin(STATUSES, incomplete)


def variables(incomplete: str) -> list[tuple[str, str]]:
    """The variables, with their values as a context shows them."""
    from director_ctx.memory.store.open import project_here
    from director_ctx.memory.variables.display import shown, shown_name
    from director_ctx.memory.variables.variables import variables as every_variable

    try:
        rows = every_variable(project_here(None))
    except (DctxError, OSError):
        return []

    offered = []
    for row in rows:
        if row.name.startswith(incomplete):
            offered.append((shown_name(row.name), shown(row.name, row.stored)))
    return offered


def tabs(incomplete: str) -> list[tuple[str, str]]:
    """The open tabs of the browser that is known, under the names that they have."""
    from director_ctx.browser.display import shown_url
    from director_ctx.browser.state import known_tabs
    from director_ctx.memory.store.open import project_here

    try:
        known = known_tabs(project_here(None))
    except (DctxError, OSError):
        return []

    offered = []
    for tab in known:
        # `find_tab` minds no capitals either.
        if tab.name.lower().startswith(incomplete.lower()):
            offered.append((tab.name, shown_url(tab.tab.url)))
    return offered


def sessions(incomplete: str) -> list[tuple[str, str]]:
    """The newest sessions of this project."""
    from director_ctx.history.sessions.find import list_sessions

    try:
        newest = list_sessions(None, most=20)
    except (DctxError, OSError):
        return []

    offered = []
    for session in reversed(newest):
        if session.id.startswith(incomplete):
            offered.append((session.id, plain(session.title)))
    return offered


def settings(incomplete: str) -> list[tuple[str, str]]:
    from director_ctx.context.settings.schema import MEANINGS

    return _offered(MEANINGS.items(), incomplete)


def browser_actions(incomplete: str) -> list[str]:
    return names_that_begin(("click", "type", "wait"), incomplete)


def sessions_and_files(incomplete: str) -> list[tuple[str, str]]:
    """A shell offers files by itself only where it is offered nothing else."""
    offered = sessions(incomplete)
    for path in paths(incomplete):
        offered.append((path, "a file"))
    return offered


def goals(incomplete: str) -> list[tuple[str, str]]:
    try:
        project = load_project()
        known = project.goals()
    except (DctxError, OSError):
        return []
    pairs = [(str(goal.number), project.title(goal)) for goal in known]
    return _offered(pairs, incomplete)


def steps(incomplete: str) -> list[tuple[str, str]]:
    """As GOAL/STEP, which is understood wherever one stands."""
    try:
        project = load_project()
        pairs = []
        for goal in project.goals():
            for step in project.steps(goal):
                pairs.append((f"{goal.number}/{step.number}", project.title(step)))
    except (DctxError, OSError):
        return []
    return _offered(pairs, incomplete)


def topics(incomplete: str) -> list[str]:
    """What `dctx help` knows something about."""
    from director_ctx.doors.cli.shared.front import first_words
    from director_ctx.doors.cli.shared.topics import TOPICS

    # A topic may be a command as well.
    names = dict.fromkeys([*first_words(), *TOPICS])
    return names_that_begin(names, incomplete)


COMPLETERS: dict[str, Callable[[str], list[tuple[str, str]] | list[str]]] = {
    "agent": agents,
    "profile": profiles,
    "skill-profile": skill_profiles,
    "task": tasks,
    "task-to-do": tasks_to_do,
    "task-to-reopen": tasks_to_reopen,
    "tag": tags,
    "model": models,
    "run": runs,
    "skill": skills,
    "variable": variables,
    "plan-task": plan_tasks,
    "plan-status": plan_statuses,
    "tab": tabs,
    "browser-action": browser_actions,
    "session": sessions_and_files,
    "goal": goals,
    "step": steps,
    "topic": topics,
    "setting": settings,
}
