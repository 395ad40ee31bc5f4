"""Who is working on which task, so that two agents never take the same.

A claim ends by itself: an agent that was stopped cannot give its task back. So it is no part of the
plan, has no table, and does not travel with a store.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.light_json import dump, parse
from director_ctx.base.record import Record
from director_ctx.base.secrets import redact
from director_ctx.base.text import plain
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.store import in_seconds, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Reader, Writer
    from director_ctx.memory.store.open import Where
    from director_ctx.memory.store.store import Store

SECONDS = 3600
"""For which a task is taken. Whoever works longer claims it again."""
LONGEST_NAME = 80
TAKE_ANOTHER = "Take another one that is ready."
ONLY_ITS_OWN = "Only that agent can give it back; else it is free when the time is over."
_ROWS = "SELECT name, value FROM dctx_meta WHERE name LIKE ? ORDER BY name"
_ROW = "SELECT name, value FROM dctx_meta WHERE name = ?"
_PUT = (
    "INSERT INTO dctx_meta (name, value) VALUES (?, ?)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
_REMOVE = "DELETE FROM dctx_meta WHERE name = ?"


class Claim(Record):
    """A task that an agent has taken, and until when, in UTC."""

    task: str
    agent: str
    until: str

    @property
    def ends(self) -> str:
        """The minute, as it is shown."""
        return f"{self.until[:16]} UTC"


class TaskTaken(DctxError):
    """Another agent is working on the task."""

    def __init__(self, claim: Claim, hint: str) -> None:
        self.claim = claim
        super().__init__(
            f"Task {claim.task} is {claim.agent}'s until {claim.ends}.",
            hint,
        )


def claim(project: Where, task: str, agent: str, seconds: int = SECONDS) -> Claim:
    """Takes a task for an agent, or keeps it for longer; `Taken` where another one has it."""
    name = _checked_name(agent)
    until = in_seconds(seconds)
    new = Claim(task, name, until)
    row = dump({"agent": name, "until": until})

    with open_store(project, write=True) as store:
        key = _key(store, task)

        def work(writer: Writer) -> Claim:
            _expect_free(writer, store, task, name)
            writer.run(_PUT, (key, row))
            return new

        def written(reader: Reader) -> Claim | None:
            standing = _standing(reader, store, task)
            return new if standing == new else None

        return store.engine.write(store.workflow, work, written)


def release(project: Where, task: str, agent: str) -> None:
    """Gives a task back; one that is nobody's stays so."""
    name = _checked_name(agent)
    if not claims(project):
        return
    with open_store(project, write=True) as store:

        def work(writer: Writer) -> bool:
            _expect_free(writer, store, task, name, ONLY_ITS_OWN)
            writer.run(_REMOVE, (_key(store, task),))
            return True

        store.engine.write(store.workflow, work)


def expect_free(project: Where, task: str, agent: str) -> None:
    """Refuses where another agent has the task."""
    with open_store(project) as store:
        _expect_free(store.engine, store, task, _checked_name(agent))


def claims(project: Where) -> list[Claim]:
    """Those that stand now."""
    with open_store(project) as store:
        rows = store.engine.rows(_ROWS, (f"{_key(store, '')}%",))
        moment = now()
        standing = []
        for key, value in rows:
            claim = _parsed(store, key, value)
            if claim and claim.until > moment:
                standing.append(claim)
        return standing


def _key(store: Store, task: str) -> str:
    return f"claim {store.workflow} {task}"


def _standing(reader: Reader, store: Store, task: str) -> Claim | None:
    """The claim of a task, unless its time is over."""
    row = reader.row(_ROW, (_key(store, task),))
    if row is None:
        return None
    claim = _parsed(store, row[0], row[1])
    if claim and claim.until > now():
        return claim
    return None


def _parsed(store: Store, key: str, value: str) -> Claim | None:
    """Whoever wrote it, it is two short texts, or nothing."""
    try:
        row = parse(value)
        agent, until = row["agent"], row["until"]
    except (ValueError, KeyError, TypeError):
        return None
    if not (isinstance(agent, str) and isinstance(until, str)):
        return None
    own = _key(store, "")
    if not key.startswith(own):
        return None
    task = key.removeprefix(own)
    return Claim(plain(task), plain(agent[:LONGEST_NAME]), plain(until[:LONGEST_NAME]))


def _expect_free(
    reader: Reader, store: Store, task: str, agent: str, hint: str = TAKE_ANOTHER
) -> None:
    standing = _standing(reader, store, task)
    if standing and standing.agent != agent:
        raise TaskTaken(standing, hint)


def _checked_name(agent: str) -> str:
    words = " ".join(agent.split())
    name = redact(plain(words))[:LONGEST_NAME]
    if not name:
        raise DctxError("The agent has no name.", "Give it one, such as builder-1.")
    return name
