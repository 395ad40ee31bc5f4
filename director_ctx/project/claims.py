"""Who has which task: one file for all worktrees of a repository, and the only truth about it.

A claim is a task that somebody has started. It ends when the task is done, when it is given back, when
the client says that its agent has ended, or when its lease runs out. Every sign of life renews the
lease: the transcript of the agent counts as one, so that nobody has to report anything.
"""

from __future__ import annotations

import os
import time
from itertools import chain

from director_ctx.base.errors import DctxError
from director_ctx.base.light_json import dump, parse
from director_ctx.base.record import Record, as_dict
from director_ctx.base.system.write import write_private
from director_ctx.base.text import plain
from director_ctx.project.dctx_folder import kept_path, make_kept_path
from director_ctx.project.git.repository import repository, small_text
from director_ctx.project.reading.lock import alone_in
from director_ctx.project.reading.model import FOLDER, numbered
from director_ctx.project.reading.search import belongs_to_another

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place

    Value = TypeVar("Value")

LEASE = 3600
"""Seconds after the last sign of life of an agent."""
LEASE_OF_PERSON = 12 * 3600
UNMERGED = 7 * 86_400
"""Seconds for which a task that is done in one worktree is not given out in another."""
KEPT = 86_400
"""Seconds for which it is known who had a task before."""
PATIENCE = 1.0
"""Seconds that a hook can wait for the others."""
WOKEN = 10
"""Seconds after its end in which an agent may still write its last words."""
NAME = "claims.json"
LARGEST = 1_000_000
MOST = 1_000
_LETTERS = "23456789abcdefghjkmnpqrstvwxyz"
_LONGEST = {"transcript": 4_000}


class Worker(Record):
    """Who starts a task. Two agents may have one name, so nobody is told by that."""

    agent: str = ""
    """What it is called, for people."""
    client: str = ""
    session: str = ""
    spawn: str = ""
    """The id of the call that spawned it,"""
    child: str = ""
    """and its own, where the client says them."""
    transcript: str = ""
    """Of its session."""
    claim: str = ""
    """The id of a claim that it has already."""
    is_person: bool = False


_SESSIONS = {
    "CLAUDE_CODE_SESSION_ID": "claude",
    "COPILOT_AGENT_SESSION_ID": "copilot",
    "CODEX_THREAD_ID": "codex",
}
"""Where clients tell the commands of their agents which session they are in."""


def worker_here(agent: str = "", claim: str = "") -> Worker:
    """Who runs this process: the session of a client, or a person at a terminal."""
    for variable, client in _SESSIONS.items():
        session = os.environ.get(variable, "")
        if session:
            return Worker(agent=agent, client=client, session=session, claim=claim)
    user = agent or os.environ.get("USER", "") or os.environ.get("USERNAME", "")
    if os.isatty(0) and hasattr(os, "getsid"):
        return Worker(agent=user, session=f"terminal {os.getsid(0)}", claim=claim, is_person=True)
    return Worker(agent=user, claim=claim)


class Claim(Record):
    """A task that was started. Times are seconds since 1970."""

    id: str
    task: str
    """Its names on disk: `01-goal/02-step/03-task`."""
    since: int
    until: int
    agent: str = ""
    client: str = ""
    session: str = ""
    spawn: str = ""
    child: str = ""
    transcript: str = ""
    ended: int = 0
    """When its agent ended or gave it back; 0 as long as it is held."""
    done_in: str = ""
    """The branch on which the task is done, where this was in another worktree."""

    @property
    def ref(self) -> str:
        """The task as it can be typed: `1/2/3`."""
        numbers = [(numbered(name) or (0, ""))[0] for name in self.task.split("/")]
        return "/".join(map(str, numbers))

    @property
    def who(self) -> str:
        """In a few words: `session ab12cd34 (builder)`."""
        session = f"session {self.session[:8]}" if self.session else ""
        if not self.client:
            session = self.session
        if session and self.agent:
            return f"{session} ({self.agent})"
        return session or self.agent or "an agent"

    @property
    def says(self) -> str:
        """`in progress since 10:32, session ab12cd34`."""
        if self.done_in:
            return f"done on {self.done_in}, which is not merged here"
        since = shown_minute(self.since)
        if self.ended:
            return f"begun at {since} by {self.who}, ended at {shown_minute(self.ended)} without being done"
        if not _stands(self, time.time()):
            return (
                f"begun at {since} by {self.who}, whose lease ended at {shown_minute(self.until)}"
            )
        return f"in progress since {since}, {self.who}"

    def as_json(self) -> dict[str, str]:
        """As every door gives it."""
        return {
            "claim": self.id,
            "agent": self.agent,
            "client": self.client,
            "session": self.session,
            "since": _stamp(self.since),
            "until": _stamp(self.until),
            "says": self.says,
        }


class TaskTaken(DctxError):
    """Somebody else has the task."""

    def __init__(self, ref: str, claim: Claim) -> None:
        self.claim = claim
        super().__init__(
            f"Task {ref} is {claim.says}.",
            "Take another one: `dctx next` shows what is free. Whoever has it goes on with --claim ID.",
        )


def held(root: str) -> tuple[dict[str, Claim], dict[str, Claim]]:
    """By the names of their tasks: the claims that stand now, and those of tasks that somebody
    began and nobody has now.
    """
    now = time.time()
    stand: dict[str, Claim] = {}
    ended: dict[str, Claim] = {}
    for claim in _read(root):
        (stand if _stands(claim, now) else ended)[claim.task] = claim
    return stand, ended


def start(project: Project, place: Place, by: Worker, seconds: int = 0) -> Claim:
    """Takes a task, or keeps it for longer; `TaskTaken` where somebody else has it."""
    task = place.names

    def change(rows: list[Claim]) -> Claim:
        for claim in rows:
            if claim.task != task or not _stands(claim, time.time()):
                continue
            if claim.done_in or not _is_of(claim, by):
                raise TaskTaken(place.ref, claim)
            renewed = claim.replace(until=_until(by, seconds))
            rows.remove(claim)
            rows.append(renewed)
            return renewed
        return _add(rows, task, by, seconds)

    return _changed(project, change)


def start_first(project: Project, places: Iterator[Place], by: Worker) -> Claim | None:
    """Takes the first of these tasks that is free, or keeps the one that this worker has. Two at
    once get two different ones.
    """
    taken = project.claims()
    first: list[Place] = []
    # Found before anybody has to wait for it: in a large plan this takes a while.
    while not any(_is_of(claim, by) for claim in taken.values()):
        place = next(places, None)
        if place is None:
            break
        first.append(place)
        if place.names not in taken:
            break

    def change(rows: list[Claim]) -> Claim | None:
        now = time.time()
        standing = {claim.task: claim for claim in rows if _stands(claim, now)}
        for claim in standing.values():
            if _is_of(claim, by) and not claim.done_in:
                return claim
        for place in chain(first, places):
            task = place.names
            if task not in standing:
                return _add(rows, task, by, 0)
        return None

    return _changed(project, change)


def bind(project: Project, is_meant: Callable[[Claim], bool], child: str) -> None:
    """Which agent a call has spawned."""

    def change(rows: list[Claim]) -> None:
        rows[:] = [row.replace(child=child) if is_meant(row) else row for row in rows]

    if any(is_meant(claim) for claim in _read(project.root)):
        _changed(project, change)


def end(project: Project, is_meant: Callable[[Claim], bool], child: str = "") -> None:
    """Ends the claims that are meant, of the agent with this id if one is named; nothing is written
    where there are none.
    """

    def is_open(claim: Claim) -> bool:
        return not (claim.ended or claim.done_in) and is_meant(claim)

    def change(rows: list[Claim]) -> None:
        now = int(time.time())
        for index, claim in enumerate(rows):
            if is_open(claim):
                rows[index] = claim.replace(ended=now, child=child or claim.child)

    if any(map(is_open, _read(project.root))):
        _changed(project, change)


def finished(project: Project, place: Place) -> None:
    """A task is done: nobody has it any more. Other worktrees see that when the branch is merged,
    so until then it is not given out there.
    """
    task = place.names
    git = repository(os.path.realpath(project.root))
    others = git and (
        git.shared != git.folder or os.path.isdir(os.path.join(git.shared, "worktrees"))
    )
    try:
        if git and others:
            head = small_text(os.path.join(git.folder, "HEAD")).strip()
            branch = head.removeprefix("ref: refs/heads/")[:100] or "another worktree"

            def change(rows: list[Claim]) -> None:
                rows[:] = [claim for claim in rows if claim.task != task]
                now = int(time.time())
                rows.append(Claim(_new_id(), task, now, now + UNMERGED, done_in=branch))

            _changed(project, change)
        else:
            forget(project, lambda claim: claim.task == task)
    except (OSError, DctxError):
        # The name of the file says that it is done.
        pass


def forget(project: Project, is_meant: Callable[[Claim], bool]) -> None:
    """Takes claims away, as if they had never been."""

    def change(rows: list[Claim]) -> None:
        rows[:] = [claim for claim in rows if not is_meant(claim)]

    if any(is_meant(claim) for claim in _read(project.root)):
        _changed(project, change)


def _is_of(claim: Claim, by: Worker) -> bool:
    """Whether a claim is this worker's own, for certain."""
    if by.claim or by.spawn or by.child:
        ids = ((by.claim, claim.id), (by.spawn, claim.spawn), (by.child, claim.child))
        return any(own and own == its for own, its in ids)
    return by.is_person and bool(by.session) and claim.session == by.session


def _add(rows: list[Claim], task: str, by: Worker, seconds: int) -> Claim:
    rows[:] = [claim for claim in rows if claim.task != task]
    claim = Claim(
        id=_new_id(),
        task=task,
        since=int(time.time()),
        until=_until(by, seconds),
        agent=by.agent,
        client=by.client,
        session=by.session,
        spawn=by.spawn,
        child=by.child,
        transcript=by.transcript,
    )
    rows.append(claim)
    return claim


def _until(by: Worker, seconds: int) -> int:
    return int(time.time()) + (seconds or (LEASE_OF_PERSON if by.is_person else LEASE))


def _new_id() -> str:
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in os.urandom(6))


def _stands(claim: Claim, now: float) -> bool:
    if claim.ended:
        # An agent that has ended may be told to go on. Most were not, and nobody looks for long.
        may_go_on = bool(claim.child) and claim.ended > now - LEASE
        return may_go_on and _last_sign(claim) > claim.ended + WOKEN
    return claim.until > now or _last_sign(claim) + LEASE > now


def _last_sign(claim: Claim) -> float:
    """When the agent wrote to its transcript last; 0 where nobody knows."""
    path = claim.transcript
    try:
        if claim.spawn or claim.child:
            path = _transcript_of_agent(claim)
        return os.stat(path).st_mtime
    except (OSError, ValueError):
        return 0


def _transcript_of_agent(claim: Claim) -> str:
    """Beside that of the session, or in a folder of its name. Which agent a call has spawned may be
    written down there, too.
    """
    folder, name = os.path.split(claim.transcript)
    own = os.path.join(folder, name.removesuffix(".jsonl"), "subagents")
    child = os.path.basename(claim.child)
    if not os.path.isdir(own):
        names = os.listdir(folder) if child else ()
        beside = [one for one in names if one.endswith(f"-{child}.jsonl")]
        return os.path.join(folder, beside[0]) if beside else ""
    for one in () if child else os.listdir(own):
        if one.startswith("agent-") and one.endswith(".meta.json"):
            with open(os.path.join(own, one), "rb") as file:
                if claim.spawn.encode() in file.read(LARGEST):
                    child = one.removeprefix("agent-").removesuffix(".meta.json")
    return os.path.join(own, f"agent-{child}.jsonl")


# The file.


def _shared_root(root: str) -> tuple[str, str]:
    """The project of the main worktree; else a folder in git's own that all worktrees share."""
    real = os.path.realpath(root)
    git = repository(real)
    if git is None or git.shared == git.folder:
        return root, ""
    shared = os.path.realpath(git.shared)
    inner = os.path.relpath(real, os.path.realpath(git.top))
    main = os.path.normpath(os.path.join(os.path.dirname(shared), inner))
    is_main = os.path.basename(shared) == ".git" and os.path.isdir(os.path.join(main, FOLDER))
    if is_main and not belongs_to_another(main):
        return main, ""
    return "", os.path.join(shared, "dctx", "" if inner == "." else inner)


def _path(root: str) -> str:
    shared, folder = _shared_root(root)
    return kept_path(shared, NAME) if shared else os.path.join(folder, NAME)


def _read(root: str) -> list[Claim]:
    """Nothing where there is no file, or where somebody else may have written it."""
    if not os.path.exists(os.path.join(root, FOLDER)):
        return []
    path = _path(root)
    try:
        with open(path, "rb") as file:
            rows = parse(file.read(LARGEST).decode("utf-8", "replace"))
    except (OSError, ValueError):
        return []
    claims: list[Claim] = []
    for row in rows if isinstance(rows, list) else ():
        claim = _claim(row)
        if claim:
            claims.append(claim)
    return claims


def _claim(row: Any) -> Claim | None:
    """Whoever wrote it: short texts and whole numbers, or nothing."""
    if not isinstance(row, dict):
        return None
    values: dict[str, Any] = {}
    for name in Claim._fields:
        value = row.get(name, Claim._defaults.get(name))
        if isinstance(value, str):
            values[name] = plain(value[: _LONGEST.get(name, 300)])
        elif isinstance(value, int) and 0 <= value < 1 << 40:
            values[name] = int(value)
        else:
            return None
    numbers = ("since", "until", "ended")
    if any(isinstance(values[name], str) == (name in numbers) for name in values):
        return None
    return Claim(**values)


def _changed(project: Project, change: Callable[[list[Claim]], Value]) -> Value:
    """Changes the file with nobody in between."""
    shared, folder = _shared_root(project.root)
    try:
        if shared:
            path = make_kept_path(shared, NAME)
        else:
            os.makedirs(folder, 0o700, exist_ok=True)
            path = os.path.join(folder, NAME)
        with alone_in(os.path.dirname(path), PATIENCE):
            rows = _read(project.root)
            done = change(rows)
            oldest = time.time() - KEPT
            rows = [row for row in rows if max(row.until, row.ended) > oldest][-MOST:]
            data = dump([as_dict(row) for row in rows]).encode("ascii")
            # It may be lost without harm, and a hook has no time to wait for the disk.
            write_private(path, lambda file: file.write(data), durable=False)
    except OSError as error:
        raise DctxError(
            f"Nobody can start a task here: {error.strerror or error}.", "Look at .director/.dctx."
        ) from error
    project.forget("claims")
    return done


def shown_minute(moment: int) -> str:
    """`10:32`, with the day where that is another one."""
    shown = time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
    return shown.removeprefix(time.strftime("%Y-%m-%d "))


def _stamp(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
