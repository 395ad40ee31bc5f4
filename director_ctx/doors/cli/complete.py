"""What a shell may offer: agents, tasks, tags, models and runs. Never fails, never prints.

This module is loaded for every help text, too; what one completer needs is loaded in it.
"""

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
    from collections.abc import Callable, Iterable, Iterator

    Rows = Iterable[tuple[str, str]]
    """Names with a word about each."""


def names_that_begin(names: Iterable[str], incomplete: str) -> list[str]:
    """Names that say enough by themselves."""
    return [name for name in names if name.startswith(incomplete)]


def _offering(rows: Callable[[], Rows]) -> Callable[[str], list[tuple[str, str]]]:
    """Of these rows, those that begin with what was typed so far; none where nothing can be read."""

    # Typer evaluates the annotations of a completer, so they name nothing of this module.
    def offer(incomplete: str) -> list[tuple[str, str]]:
        # A name or a record may have been anywhere, and a shell obeys what it shows.
        try:
            known = [(plain(name), plain(about)) for name, about in rows()]
        except (DctxError, OSError):
            return []
        return [row for row in known if row[0].startswith(incomplete)]

    return offer


def _agents() -> Rows:
    return _purposes("profiles")


def _skill_profiles() -> Rows:
    return _purposes("skills")


def _profiles() -> Rows:
    return [*_agents(), *_skill_profiles()]


def _purposes(table: str) -> Rows:
    """The profiles of this project's agents or skills, or the shipped ones."""
    from director_ctx.context.settings.options import load_settings

    known = PROFILES if table == "profiles" else SKILLS
    try:
        known = getattr(load_settings(load_project()), table)
    except (DctxError, OSError):
        pass
    return [(name, profile.purpose) for name, profile in known.items()]


def _tasks() -> Rows:
    project = load_project()
    return [(place.ref, project.title(place.task)) for place in places(project) if place.task]


def _tasks_to_do() -> Rows:
    """Open tasks first, and the finished ones behind them."""
    project = load_project()
    found = [(place, place.task) for place in places(project) if place.task]
    found.sort(key=lambda pair: pair[1].done)
    return [(place.ref, project.title(task)) for place, task in found]


def _goals() -> Rows:
    project = load_project()
    return [(str(goal.number), project.title(goal)) for goal in project.goals()]


def _steps() -> Iterator[tuple[str, str]]:
    """As GOAL/STEP, which is understood wherever one stands."""
    project = load_project()
    for goal in project.goals():
        for step in project.steps(goal):
            yield f"{goal.number}/{step.number}", project.title(step)


def paths(incomplete: str) -> list[str]:
    """Files and folders, where a shell does not offer them by itself."""
    import os

    folder, _, start = incomplete.rpartition("/")
    shown_folder = incomplete.removesuffix(start)
    try:
        names = sorted(os.listdir(folder or shown_folder or "."))
    except OSError:
        return []
    found = [name for name in names if name.startswith(start) and (start or name[0] != ".")]
    return [f"{shown_folder}{name}" for name in found]


def _runs() -> Rows:
    """The runs on record, newest first, with what each was for."""
    from director_ctx.memory.runs.storage import read_runs

    recorded = reversed(read_runs(load_project().root))
    return [(run.id, f"{run.agent} {run.task} {run.time}") for run in recorded]


def _skills() -> Rows:
    """The skills that are here, each name once, with where the nearest one is."""
    from director_ctx.clients.skills.files import list_skills, skills_root

    # The nearest stand first, so they are written last.
    return {skill.name: skill.source for skill in reversed(list_skills(skills_root(None)))}.items()


def _plan_tasks() -> Rows:
    """The tasks of the current plan."""
    from director_ctx.memory.plans.plan import current_plan
    from director_ctx.memory.plans.tasks import every_task
    from director_ctx.memory.store.open import project_here

    version = current_plan(project_here(None))
    return [(task.name, task.description) for task in every_task(version.data)] if version else []


def plan_statuses(incomplete: str) -> list[str]:
    from director_ctx.memory.plans.rules import STATUSES

    return names_that_begin(STATUSES, incomplete)


def _variables() -> Rows:
    """The variables, with their values as a context shows them."""
    from director_ctx.memory.store.open import project_here
    from director_ctx.memory.variables.display import shown, shown_name
    from director_ctx.memory.variables.variables import variables

    return [
        (shown_name(row.name), shown(row.name, row.stored)) for row in variables(project_here(None))
    ]


def tabs(incomplete: str) -> list[tuple[str, str]]:
    """The open tabs of the browser that is known, under the names that they have."""
    from director_ctx.browser.display import shown_url
    from director_ctx.browser.state import known_tabs
    from director_ctx.memory.store.open import project_here

    try:
        known = known_tabs(project_here(None))
    except (DctxError, OSError):
        return []
    # `find_tab` minds no capitals either.
    found = [tab for tab in known if tab.name.lower().startswith(incomplete.lower())]
    return [(tab.name, shown_url(tab.tab.url)) for tab in found]


def browser_actions(incomplete: str) -> list[str]:
    return names_that_begin(("click", "type", "wait", "close"), incomplete)


def _sessions() -> Rows:
    """The newest sessions of this project."""
    from director_ctx.history.sessions.find import list_sessions

    return [(session.id, session.title) for session in reversed(list_sessions(None, most=20))]


def sessions_and_files(incomplete: str) -> list[tuple[str, str]]:
    """A shell offers files by itself only where it is offered nothing else."""
    return [*_offering(_sessions)(incomplete), *((path, "a file") for path in paths(incomplete))]


def _settings() -> Rows:
    from director_ctx.context.settings.config import meanings

    return meanings().items()


def inputs(incomplete: str) -> list[str]:
    """What `--input` takes, of the agents that take one."""
    from director_ctx.context.instructions import ROLES

    names = [f"{name}={value}" for name, roles in ROLES.items() for value in roles]
    return names_that_begin([*names, "attempt=2"], incomplete)


def topics(incomplete: str) -> list[str]:
    """What `dctx help` knows something about."""
    from director_ctx.doors.cli.shared.front import first_words
    from director_ctx.doors.cli.shared.topics import TOPICS

    # A topic may be a command as well.
    return names_that_begin(dict.fromkeys([*first_words(), *TOPICS]), incomplete)


COMPLETERS: dict[str, Callable[[str], list[tuple[str, str]] | list[str]]] = {
    "agent": _offering(_agents),
    "profile": _offering(_profiles),
    "skill-profile": _offering(_skill_profiles),
    "task": _offering(_tasks),
    "task-to-do": _offering(_tasks_to_do),
    "addable": lambda incomplete: names_that_begin(("goal", "step", "task", "idea"), incomplete),
    "tag": lambda incomplete: names_that_begin(TAGS, incomplete),
    "model": lambda incomplete: names_that_begin(MODELS, incomplete),
    "input": inputs,
    "run": _offering(_runs),
    "skill": _offering(_skills),
    "variable": _offering(_variables),
    "plan-task": _offering(_plan_tasks),
    "plan-status": plan_statuses,
    "tab": tabs,
    "browser-action": browser_actions,
    "session": sessions_and_files,
    "goal": _offering(_goals),
    "step": _offering(_steps),
    "topic": topics,
    "setting": _offering(_settings),
}
