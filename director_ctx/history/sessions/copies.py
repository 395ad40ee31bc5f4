"""Shorter copies of clients' sessions. The session itself is never written: a copy stands beside it,
the originals of what was cut are in the archive before there is a copy, and undoing takes it away.
"""

from __future__ import annotations

import os
from functools import lru_cache
from uuid import uuid4

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import digest
from director_ctx.base.record import Record, as_dict
from director_ctx.base.system.write import create_whole, write_private
from director_ctx.history.compress.compress import keep_originals, plan_cut
from director_ctx.history.compress.progress import WRITTEN, nobody
from director_ctx.history.compress.restore import restored
from director_ctx.history.sessions.files import CLAUDE
from director_ctx.history.sessions.find import read_bytes, unread_session
from director_ctx.history.sessions.usage import tokens_in_use, tokens_said_by
from director_ctx.memory.store.store import now
from director_ctx.project.dctx_folder import kept_rows, make_kept_path, write_kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.compress.compress import PlannedCut
    from director_ctx.history.compress.options import Wish
    from director_ctx.history.compress.progress import Tell
    from director_ctx.history.compress.project_here import ProjectHere
    from director_ctx.history.sessions.files import Session

KEPT = "copies.json"
LARGEST_LIST, MOST_KNOWN = 1_000_000, 1_000


class ShorterCopy(Record):
    """A file of ours, and what it was made of."""

    path: str
    session: str
    """The id of the session that it is a copy of."""
    source: str
    """The file of that session."""
    receipt: str
    made: str
    tokens_in: int
    tokens_out: int
    hash: str
    size: int
    """Of its bytes, as it was made."""
    resume: str = ""
    """The command that goes on with it, where its client can."""
    undone: str = ""
    """When it was taken away; the file is gone then."""

    @property
    def saved(self) -> int:
        return self.tokens_in - self.tokens_out

    @property
    def waits(self) -> bool:
        """Whether nobody has gone on in it."""
        return self._look()[0]

    @property
    def is_uncounted(self) -> bool:
        """Whether its client has counted nothing in it yet: what it says there, it said before the cut."""
        return self._look()[1]

    def window(self) -> int | None:
        """The tokens in its window, expected as long as its client has not counted it."""
        said = tokens_in_use(self.path)
        return max(0, said - self.saved) if said and self.is_uncounted else said

    def _look(self) -> tuple[bool, bool]:
        """Whether it is as it was made, and whether its client has counted nothing in it."""
        try:
            status = os.stat(self.path)
            return _look_at(self.path, status.st_mtime_ns, status.st_size, self.hash, self.size)
        except OSError:
            return False, False


def plan_copy(session: Session, wish: Wish, here: ProjectHere) -> PlannedCut:
    """What a copy would be; nothing is kept yet."""
    return plan_cut(read_bytes(session), wish, here)


def make_copy(
    session: Session, cut: PlannedCut, here: ProjectHere, tell: Tell = nobody
) -> ShorterCopy:
    """Originals first: `NotArchived` where they cannot be kept, and then there is no copy."""
    root = _root(here)
    receipt = cut.result.receipt
    if not receipt.cuts:
        raise DctxError("There is nothing to cut.", "Choose a smaller share that may stay.")
    keep_originals(cut, here, os.path.basename(session.path), tell)

    path, resume = _place(session, root)
    data = cut.result.data
    copy = ShorterCopy(
        path=path,
        session=session.id,
        source=session.path,
        receipt=receipt.id,
        made=now(),
        tokens_in=receipt.tokens_in,
        tokens_out=receipt.tokens_out,
        hash=digest(data),
        size=len(data),
        resume=resume,
    )
    try:
        write_private(path, lambda file: file.write(data))
        _keep(root, [*every_copy(root)[-MOST_KNOWN:], copy])
    except OSError as error:
        raise _unwritten(path, error) from error
    tell(WRITTEN)
    return copy


@lru_cache(maxsize=64)
def _look_at(path: str, changed: int, size: int, hash: str, size_made: int) -> tuple[bool, bool]:
    """At a file as it is now, which a page asks for again and again."""
    with open(path, "rb") as file:
        data = file.read()
    if digest(data) == hash:
        return True, True
    # Somebody may have gone on in it, and have no answer yet.
    is_longer = size_made < len(data) and digest(data[:size_made]) == hash
    new_lines = data[size_made:].split(b"\n")
    return False, is_longer and not any(tokens_said_by(line) != 0 for line in new_lines)


def copies(root: str) -> list[ShorterCopy]:
    """Those that are still there, oldest first."""
    return [copy for copy in every_copy(root) if os.path.isfile(copy.path)]


def every_copy(root: str) -> list[ShorterCopy]:
    """Those that were taken back or thrown away, too."""
    known: list[ShorterCopy] = []
    for row in kept_rows(root, KEPT, LARGEST_LIST):
        try:
            known.append(ShorterCopy(**row))
        except TypeError:
            continue
    return known


def copies_of(root: str, session: str) -> list[ShorterCopy]:
    return [copy for copy in copies(root) if copy.session == session]


def take_back(copy: ShorterCopy, here: ProjectHere) -> None:
    """Only while nobody went on in the copy, and once the archive has proved that it has all of it."""
    root = _root(here)
    data = read_bytes(unread_session(copy.session, "", copy.path))
    if digest(data) != copy.hash:
        raise DctxError(
            "Somebody went on in the shorter copy, so it stays.",
            f"`dctx restore {copy.path}` prints all of it, with what was said since.",
        )
    whole = restored(data, root)
    if whole.left:
        raise DctxError(
            "The archive does not have everything that was cut, so the copy stays.",
            "A backup of the store may have it.",
        )
    try:
        if not os.path.exists(copy.source):
            # Its client has thrown the session away meanwhile: here it is again.
            create_whole(copy.source, whole.data)
        os.unlink(copy.path)
        known = every_copy(root)
        _keep(root, [one.replace(undone=now()) if one.path == copy.path else one for one in known])
    except OSError as error:
        raise _unwritten(copy.path, error) from error


def _root(here: ProjectHere) -> str:
    assert here.project
    return here.project.root


def _place(session: Session, root: str) -> tuple[str, str]:
    """Claude Code goes on with whatever lies beside its sessions under a new id; others do not."""
    if session.client == CLAUDE and not session.parent:
        name = str(uuid4())
        path = os.path.join(os.path.dirname(session.path), f"{name}.jsonl")
        return path, f"claude --resume {name}"
    stem, ending = os.path.splitext(os.path.basename(session.path))
    name = f"copies/{stem}.{uuid4().hex[:8]}{ending}"
    try:
        return make_kept_path(root, name), ""
    except OSError as error:
        raise _unwritten(name, error) from error


def _keep(root: str, known: list[ShorterCopy]) -> None:
    from json import dumps

    rows = [as_dict(copy) for copy in known]
    write_kept(root, KEPT, dumps(rows).encode())


def _unwritten(path: str, error: OSError) -> DctxError:
    return DctxError(
        f"{path} could not be written: {error.strerror or error}.", "Look at its permissions."
    )
