"""What a client is answered when something happens in it: nothing, a prompt with its context, or
context alone.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.clients.hooks.assignment import assign
from director_ctx.clients.protocol import with_context, with_prompt
from director_ctx.clients.table import COMPACT, END, PROMPT, SESSION, SPAWN, START
from director_ctx.context.settings.budget import find_model
from director_ctx.context.settings.hooks import Hooks, profile_for
from director_ctx.context.settings.options import default_layout, load_settings
from director_ctx.context.settings.profiles import find_profile
from director_ctx.context.settings.tags import CONVERSATION, RECENT, TAGS
from director_ctx.project.git.log import forget_early, start_early

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.protocol import Event, HookAnswer
    from director_ctx.context.assembly import Assembly
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Settings
    from director_ctx.context.divide import Piece
    from director_ctx.project.project import Project

RESUMED = ("resume",)
"""Fields of a spawn that say that the agent has been there before."""


def answer_in(root: str, event: Event, part: str) -> str:
    """The answer as a client reads it, in a project; an empty text where there is nothing to say."""
    from director_ctx.base.light_json import dump
    from director_ctx.project.project import load_project

    number = 1
    if part.isdecimal():
        number = int(part)
    document = answer(load_project(root=root), event, number)
    if not document:
        return ""
    return dump(document)


def answer(
    project: Project,
    event: Event,
    part: int = 1,
) -> HookAnswer | None:
    """The answer to an event, or None where there is nothing to say. Raises DctxError where it
    cannot be made.
    """
    if event.borrowed and _has_own_hooks(project, event):
        return None
    if event.kind == SPAWN:
        return answer_spawn(project, event)
    if event.kind == START:
        return answer_start(project, event, part)
    # What only one kind of event needs is loaded for that one: a spawn waits for its answer.
    if event.kind == SESSION:
        from director_ctx.clients.hooks.session_start import answer_session

        return answer_session(project, event, part)
    if event.kind == PROMPT:
        return answer_prompt(project, event)
    if event.kind == COMPACT:
        from director_ctx.history.summaries.before_compaction import about_to_compact

        about_to_compact(project, event)
    if event.kind == END:
        from director_ctx.clients.hooks.seen import remember_end

        remember_end(project, event.session)
    return None


def _has_own_hooks(project: Project, event: Event) -> bool:
    """Whether a client that calls the hooks of another has some of its own as well: those answer,
    and nothing twice.
    """
    from director_ctx.clients.program import calls_us

    return calls_us(event.client, project.root)


def answer_spawn(project: Project, event: Event) -> HookAnswer | None:
    """The context before the prompt, for an agent that begins with nothing."""
    prompt = event.prompt
    # Who is resumed had its context before.
    is_resumed = any(event.input.get(name) for name in RESUMED)
    if not prompt or is_resumed or carries_context(prompt):
        return None
    context = context_of(project, event, prompt)
    if context is None:
        return None
    _keep_record(project, context, event)
    return with_prompt(event, f"{context.text}\n{prompt}")


def carries_context(prompt: str) -> bool:
    """Whether somebody has assembled a context already: one of our tags is a line of its own."""
    if "<" not in prompt:
        return False
    for line in prompt.splitlines():
        tag = line.strip()
        if tag[:1] == "<" and tag[-1:] == ">" and tag[1:-1].lstrip("/") in TAGS:
            return True
    return False


class GivenContext(Record):
    """What a hook sends to an agent."""

    head: str
    context: Assembly | None = None

    @property
    def text(self) -> str:
        return f"{self.head}\n\n{self.context.text}" if self.context else f"{self.head}\n"


def context_of(project: Project, event: Event, prompt: str | None) -> GivenContext | None:
    """What an agent is told, by its type and by its prompt; None for nothing."""
    settings = load_settings(project)
    hooks = settings.hooks or Hooks()
    is_usual = event.agent_type.strip().casefold() == event.client.usual_type.casefold()
    rule = profile_for(event.agent_type, is_usual, hooks, settings.profiles, prompt or "")
    if not rule.profile:
        return None
    profile = find_profile(rule.profile, settings.profiles)
    assignment = assign(project, event, profile, prompt, rule.only_named)
    if assignment is None:
        return None
    if assignment.is_alone:
        return GivenContext(assignment.head)
    options = {"without": ",".join(assignment.without)} if assignment.without else {}
    model = known_model(event, settings)
    context = assemble_context(
        project, profile, model=model, task=assignment.task or None, **options
    )
    return GivenContext(assignment.head, context)


def _keep_record(project: Project, given: GivenContext, event: Event) -> None:
    if given.context is None:
        return
    from director_ctx.assembling.assemble import keep_record
    from director_ctx.memory.runs.run import HOOK, RunOccasion

    occasion = RunOccasion(HOOK, event.client.name, event.session, event.id)
    keep_record(project, given.context, occasion)


def known_model(event: Event, settings: Settings) -> str | None:
    """The model that the agent runs on; `inherit` and unknown ones leave the window to the project."""
    if event.model and find_model(event.model, settings.models):
        return event.model
    return None


def assemble_context(project: Project, profile: Profile, **options: Any) -> Assembly:
    """The context. Git is at work while the rest of the program is loaded."""
    layout = default_layout(project, profile.name, os.environ)
    tags = profile.sections
    if layout:
        # A short prompt, in which nothing of these stands.
        tags = ()
    if RECENT in tags:
        start_early(project.root)
    from director_ctx.assembling.assemble import assemble

    try:
        context = assemble(project, profile.name, layout=layout, **options)
    finally:
        # Git ends with the hook, whether its answer was waited for or not.
        forget_early(project.root)
    if CONVERSATION in tags:
        from director_ctx.assembling.overfull import compress_apart

        compress_apart(project, context)
    return context


def answer_start(
    project: Project,
    event: Event,
    part: int,
) -> HookAnswer | None:
    """One part of the context of an agent that has started; its prompt is not known here."""
    given = context_of(project, event, None)
    if given is None:
        return None
    # The parts are asked for one by one: only the first of them keeps the context on record.
    if part == 1:
        _keep_record(project, given, event)

    from director_ctx.base.system.own_name import section_command
    from director_ctx.clients.hooks.session_start import SessionPart
    from director_ctx.context.divide import divide

    context = given.context
    task = ""
    pieces: list[Piece] = [SessionPart("head", given.head)]
    if context:
        pieces += context.sections
        task = context.task["ref"] if context.task else ""

    def shown_by(tag: str) -> str:
        return section_command(context.agent if context else "builder", task, tag)

    client = event.client
    parts = divide(pieces, client.cap, client.parts, shown_by, client.size)
    if not 0 < part <= len(parts):
        return None
    return with_context(event, parts[part - 1])


def answer_prompt(project: Project, event: Event) -> HookAnswer | None:
    """A line when the window is filling up."""
    from director_ctx.history.sessions.usage import tokens_in_use

    transcript = event.transcript or _unnamed_transcript(event)
    if not transcript:
        return None
    used = tokens_in_use(transcript)
    if used is None:
        return None
    hooks = load_settings(project).hooks or Hooks()
    if used < hooks.warn:
        return None

    # Before most prompts the window is not full, and none of this is needed.
    from director_ctx.base.system.own_name import own_name
    from director_ctx.context.settings.filling import PROMPT as BEFORE_PROMPT
    from director_ctx.context.settings.filling import advice, sentence, state_of

    state = state_of(used, hooks.warn, hooks.urgent)
    said = sentence(used, hooks.warn, hooks.urgent)
    what_to_do = advice(BEFORE_PROMPT, state, own_name())
    return with_context(event, f"{said} {what_to_do}")


def _unnamed_transcript(event: Event) -> str:
    """Where a client writes a session whose events do not say it."""
    if event.client.name != "copilot":
        return ""
    # The session becomes the name of a folder, and nothing in it may lead elsewhere.
    is_plain_id = event.session.replace("-", "").isalnum()
    if not is_plain_id:
        return ""
    from director_ctx.history.sessions.files import copilot_transcript

    return copilot_transcript(event.session)
