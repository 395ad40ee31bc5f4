"""What was cut from a context, and what was not chosen for it, as `record` keeps it: a text beside
those of the sections, and forgotten with them.
"""

from __future__ import annotations

from director_ctx.base.light_json import parse
from director_ctx.base.record import Record
from director_ctx.memory.runs.storage import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.runs.run import Run


class RunCut(Record):
    """A rung of the ladder that was taken from a section, and its tokens before and after."""

    rung: str
    tag: str
    before: int
    after: int


class NotChosen(Record):
    """Something that the agent might have had, and why it had it not."""

    what: str
    why: str


class RunAccount(Record):
    cuts: tuple[RunCut, ...] = ()
    not_chosen: tuple[NotChosen, ...] = ()
    stable: int = 0
    """Tokens at the beginning that depend on neither the task nor the time."""


def read_account(root: str, run: Run) -> RunAccount | None:
    """None where it is not kept, or no longer."""
    text = read_text(root, run.account) if run.account else None
    if text is None:
        return None
    try:
        document = parse(text)
        return RunAccount(
            cuts=tuple(
                RunCut(str(row["rung"]), str(row["tag"]), int(row["before"]), int(row["after"]))
                for row in document["cuts"]
            ),
            not_chosen=tuple(
                NotChosen(str(row["what"]), str(row["why"])) for row in document["not_chosen"]
            ),
            stable=int(document["stable"]),
        )
    except (ValueError, TypeError, KeyError):
        return None
