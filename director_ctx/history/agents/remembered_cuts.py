"""The cuts of conversations that go on: here, and in the store for a program that starts anew."""

from __future__ import annotations

from director_ctx.history.agents.conversation_cuts import ConversationCuts, read, written
from director_ctx.memory.archive.cuts import Lasting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.agents.conversation_cuts import ConversationCut, NamedCut
    from director_ctx.history.agents.originals import Keeping
    from director_ctx.history.messages.message import Message


class RememberedCuts:
    """Those that this process knows are asked for first; the store is a file or a server."""

    def __init__(self, keeping: Keeping, most: int) -> None:
        self._keeping = keeping
        self._here = ConversationCuts(most)

    def find(self, names: Sequence[str]) -> NamedCut:
        """That of the longest beginning that is known here."""
        return self._here.find(names)

    def find_stored(
        self,
        names: Sequence[str],
        messages: Sequence[Message],
    ) -> NamedCut:
        """The same of the store; from then on it is known here."""
        stored = self._keeping.find_cut(names)
        if stored is None:
            return "", None
        name, content = stored
        cut = read(content, messages)
        if cut is None:
            return "", None
        self._here.keep(name, cut)
        return name, cut

    def keep(
        self,
        name: str,
        cut: ConversationCut,
        messages: Sequence[Message],
        instead: str,
        most: int,
    ) -> None:
        """It takes the place of `instead`; the store keeps so many at `most`."""
        self._here.keep(name, cut, instead)
        try:
            content = written(cut, messages)
        except TypeError:
            return  # There are objects of a program in it, which only this process knows.
        used = self._here.take_used()
        lasting = Lasting(name, content, instead, used)
        self._keeping.keep_cut(lasting, most)
