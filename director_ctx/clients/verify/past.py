"""The third proof: what the transcripts of past sessions say of the agents that were spawned in
them.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.clients.entries import PROGRAM, is_ours
from director_ctx.clients.hooks.agents import profile_here
from director_ctx.clients.hooks.failures import had_nothing_to_do, recent_failures
from director_ctx.clients.verify.proof import FAILED, NOTHING, PROVEN, SEEN, Proof
from director_ctx.context.settings.tags import TAGS
from director_ctx.context.tokens.transcripts import default_folder
from director_ctx.history.sessions.files import folders_of
from director_ctx.history.sessions.past import ANSWERED, BROKE, LATE, PastSession, read_sessions
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.sessions.past import HookRun, SpawnedAgent
    from director_ctx.project.project import Project

NAME, LOG = "past sessions", "hooks.log"
GIVEN, NONE, UNASKED, LOST, DONE = "given", "none", "unasked", "lost", "done"
MOST = 10


class Case(Record):
    """One agent of a past session: whether it got its context, and if not, why."""

    kind: str
    state: str
    why: str = ""


def is_our_command(command: str) -> bool:
    """However dctx was called: every entry of ours names its client; where it was not found, maybe
    only itself.
    """
    if " hook --client " in f"{command} ":
        return PROGRAM in command or "director_ctx" in command
    return is_ours({"command": command}) or is_ours({"command": command, "args": ["hook"]})


def prove_log(root: str) -> Iterator[Proof]:
    """What hooks wrote down about themselves; no word where there is nothing."""
    failures = recent_failures(root)
    if not failures:
        return
    count = "1 time" if len(failures) == 1 else f"{len(failures)} times"
    verdict = f"{LOG}: hooks failed {count} lately, and have not worked since."
    details = [f"{failure.age}: {failure.said}" for failure in failures[-MOST:]]
    yield Proof("", LOG, FAILED, verdict, tuple(details))


def prove_past(project: Project, folder: str | None) -> Proof:
    """Of this project's own sessions, or of all those in a folder that is named."""
    sessions: list[PastSession] = []
    for session in _sessions(project.root, folder):
        if session.hooked or session.spawned:
            sessions.append(session)
    if not any(session.hooked for session in sessions):
        said = f"Claude Code, {NAME}: no hook of ours has run in one yet."
        return Proof("claude", NAME, NOTHING, said)
    return _judge(sessions, project)


def _sessions(root: str, folder: str | None) -> list[PastSession]:
    """Oldest first. Claude Code names a folder by where it really is, behind all links."""
    if folder:
        return list(read_sessions(folder, "", is_our_command))
    real = os.path.realpath(root)
    sessions: list[PastSession] = []
    for kept_in in folders_of(default_folder(), real):
        sessions += read_sessions(kept_in, real, is_our_command)
    return sorted(sessions, key=lambda session: session.when)


def _judge(sessions: Sequence[PastSession], project: Project) -> Proof:
    """A failure counts against us until a later session with hooks of ours shows none."""
    cases: list[Case] = []
    broken_cases: list[Case] = []
    new_failures: list[Case] = []
    for session in sessions:
        own_cases = cases_of(session, project)
        own_broken = broken(session)
        cases += own_cases
        broken_cases += own_broken
        if session.hooked:
            # At the end it holds those of the last session that our hooks ran in.
            new_failures = [*_lost(own_cases), *own_broken]
    failures = [*_lost(cases), *broken_cases]

    details = []
    for case in failures[-MOST:]:
        details.append(f"{case.kind or 'an agent'} got nothing: {case.why}")
    if failures and not new_failures and not recent_failures(project.root):
        details.append("The last session that our hooks ran in had no such failure.")

    if new_failures:
        outcome = FAILED
    elif any(case.state == UNASKED for case in cases):
        outcome = SEEN
    else:
        outcome = PROVEN
    verdict = f"Claude Code, {NAME} ({len(sessions)}): {_counted(sessions, cases)}."
    return Proof("claude", NAME, outcome, verdict, tuple(details))


def _lost(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.state == LOST]


def _counted(sessions: Sequence[PastSession], cases: Sequence[Case]) -> str:
    counts = dict.fromkeys((GIVEN, NONE, DONE, UNASKED, LOST), 0)
    for case in cases:
        counts[case.state] += 1
    told = 0
    for session in sessions:
        for hook in session.hooked:
            if hook.event == "SessionStart" and hook.outcome == ANSWERED:
                told += 1

    parts = [f"agents spawned: {len(cases)}", f"given their context: {counts[GIVEN]}"]
    if counts[NONE]:
        parts.append(f"of a type that got none: {counts[NONE]}")
    if counts[DONE]:
        parts.append(f"spawned when there was nothing to do: {counts[DONE]}")
    if counts[UNASKED]:
        parts.append(f"spawned without our hook: {counts[UNASKED]}")
    if counts[LOST]:
        parts.append(f"should have been given it and were not: {counts[LOST]}")
    parts.append(f"starts that were told where the project stands: {told}")
    return ", ".join(parts)


def broken(session: PastSession) -> list[Case]:
    """Hooks that failed beside those of the agents: a session that was told nothing."""
    cases: list[Case] = []
    for hook in session.hooked:
        if hook.event == "SessionStart" and hook.outcome == BROKE:
            cases.append(Case("a session", LOST, _why(hook)))
    return cases


def carries_context(told: str) -> bool:
    """Whether what an agent was told has sections of ours: their tags stand alone on their lines."""
    if "</" not in told:
        return False
    lines = {line.strip() for line in told.splitlines()}
    return any(f"<{tag}>" in lines and f"</{tag}>" in lines for tag in TAGS)


def cases_of(session: PastSession, project: Project) -> list[Case]:
    return [_case(agent, session, project) for agent in session.spawned]


def _case(agent: SpawnedAgent, session: PastSession, project: Project) -> Case:
    """A hook that answers with nothing leaves no trace; that it was installed, other hooks of the
    session show.
    """
    if carries_context(agent.briefing):
        return Case(agent.kind, GIVEN)

    hooks = _hooks_of(agent, session)
    if hooks:
        failed = [hook for hook in hooks if hook.outcome != ANSWERED]
        decisive = failed[0] if failed else hooks[0]
        return Case(agent.kind, LOST, _why(decisive))
    if not agent.kind or not session.hooked:
        return Case(agent.kind, UNASKED)
    if not profile_here(project, agent.kind) or session.when < _settled(project):
        return Case(agent.kind, NONE)
    if had_nothing_to_do(project.root, agent.when):
        return Case(agent.kind, DONE)
    why = "the hook gave no answer; `dctx hooks status` shows what it wrote down"
    return Case(agent.kind, LOST, why)


def _hooks_of(agent: SpawnedAgent, session: PastSession) -> list[HookRun]:
    """Those that were asked about an agent: as it started, or as it was spawned."""
    hooks = list(agent.hooked)
    for hook in session.hooked:
        if agent.call and hook.call == agent.call:
            hooks.append(hook)
    return hooks


def _settled(project: Project) -> float:
    """Since when the project's settings are what they are: before, another type may have been
    named.
    """
    try:
        return os.stat(os.path.join(project.root, FOLDER, "dctx.yaml")).st_mtime
    except OSError:
        return 0.0


def _why(hook: HookRun) -> str:
    if hook.outcome == LATE:
        return "the client stopped waiting for the hook"
    if hook.outcome == BROKE:
        return f"the hook failed: {hook.said or 'it said nothing'}"
    return "the hook answered, but another hook rewrote the prompt after it"
