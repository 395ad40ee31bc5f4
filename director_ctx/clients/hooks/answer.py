"""What a client is answered when something happens in it: nothing, a prompt with its context, or
context alone.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.hooks.assignment import assign
from director_ctx.clients.protocol import with_context, with_prompt
from director_ctx.clients.table import COMPACT, END, ENDED, PROMPT, SESSION, SPAWN, START
from director_ctx.context.settings.budget import find_model
from director_ctx.context.settings.hooks import INFORMED, Hooks, profile_for
from director_ctx.context.settings.options import default_layout, load_settings
from director_ctx.context.settings.profiles import find_profile
from director_ctx.context.settings.tags import CONVERSATION, RECENT, TAGS
from director_ctx.project.claims import bind, end, forget
from director_ctx.project.git.log import forget_early, start_early

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.protocol import Event, HookAnswer
    from director_ctx.context.assembly import Assembly
    from director_ctx.context.divide import Piece
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Settings
    from director_ctx.project.claims import Claim
    from director_ctx.project.project import Project

HAS_CONTEXT = ("resume", "fork_context")
"""Fields of a spawn that say that the agent has been there before, or has the whole conversation."""
LONGEST_LINE = 1_000_000
MOST_RUNS = 200


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
    project.session = event.session
    if event.kind == SPAWN:
        return answer_spawn(project, event)
    if event.kind == START:
        return answer_start(project, event)
    # What only one kind of event needs is loaded for that one: a spawn waits for its answer.
    if event.kind == SESSION:
        from director_ctx.clients.hooks.session_start import answer_session

        return answer_session(project, event, part)
    if event.kind == PROMPT and event.child:
        return answer_prompt_of_agent(project, event)
    if event.kind == PROMPT:
        return answer_prompt(project, event)
    if event.kind == ENDED:
        answer_ended(project, event)
    if event.kind == COMPACT:
        from director_ctx.history.summaries.before_compaction import about_to_compact

        about_to_compact(project, event)
    if event.kind == END:
        from director_ctx.clients.hooks.seen import remember_end

        remember_end(project, event.session)
        # Copilot says so twice, and before its agents have ended.
        if not event.client.prompts_of_agents:
            end(project, lambda claim: bool(claim.session) and claim.session == event.session)
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
    is_told = any(event.input.get(name) for name in HAS_CONTEXT)
    if not prompt or is_told or carries_context(prompt):
        return None
    given = context_of(project, event, prompt)
    # A short prompt that names tools has no tags to be known by.
    if given is None or (given.context and given.context.text.strip() in prompt):
        return None
    _keep_record(project, given, event)
    return with_prompt(event, f"{given.text}\n{prompt}")


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
    usual = event.client.is_usual(event.agent_type)
    rule = profile_for(event.agent_type, usual, hooks, settings.profiles, prompt or "")
    if not rule.profile:
        return None
    profile = find_profile(rule.profile, settings.profiles)
    assignment = assign(project, event, profile, prompt, rule.only_named)
    if assignment is None:
        return None
    if assignment.is_alone:
        return GivenContext(assignment.head)
    options: dict[str, str | None] = {"without": ",".join(assignment.without) or None}
    model = known_model(event, settings)
    options["task"] = assignment.task or None
    try:
        context = assemble_context(project, profile, model=model, **options)
    except DctxError:
        # Who is given no context has no task either.
        forget(project, lambda claim: claim.id == assignment.claim)
        raise
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


def answer_start(project: Project, event: Event) -> HookAnswer | None:
    """The context of an agent that has started; its prompt is not known here."""
    prompt = None
    if event.client.has_task_names:
        prompt = _task_name(event.transcript)
        if prompt is None:
            # Its prompt was known before, and answered then.
            return None
    given = context_of(project, event, prompt)
    if given is None:
        return None
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
    (text,) = divide(pieces, client.cap, 1, shown_by, client.size)
    return with_context(event, text)


def _task_name(transcript: str) -> str | None:
    """What an agent was told to do, by the name of its task: `/root/task_2_2_1`; None where it has
    none.
    """
    from director_ctx.base.light_json import parse

    try:
        with open(transcript, "rb") as file:
            meta = parse(file.readline(LONGEST_LINE).decode("utf-8", "replace"))["payload"]
        if meta.get("multi_agent_version") != "v2":
            return None
        words = str(meta.get("agent_path", "")).rpartition("/")[2].split("_")
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    numbers = [word for word in words if word.isdecimal()]
    if 1 < len(numbers) < 4 and words[-len(numbers) :] == numbers:
        units = ("goal", "step", "task")[3 - len(numbers) :]
        return ", ".join(f"{unit} {number}" for unit, number in zip(units, numbers, strict=True))
    name = " ".join(words)
    return "Do the next task." if name == "next" else name


def answer_prompt_of_agent(project: Project, event: Event) -> HookAnswer | None:
    """The same where the client tells the prompt of an agent that has started."""
    if carries_context(event.prompt) or _was_told(project, event.child):
        return None
    given = context_of(project, event, event.prompt)
    if given is None:
        return None
    _keep_record(project, given, event)
    return with_context(event, given.text)


def _was_told(project: Project, child: str) -> bool:
    """Whether an agent had its context before: what is said to it later is an event, too."""
    from director_ctx.memory.runs.storage import read_runs

    return any(run.call == child for run in read_runs(project.root, MOST_RUNS))


def answer_ended(project: Project, event: Event) -> None:
    """Gives the task of an agent back that has ended. Where its client does not say which agent that
    was, its claim stands in the prompt that was sent.
    """
    said = event.prompt
    # What a fork was told is the whole conversation, with the claims of others.
    if event.transcript and event.agent_type.casefold() not in INFORMED:
        try:
            with open(event.transcript, "rb") as file:
                said = file.read(LONGEST_LINE).decode("utf-8", "replace")
        except OSError:
            pass

    def is_its(claim: Claim) -> bool:
        if event.id:
            return claim.spawn == event.id
        return (bool(event.child) and claim.child == event.child) or f"claim {claim.id})" in said

    if event.is_launched:
        bind(project, is_its, event.child)
    else:
        end(project, is_its, event.child)


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
    home = os.environ.get("COPILOT_HOME") or os.path.join(os.path.expanduser("~"), ".copilot")
    return os.path.join(home, "session-state", event.session, "events.jsonl")
