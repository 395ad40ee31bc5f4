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
from director_ctx.history.sessions.past import (
    ANSWERED,
    BROKE,
    LATE,
    Session,
    folders_of,
    read_sessions,
)
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.sessions.past import Hooked, Spawned
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
    if found := recent_failures(root):
        count = f"{len(found)} time{'s' * (len(found) != 1)}"
        details = tuple(f"{one.age}: {one.said}" for one in found[-MOST:])
        yield Proof(
            "",
            LOG,
            FAILED,
            f"{LOG}: hooks failed {count} lately, and have not worked since.",
            details,
        )


def prove_past(project: Project, folder: str | None) -> Proof:
    """Of this project's own sessions, or of all those in a folder that is named."""
    asked = [one for one in _sessions(project.root, folder) if one.hooked or one.spawned]
    if not any(one.hooked for one in asked):
        return Proof(
            "claude", NAME, NOTHING, f"Claude Code, {NAME}: no hook of ours has run in one yet."
        )
    return _judge(asked, project)


def _sessions(root: str, folder: str | None) -> list[Session]:
    """Oldest first. Claude Code names a folder by where it really is, behind all links."""
    if folder:
        return list(read_sessions(folder, "", is_our_command))
    real = os.path.realpath(root)
    found = [
        one
        for place in folders_of(default_folder(), real)
        for one in read_sessions(place, real, is_our_command)
    ]
    return sorted(found, key=lambda one: one.when)


def _judge(sessions: Sequence[Session], project: Project) -> Proof:
    """A failure counts against us until a later session with hooks of ours shows none."""
    last = next(session for session in reversed(sessions) if session.hooked)
    cases = [case for session in sessions for case in cases_of(session, project)]
    failed = [case for case in cases if case.state == LOST] + [
        one for session in sessions for one in broken(session)
    ]
    new = [case for case in cases_of(last, project) if case.state == LOST] + broken(last)
    verdict = f"Claude Code, {NAME} ({len(sessions)}): {_counted(sessions, cases)}."
    details = tuple(f"{case.kind or 'an agent'} got nothing: {case.why}" for case in failed[-MOST:])
    mended = failed and not new and not recent_failures(project.root)
    older = ("The last session that our hooks ran in had no such failure.",) if mended else ()
    unasked = any(case.state == UNASKED for case in cases)
    return Proof(
        "claude", NAME, FAILED if new else SEEN if unasked else PROVEN, verdict, (*details, *older)
    )


def _counted(sessions: Sequence[Session], cases: Sequence[Case]) -> str:
    counts = {
        state: sum(case.state == state for case in cases)
        for state in (GIVEN, NONE, DONE, UNASKED, LOST)
    }
    told = sum(
        hook.event == "SessionStart" and hook.outcome == ANSWERED
        for one in sessions
        for hook in one.hooked
    )
    parts = [f"agents spawned: {len(cases)}", f"given their context: {counts[GIVEN]}"]
    parts += [f"of a type that got none: {counts[NONE]}"] * bool(counts[NONE])
    parts += [f"spawned when there was nothing to do: {counts[DONE]}"] * bool(counts[DONE])
    parts += [f"spawned without our hook: {counts[UNASKED]}"] * bool(counts[UNASKED])
    parts += [f"should have been given it and were not: {counts[LOST]}"] * bool(counts[LOST])
    return ", ".join([*parts, f"starts that were told where the project stands: {told}"])


def broken(session: Session) -> list[Case]:
    """Hooks that failed beside those of the agents: a session that was told nothing."""
    return [Case("a session", LOST, _why(one)) for one in session.hooked
            if one.event == "SessionStart" and one.outcome == BROKE]  # fmt: skip


def carries_context(told: str) -> bool:
    """Whether what an agent was told has sections of ours: their tags stand alone on their lines."""
    if "</" not in told:
        return False
    lines = {line.strip() for line in told.splitlines()}
    return any(f"<{tag}>" in lines and f"</{tag}>" in lines for tag in TAGS)


def cases_of(session: Session, project: Project) -> list[Case]:
    return [_case(agent, session, project) for agent in session.spawned]


def _case(agent: Spawned, session: Session, project: Project) -> Case:
    """A hook that answers with nothing leaves no trace; that it was installed, other hooks of the
    session show.
    """
    if carries_context(agent.told):
        return Case(agent.kind, GIVEN)
    asked = [
        *agent.hooked,
        *(hook for hook in session.hooked if agent.call and hook.call == agent.call),
    ]
    if asked:
        return Case(
            agent.kind,
            LOST,
            _why(next((hook for hook in asked if hook.outcome != ANSWERED), asked[0])),
        )
    if not agent.kind or not session.hooked:
        return Case(agent.kind, UNASKED)
    if not profile_here(project, agent.kind) or session.when < _settled(project):
        return Case(agent.kind, NONE)
    if had_nothing_to_do(project.root, agent.when):
        return Case(agent.kind, DONE)
    return Case(
        agent.kind, LOST, "the hook gave no answer; `dctx hooks status` shows what it wrote down"
    )


def _settled(project: Project) -> float:
    """Since when the project's settings are what they are: before, another type may have been
    named.
    """
    try:
        return os.stat(os.path.join(project.root, FOLDER, "dctx.yaml")).st_mtime
    except OSError:
        return 0.0


def _why(hook: Hooked) -> str:
    if hook.outcome == LATE:
        return "the client stopped waiting for the hook"
    if hook.outcome == BROKE:
        return f"the hook failed: {hook.said or 'it said nothing'}"
    return "the hook answered, but another hook rewrote the prompt after it"
