"""What was asked for: one agent, and the options that shape its context."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.context.settings.budget import DEFAULT_BUDGET
from director_ctx.context.settings.keywords import RESEARCH_TYPES, TASK_TYPES, Kind
from director_ctx.context.settings.profiles import PROFILES, SKILLS, Profile
from director_ctx.context.settings.tags import ALIASES, INSTRUCTIONS, SYSTEM, TAGS, TASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.context.settings.budget import Model
    from director_ctx.context.settings.chat import ChatSettings
    from director_ctx.context.settings.hooks import Hooks


INPUTS = ("focus", "domain", "mode", "attempt")
"""Rare ones, each of a few agents: `--input NAME=VALUE` on the command line."""
SAID_IN_INSTRUCTIONS = ("note", "question", "issues", "changes", *INPUTS)
"""Options that have no section of their own."""


class Request(Record):
    """The options of `dctx assemble`, under the names they have there."""

    agent: str
    task: str | None = None
    goal: str | None = None
    step: str | None = None
    codebase: tuple[str, ...] = ()
    research: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    ref: tuple[str, ...] = ()
    note: str | None = None
    focus: str | None = None
    domain: str | None = None
    mode: str | None = None
    question: str | None = None
    issues: str | None = None
    changes: str | None = None
    attempt: str | None = None
    quick: str | None = None
    layout: str = ""
    """Empty: the profile's own."""
    format: str = "xml"
    raw: bool = False
    model: str | None = None
    window: str | None = None
    budget: str | None = None
    skill: str | None = None
    """Instead of an agent."""


class Settings(Record):
    """The shipped tables, or what a project's `dctx.yaml` makes of them."""

    profiles: Mapping[str, Profile] = PROFILES
    skills: Mapping[str, Profile] = SKILLS
    task_types: tuple[Kind, ...] = TASK_TYPES
    research_types: tuple[Kind, ...] = RESEARCH_TYPES
    models: Mapping[str, Model] = {}
    """Of the project's own, beside those that are known."""
    model: str | None = None
    window: int | None = None
    budget: str = DEFAULT_BUDGET
    counter: str | None = None
    record: bool = True
    compress: bool = True
    """Whether a conversation that fills its context is compressed without asking."""
    store: str | None = None
    """The URL of a database that a team shares."""
    workflow_id: str | None = None
    hooks: Hooks | None = None
    """What `dctx.yaml` says about hooks; there are defaults."""
    chat: ChatSettings | None = None
    """The same for chats."""


def wanted_tags(profile: Profile, request: Request) -> tuple[str, ...]:
    """The profile's tags, with those that the options add and without those they remove."""
    tags = set(profile.sections)
    tags.update(chosen_tags(request.with_, "--with"))
    removed = removed_tags(request)

    may_have_task = TASK in profile.optional
    if request.quick or (request.task and may_have_task):
        tags.add(TASK)
    # Whatever is said in the instructions needs them, though a skill has none of its own.
    if profile.skill and _says_anything(request):
        tags.add(INSTRUCTIONS)
    tags.difference_update(removed)
    return tuple(tag for tag in TAGS if tag in tags)


def pulled_tags(request: Request) -> tuple[str, ...]:
    """What the pull layout puts into a context: its system prompt, and what is asked for by name."""
    tags = {SYSTEM, *chosen_tags(request.with_, "--with")}
    if request.quick:
        # No tool could fetch it: it is in no folder.
        tags.add(TASK)
    tags.difference_update(removed_tags(request))
    tags.add(SYSTEM)
    return tuple(tag for tag in TAGS if tag in tags)


def _says_anything(request: Request) -> bool:
    """Whether an option is to be said in the instructions."""
    return any(getattr(request, name) for name in SAID_IN_INSTRUCTIONS)


def removed_tags(request: Request) -> tuple[str, ...]:
    removed = chosen_tags(request.without, "--without")
    if INSTRUCTIONS in removed and not request.skill:
        raise UsageProblem("Every context ends with instructions.", "Leave out something else.")
    return removed


def is_tag(name: str) -> bool:
    return _spelled(name) in TAGS


def _spelled(name: str) -> str:
    spelled = name.strip().casefold()
    return ALIASES.get(spelled, spelled).replace("-", "_")


def chosen_tags(names: tuple[str, ...], option: str) -> tuple[str, ...]:
    """The tags that an option names, however they are spelled."""
    tags = []
    for name in names:
        tag = _spelled(name)
        if tag not in TAGS:
            known = ", ".join((*TAGS, *ALIASES))
            raise UsageProblem(f"{option}: there is no tag {name!r}.", f"Tags: {known}")
        tags.append(tag)
    return tuple(tags)
