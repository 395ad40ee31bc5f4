"""Originals of what an agent no longer sees, kept while it runs: each once, and before its model is asked."""

from __future__ import annotations

from director_ctx.history.locator import full_hash
from director_ctx.history.receipt import Receipt, cuts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.folder.project import Project
    from director_ctx.history.message import Conversation, Message
    from director_ctx.memory.archive import Listing
    from director_ctx.memory.engine import Writer
    from director_ctx.memory.store import Store

    Where = bool | str | Project | Store
    """Whether originals are kept, or where: the root of a project, a project, a store that is open."""

_DIGITS = 12


def receipt_of(before: Conversation, after: Sequence[Message], strategy: str, counter: str) -> Receipt:
    """What was cut; its id says what."""
    digested = "digested" if any(block.sources for one in after for block in one.blocks) else "dropped"
    found = tuple(cuts(before.messages, after, digested))
    named = " ".join(f"{cut.message}.{cut.block} {cut.locator} {cut.after}" for cut in found)
    came, went = (sum(one.tokens for one in messages) for messages in (before.messages, after))
    identity = full_hash(named.encode())[:_DIGITS]
    return Receipt(identity, before.format, strategy, counter, None, True, "", came, went, found)


def keep_originals(found: Mapping[str, str | Listing], where: Where, known: set[str]) -> None:
    """Durable on return; `known` are the hashes of those that were kept before."""
    from director_ctx.memory.archive import keep_in
    from director_ctx.wiring.memory import open_store, project_here

    new = {name: one for name, one in found.items() if name not in known}
    if not new:
        return

    def work(writer: Writer) -> None:
        keep_in(writer, store, new)

    here = project_here(where if isinstance(where, str) else None) if isinstance(where, bool | str) else where
    with open_store(here, write=True) as store:
        store.engine.write(store.workflow, work)
    known.update(new)
