"""The third proof: what the transcripts of past sessions say of the agents that were spawned in
them.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.clients.by_server import PLUGIN_SERVER, SERVER, TOOL
from director_ctx.clients.entries import PROGRAM, is_ours
from director_ctx.clients.hooks.agents import profile_here
from director_ctx.clients.hooks.failures import had_nothing_to_do, recent_failures
from director_ctx.clients.verify.proof import FAILED, NOTHING, PROVEN, SEEN, Proof
from director_ctx.context.settings.tags import TAGS
from director_ctx.history.sessions.files import default_folder, folders_of
from director_ctx.history.sessions.past import ANSWERED, BROKE, LATE, PastSession, read_sessions
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.sessions.past import HookRun, SpawnedAgent
    from director_ctx.project.project import Project

NAME = "past sessions"
LOG = "hooks.log"
MOST = 10
"""Failures that are told one by one: the last of them."""

GIVEN = "given"
NONE = "none"
UNASKED = "unasked"
LOST = "lost"
DONE = "done"


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
    # Of a server, a client tells its name and that of the tool.
    if command in (f"{SERVER}/{TOOL}", f"{PLUGIN_SERVER}/{TOOL}"):
        return True
    as_line = {"command": command}
    # Of an entry with words beside its command, only the command may be told.
    with_words = {"command": command, "args": ["hook"]}
    return is_ours(as_line) or is_ours(with_words)


def prove_log(root: str) -> Iterator[Proof]:
    """What hooks wrote down about themselves; no word where there is nothing."""
    failures = recent_failures(root)
    if not failures:
        return
    count = f"{len(failures)} times"
    if len(failures) == 1:
        count = "1 time"
    verdict = f"{LOG}: hooks failed {count} lately, and have not worked since."
    details = [f"{failure.age}: {failure.said}" for failure in failures[-MOST:]]
    yield Proof(
        client="",
        name=LOG,
        outcome=FAILED,
        verdict=verdict,
        details=tuple(details),
    )


def prove_past(project: Project, folder: str | None) -> Proof:
    """Of this project's own sessions, or of all those in a folder that is named."""
    sessions: list[PastSession] = []
    for session in _sessions(project.root, folder):
        if session.hooked or session.spawned:
            sessions.append(session)
    if not any(session.hooked for session in sessions):
        said = f"Claude Code, {NAME}: no hook of ours has run in one yet."
        return Proof(
            client="claude",
            name=NAME,
            outcome=NOTHING,
            verdict=said,
        )
    return _judge(sessions, project)


def _sessions(root: str, folder: str | None) -> list[PastSession]:
    """Oldest first. Claude Code names a folder by where it really is, behind all links."""
    if folder:
        return list(read_sessions(folder, "", is_our_command))
    real = os.path.realpath(root)
    sessions: list[PastSession] = []
    for sessions_folder in folders_of(default_folder(), real):
        sessions += read_sessions(sessions_folder, real, is_our_command)
    return sorted(sessions, key=lambda session: session.when)


def _judge(sessions: Sequence[PastSession], project: Project) -> Proof:
    """A failure counts against us until a later session with hooks of ours shows none."""
    cases: list[Case] = []
    broken_cases: list[Case] = []
    new_failures: list[Case] = []
    for session in sessions:
        own_cases = cases_of(session, project)
        own_broken = untold_sessions(session)
        cases += own_cases
        broken_cases += own_broken
        if session.hooked:
            # At the end it holds those of the last session that our hooks ran in.
            new_failures = [*_lost(own_cases), *own_broken]
    failures = [*_lost(cases), *broken_cases]

    details = []
    for case in failures[-MOST:]:
        who = case.kind or "an agent"
        details.append(f"{who} got nothing: {case.why}")
    if failures and not new_failures and not recent_failures(project.root):
        details.append("The last session that our hooks ran in had no such failure.")

    if new_failures:
        outcome = FAILED
    elif any(case.state == UNASKED for case in cases):
        # Agents without our hooks say nothing about them, neither good nor bad.
        outcome = SEEN
    else:
        outcome = PROVEN
    verdict = f"Claude Code, {NAME} ({len(sessions)}): {_counted(sessions, cases)}."
    return Proof(
        client="claude",
        name=NAME,
        outcome=outcome,
        verdict=verdict,
        details=tuple(details),
    )


def _lost(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.state == LOST]


def _counted(sessions: Sequence[PastSession], cases: Sequence[Case]) -> str:
    counts = dict.fromkeys((GIVEN, NONE, DONE, UNASKED, LOST), 0)
    for case in cases:
        counts[case.state] += 1
    told_starts = 0
    for session in sessions:
        for hook in session.hooked:
            if hook.event == "SessionStart" and hook.outcome == ANSWERED:
                told_starts += 1

    parts = [f"agents spawned: {len(cases)}", f"given their context: {counts[GIVEN]}"]
    if counts[NONE]:
        parts.append(f"of a type that got none: {counts[NONE]}")
    if counts[DONE]:
        parts.append(f"spawned when there was nothing to do: {counts[DONE]}")
    if counts[UNASKED]:
        parts.append(f"spawned without our hook: {counts[UNASKED]}")
    if counts[LOST]:
        parts.append(f"should have been given it and were not: {counts[LOST]}")
    parts.append(f"starts that were told where the project stands: {told_starts}")
    return ", ".join(parts)


def untold_sessions(session: PastSession) -> list[Case]:
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


def _case(
    agent: SpawnedAgent,
    session: PastSession,
    project: Project,
) -> Case:
    """A hook that answers with nothing leaves no trace; that it was installed, other hooks of the
    session show.
    """
    if carries_context(agent.briefing):
        return Case(agent.kind, GIVEN)

    hooks = _hooks_of(agent, session)
    if hooks:
        failed = [hook for hook in hooks if hook.outcome != ANSWERED]
        decisive = [*failed, *hooks][0]
        return Case(agent.kind, LOST, _why(decisive))
    if not agent.kind or not session.hooked:
        return Case(agent.kind, UNASKED)
    has_profile = bool(profile_here(project, agent.kind))
    if not has_profile or session.when < _settled(project):
        return Case(agent.kind, NONE)
    if had_nothing_to_do(project.root, agent.when):
        return Case(agent.kind, DONE)
    why = "the hook gave no answer; `dctx agents status` shows what it wrote down"
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
    path = os.path.join(project.root, FOLDER, "dctx.yaml")
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _why(hook: HookRun) -> str:
    if hook.outcome == LATE:
        return "the client stopped waiting for the hook"
    if hook.outcome == BROKE:
        return f"the hook failed: {hook.said or 'it said nothing'}"
    return "the hook answered, but another hook rewrote the prompt after it"
