"""Originals of what an agent no longer sees, kept while it runs: each once, and before its model is
asked.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.history.compress.receipt import Receipt, cuts, identity
from director_ctx.history.messages.message import size

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Conversation, Message
    from director_ctx.memory.archive.cuts import Lasting
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

    Where = bool | str | Project | Store
    """Whether originals are kept, or where: the root of a project, a project, a store that is open.
    """


def receipt_of(
    before: Conversation, after: Sequence[Message], strategy: str, counter: str
) -> Receipt:
    """What was cut; its id says what."""
    found = tuple(cuts(before.messages, after))
    named = " ".join(f"{cut.message}.{cut.block} {cut.locator} {cut.after}" for cut in found)
    came, went = size(before.messages), size(after)
    return Receipt(
        identity(named), before.format, strategy, counter, None, True, "", came, went, found
    )


class Keeping:
    """Where originals are kept, and the cuts of conversations that go on."""

    def __init__(self, where: Where) -> None:
        self._where = where
        self._kept: set[str] = set()
        """The hashes of originals that are there."""

    def originals(self, before: Conversation, after: Sequence[Message], receipt: Receipt) -> bool:
        """Durable on return. False where they could not be kept: then nothing may go out shorter."""
        from director_ctx.history.compress.keep import originals
        from director_ctx.memory.archive.originals import keep

        if self._where is False:
            return True
        found = originals(before.messages, after, receipt.cuts)
        new = {name: one for name, one in found.items() if name not in self._kept}
        try:
            if new:
                with self._open(write=True) as store:
                    keep(store, new)
        except (DctxError, OSError) as error:
            log().warning("Nothing was cut, because the originals could not be kept: %s", error)
            return False
        self._kept.update(new)
        return True

    def cut(self, cut: Lasting, most: int) -> None:
        """Kept for whoever goes on with the conversation later; without it, it would only be cut
        anew.
        """
        from director_ctx.memory.archive.cuts import keep

        if self._where is False:
            return
        try:
            with self._open(write=True) as store:
                keep(store, cut, most)
        except (DctxError, OSError) as error:
            log().warning("A cut could not be kept for later: %s", error)

    def find_cut(self, names: Sequence[str]) -> tuple[str, str] | None:
        """The longest of these beginnings of which a cut is known, and that."""
        from director_ctx.memory.archive.cuts import find

        if self._where is False:
            return None
        try:
            with self._open() as store:
                return find(store, names)
        except (DctxError, OSError):
            return None  # it is cut anew, and that says what is wrong

    def _open(self, write: bool = False) -> Store:
        from director_ctx.memory.store.open import open_store, project_here

        if not isinstance(self._where, bool | str):
            return open_store(self._where, write=write)
        root = self._where if isinstance(self._where, str) else None
        return open_store(project_here(root), write=write)


def log() -> logging.Logger:
    from logging import getLogger

    return getLogger("director_ctx")
