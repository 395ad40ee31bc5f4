"""A conversation made shorter: read, put back what was cut before, decide, archive, return; in this
order.
"""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError, OverBudget
from director_ctx.base.record import Record
from director_ctx.history.compress.decide import Compressed, decide, notes_about_lost
from director_ctx.history.compress.keep import PATIENCE, NotArchived, keep
from director_ctx.history.compress.options import Wish, wish_for, with_default
from director_ctx.history.compress.progress import nobody
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.compress.put_back import (
    LOCATED,
    WholeHistory,
    originals_in,
    put_back,
    stores,
)
from director_ctx.history.strategies.config import without_archive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.compress.progress import Tell
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project


class TargetMissed(OverBudget):
    """`--strict`, and what is protected is more than the target."""


def compress(
    messages: object,
    *,
    project: Project | str | None = None,
    archive: bool = True,
    **options: Any,
) -> Compressed:
    """Shortens a conversation: bytes as a client wrote them, or a document of messages, which stays
    as it is.

    Options are those of `dctx compress`, as keyword arguments: strategy, target_tokens, ratio,
    window, keep, config (a `ContextConfig`), from_, to, strict, counter; and `count`, a callable of
    your own. The originals of everything that is cut are in the archive of the project when it
    returns, or in your own outside of one; `archive=False` keeps none.
    """
    if isinstance(messages, bytes | bytearray):
        data = bytes(messages)
    else:
        data = json.dumps(messages).encode()
    root = project if isinstance(project, str | None) else project.root
    here = ProjectHere(root)
    wish = with_default(wish_for(options, here))
    if not archive:
        wish = wish.replace(config=without_archive(wish.config))
    return shorten(data, wish, here, archive=archive)


def shorten(
    data: bytes,
    wish: Wish,
    here: ProjectHere,
    source: str = "",
    archive: bool = True,
) -> Compressed:
    """The whole way. Nothing is returned before the originals are kept; `NotArchived` if they
    cannot be.
    """
    cut = plan_cut(data, wish, here)
    if archive:
        keep_originals(cut, here, source)
    return cut.result


class PlannedCut(Record):
    """What a compression would give, before anything of it is kept."""

    result: Compressed
    is_kept: bool = False
    """Whether its originals are in the archive already."""
    trouble: NotArchived | None = None
    """Why the archive could not be read."""


def plan_cut(data: bytes, wish: Wish, here: ProjectHere) -> PlannedCut:
    whole = WholeHistory(data)
    trouble: NotArchived | None = None
    # It begins with restoring: then no digest of a digest is made, and the same twice is the same.
    if wish.config.enabled:
        whole, trouble = _with_originals(data, here)
    result = decide(whole, wish)
    if wish.config.enabled and not trouble:
        lost = notes_about_lost(result.before.messages, whole)
        notes = (*result.notes, *lost)
        result = result.replace(notes=notes)

    receipt = result.receipt
    if wish.strict and not receipt.met:
        raise TargetMissed(
            f"The target was not met: {receipt.why_not}",
            "Leave --strict out, or raise the target.",
        )
    if whole.receipts and result.data == data:
        # It is what the last compression made, so it has the receipt of that one.
        last = whole.receipts[-1]
        result = result.replace(receipt=receipt.replace(id=last))
        return PlannedCut(result, is_kept=True)
    return PlannedCut(result, trouble=trouble)


def keep_originals(cut: PlannedCut, here: ProjectHere, source: str, tell: Tell = nobody) -> None:
    """What was cut goes into the archive; `NotArchived` if it cannot."""
    if cut.is_kept or not cut.result.receipt.cuts:
        return
    if cut.trouble:
        raise cut.trouble
    _archive(cut.result, here, source, tell)


def _with_originals(data: bytes, here: ProjectHere) -> tuple[WholeHistory, NotArchived | None]:
    """What the archive can put back. A store that cannot be read is no reason to stop before
    something is cut.
    """
    untouched = WholeHistory(data)
    if not LOCATED.search(data):
        return untouched, None
    try:
        for store in stores(here):
            whole = put_back(store, data)
            known = originals_in(store, whole.data)
            if whole.receipts or known:
                return whole.replace(known=known), None
    except DctxError as error:
        return untouched, _not_archived(error)
    return untouched, None


def _archive(result: Compressed, here: ProjectHere, source: str, tell: Tell) -> None:
    try:
        with here.open_store(write=True) as store:
            archive_into(store, result, source, tell)
    except DctxError as error:
        raise _not_archived(error) from error
    except OSError as error:
        known = DctxError(f"{error.strerror or error}.", "")
        raise _not_archived(known) from error


def archive_into(store: Store, result: Compressed, source: str, tell: Tell = nobody) -> None:
    """Into a store that is open."""
    store.engine.patience = min(store.engine.patience, PATIENCE)
    keep(store, result, source, tell)


def _not_archived(error: DctxError) -> NotArchived:
    return NotArchived(
        f"Nothing was cut, because the originals could not be kept: {error.message}", error.hint
    )
