"""Originals of what an agent no longer sees, kept while it runs: each once, and before its model is
asked. And the cuts of conversations that go on.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.history.agents.conversation_cuts import ConversationCut, read, written
from director_ctx.history.compress.keep import originals
from director_ctx.history.compress.receipt import Receipt, cuts, identity
from director_ctx.history.messages.message import Conversation, Message, size
from director_ctx.history.retrieve.answering import answer_by
from director_ctx.history.strategies.config import ContextConfig, without_archive
from director_ctx.memory.archive import cuts as stored_cuts
from director_ctx.memory.archive import originals as stored_originals
from director_ctx.memory.archive.cuts import Lasting
from director_ctx.memory.store.open import open_store, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging
    from collections.abc import Sequence

    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

    Where = bool | str | Project | Store
    """Whether originals are kept, or where: the root of a project, a project, a store that is open.
    """
    NamedCut = tuple[str, ConversationCut | None]
    """The name of a beginning and its cut; an empty name and None where none is known."""


def receipt_of(
    before: Conversation,
    after: Sequence[Message],
    strategy: str,
    counter: str,
) -> Receipt:
    """What was cut; its id says what."""
    blocks = tuple(cuts(before.messages, after))
    said = [f"{cut.message}.{cut.block} {cut.locator} {cut.after}" for cut in blocks]
    return Receipt(
        id=identity(" ".join(said)),
        format=before.format,
        strategy=strategy,
        counter=counter,
        target=None,
        met=True,
        why_not="",
        tokens_in=size(before.messages),
        tokens_out=size(after),
        cuts=blocks,
    )


MOST_HELD = 64_000_000
"""Characters of originals in memory, before those of other conversations are given up."""


class Keeping:
    """Where originals are kept, and the cuts of conversations that go on."""

    def __init__(self, where: Where) -> None:
        self._where = where
        self._stored: set[str] = set()
        """The hashes of originals that are there."""
        self._held: int | None = None
        """Characters in memory; None where originals are kept elsewhere, or nowhere."""

    def hold(self) -> None:
        """What would be kept nowhere is kept in memory from now on, so that it can be had again."""
        if self._where is False:
            self._hold_anew()

    def _hold_anew(self) -> None:
        # Only for programs that keep nothing on disk.
        from director_ctx.memory.store.sqlite import MEMORY, SQLite
        from director_ctx.memory.store.store import Store, new_id

        self._where = Store(SQLite(MEMORY), new_id())
        self._stored = set()
        self._held = 0

    def told(self, config: ContextConfig) -> ContextConfig:
        """What is cut by: nothing is promised of originals that are not kept."""
        if self._where is False:
            return without_archive(config)
        return config

    def answer(self, arguments: object) -> str:
        """What a model is answered that asks for an original."""
        if self._where is False:
            return "Originals are not kept here, so what was cut is gone."
        return answer_by(self._open, arguments)

    def keep_originals(
        self,
        before: Conversation,
        after: Sequence[Message],
        receipt: Receipt,
    ) -> bool:
        """Durable on return. False where they could not be kept: then nothing may go out shorter."""
        if self._where is False:
            return True
        new = originals(before.messages, after, receipt.cuts)
        if self._held is not None and self._held > MOST_HELD:
            # In memory; the conversation that is cut next keeps all of its own anew.
            self._hold_anew()
        for name in self._stored.intersection(new):
            del new[name]
        try:
            # Most requests bring nothing new, and do not wait for a store.
            if new:
                with self._open(write=True) as store:
                    stored_originals.keep(store, new)
        except (DctxError, OSError) as error:
            log().warning("Nothing was cut, because the originals could not be kept: %s", error)
            return False
        self._stored.update(new)
        if self._held is not None:
            # What a listing lists is counted for itself.
            self._held += sum(len(text) for text in new.values() if isinstance(text, str))
        return True

    def keep_cut(self, cut: Lasting, most: int) -> None:
        """Kept for whoever goes on with the conversation later; without it, it would only be cut
        anew.
        """
        if self._where is False:
            return
        try:
            with self._open(write=True) as store:
                stored_cuts.keep(store, cut, most)
        except (DctxError, OSError) as error:
            log().warning("A cut could not be kept for later: %s", error)

    def find_cut(self, names: Sequence[str]) -> tuple[str, str] | None:
        """The longest of these beginnings of which a cut is known, and that."""
        if self._where is False:
            return None
        try:
            with self._open() as store:
                return stored_cuts.find(store, names)
        except (DctxError, OSError):
            return None  # it is cut anew, and that says what is wrong

    def _open(self, write: bool = False) -> Store:
        if not isinstance(self._where, bool | str):
            return open_store(self._where, write=write)
        root = self._where if isinstance(self._where, str) else None
        return open_store(project_here(root), write=write)


class RememberedCuts:
    """The cuts of all conversations, by the names of their beginnings. Those that this process knows are asked for
    first; the store is a file or a server.
    """

    def __init__(self, keeping: Keeping, most: int) -> None:
        self._keeping = keeping
        self._most = most
        # In the order in which they were used last.
        self._known: dict[str, ConversationCut] = {}
        self._used: set[str] = set()

    def find(self, names: Sequence[str]) -> NamedCut:
        """That of the longest beginning that is known here."""
        for name in reversed(names) if self._known else ():
            cut = self._known.get(name)
            if cut is not None:
                self._put(name, cut)
                return name, cut
        return "", None

    def find_stored(self, names: Sequence[str], messages: Sequence[Message]) -> NamedCut:
        """The same of the store; from then on it is known here."""
        stored = self._keeping.find_cut(names)
        cut = read(stored[1], messages) if stored else None
        if stored is None or cut is None:
            return "", None
        self._put(stored[0], cut)
        return stored[0], cut

    def keep(
        self,
        name: str,
        cut: ConversationCut,
        messages: Sequence[Message],
        instead: str,
        most: int,
    ) -> None:
        """It takes the place of `instead`; the store keeps so many at `most`."""
        self._known.pop(instead, None)
        self._put(name, cut)
        try:
            content = written(cut, messages)
        except TypeError:
            return  # There are objects of a program in it, which only this process knows.
        self._keeping.keep_cut(Lasting(name, content, instead, frozenset(self._used)), most)
        self._used.clear()

    def _put(self, name: str, cut: ConversationCut) -> None:
        self._known.pop(name, None)
        self._known[name] = cut
        self._used.add(name)
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]


def log() -> logging.Logger:
    from logging import getLogger

    return getLogger("director_ctx")
