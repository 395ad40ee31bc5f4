"""Originals of what an agent no longer sees, kept while it runs: each once, and before its model is asked."""

from __future__ import annotations

from director_ctx.history.message import size
from director_ctx.history.receipt import Receipt, cuts, identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.folder.project import Project
    from director_ctx.history.message import Conversation, Message
    from director_ctx.memory.archive import Listing
    from director_ctx.memory.store import Store

    Where = bool | str | Project | Store
    """Whether originals are kept, or where: the root of a project, a project, a store that is open."""


def receipt_of(before: Conversation, after: Sequence[Message], strategy: str, counter: str) -> Receipt:
    """What was cut; its id says what."""
    found = tuple(cuts(before.messages, after))
    named = " ".join(f"{cut.message}.{cut.block} {cut.locator} {cut.after}" for cut in found)
    came, went = size(before.messages), size(after)
    return Receipt(identity(named), before.format, strategy, counter, None, True, "", came, went, found)


def keep_originals(found: Mapping[str, str | Listing], where: Where, known: set[str]) -> None:
    """Durable on return; `known` are the hashes of those that were kept before."""
    from director_ctx.memory.archive import keep
    from director_ctx.wiring.memory import open_store, project_here

    new = {name: one for name, one in found.items() if name not in known}
    if not new:
        return
    here = project_here(where if isinstance(where, str) else None) if isinstance(where, bool | str) else where
    with open_store(here, write=True) as store:
        keep(store, new)
    known.update(new)
