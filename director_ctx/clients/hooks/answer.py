"""What a client is answered when something happens in it: nothing, a prompt with its context, or
context alone.
"""

from __future__ import annotations

import os

from director_ctx.base.text import plain
from director_ctx.clients.protocol import with_context, with_prompt
from director_ctx.clients.table import COMPACT, END, PROMPT, SESSION, SPAWN, START
from director_ctx.context.settings.budget import find_model
from director_ctx.context.settings.hooks import Hooks, profile_for
from director_ctx.context.settings.options import default_layout, load_settings
from director_ctx.context.settings.profiles import find_profile
from director_ctx.context.settings.tags import CONVERSATION, RECENT, STEP, TASK
from director_ctx.project.git.log import forget_early, start_early

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.protocol import Event, HookAnswer
    from director_ctx.context.assembly import Assembly
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Settings
    from director_ctx.project.project import Project

NO_SUCH_TASK = "Your prompt names {}, no task of this plan. This context is for the next task; ask if in doubt."
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
    """The context before the prompt, for an agent that begins with nothing.

    A prompt often quotes what others wrote. Tags of ours in it are no reason to give no context,
    and behind one they are escaped. Only a section that says word for word what this context says
    was given by us.
    """
    prompt = event.prompt
    # Who is resumed had its context before.
    is_resumed = any(event.input.get(name) for name in RESUMED)
    if not prompt or is_resumed:
        return None
    settings = load_settings(project)
    profile = chosen_profile(project, event, settings)
    if profile is None:
        return None

    model = known_model(event, settings)
    task = _task_of(project, profile, prompt)
    context = assemble_context(project, profile, model=model, **task)
    if has_context(prompt, context):
        return None

    from director_ctx.base.escape import escape_tags

    _keep_record(project, context, event)
    if not context.text:
        return None
    safe_prompt, _ = escape_tags(prompt)
    return with_prompt(event, f"{context.text}\n{safe_prompt}")


def _keep_record(project: Project, context: Assembly, event: Event) -> None:
    from director_ctx.assembling.assemble import keep_record
    from director_ctx.memory.runs.run import HOOK, RunOccasion

    occasion = RunOccasion(HOOK, event.client.name, event.session, event.id)
    keep_record(project, context, occasion)


def chosen_profile(project: Project, event: Event, settings: Settings) -> Profile | None:
    """What an agent of this type gets in this project, if anything."""
    hooks = settings.hooks or Hooks()
    usual = event.client.is_usual(event.agent_type)
    rule = profile_for(event.agent_type, usual, hooks, settings.profiles, event.prompt)
    if not rule.profile:
        return None
    if rule.only_named:
        from director_ctx.project.tasks.mentioned import mentioned_task

        place = mentioned_task(project, event.prompt).place
        if place is None or place.task is None:
            return None
    return find_profile(rule.profile, settings.profiles)


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


def has_context(prompt: str, context: Assembly) -> bool:
    """Whether one section of the context stands in the prompt already, however it is indented
    there.
    """
    # Without a closing tag no section in tags is in it; most prompts are known by that alone.
    is_in_tags = all(section.text.endswith(">") for section in context.sections)
    if is_in_tags and "</" not in prompt:
        return False
    prompt_words = _in_one_line(prompt)
    return any(_in_one_line(section.text) in prompt_words for section in context.sections)


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _task_of(project: Project, profile: Profile, prompt: str) -> dict[str, str]:
    """The task that the prompt names, for an agent that works on one; a word about it where there
    is no such task.
    """
    if STEP not in profile.sections and TASK not in profile.sections:
        return {}
    from director_ctx.project.tasks.mentioned import mentioned_task

    mentioned = mentioned_task(project, prompt)
    place = mentioned.place
    if place and place.task:
        return {"task": place.task.path}
    if not mentioned.unknown:
        return {}
    unknown = plain(mentioned.unknown)[:200]
    note = NO_SUCH_TASK.format(unknown)
    return {"note": note}


def answer_start(
    project: Project,
    event: Event,
    part: int,
) -> HookAnswer | None:
    """One part of the context of an agent that has started; its prompt is not known here, so it is
    the next task.
    """
    settings = load_settings(project)
    profile = chosen_profile(project, event, settings)
    if profile is None:
        return None
    model = known_model(event, settings)
    context = assemble_context(project, profile, model=model)
    # The parts are asked for one by one: only the first of them keeps the context on record.
    if part == 1:
        _keep_record(project, context, event)

    from director_ctx.base.system.own_name import section_command
    from director_ctx.context.divide import divide

    task = ""
    if context.task:
        task = context.task["ref"]

    def shown_by(tag: str) -> str:
        return section_command(context.agent, task, tag)

    client = event.client
    parts = divide(context.sections, client.cap, client.parts, shown_by, client.size)
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
