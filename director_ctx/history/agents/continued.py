"""What was cut once stays cut in the same way while a conversation goes on, so that a provider's
cache holds.
"""

from __future__ import annotations

import json
from hashlib import sha256

from director_ctx.base.record import Record
from director_ctx.history.messages.message import ADDED, Block, Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class KeptCut(Record):
    """What was made of the beginning of a conversation."""

    length: int
    """Messages of that beginning."""
    after: tuple[int | Message, ...]
    """The place of a message that stayed as it was, or what we wrote."""

    def continued(self, messages: Sequence[Message]) -> list[Message]:
        """The conversation as it is now, with its beginning as it was cut."""
        begun = []
        for entry in self.after:
            message = messages[entry] if isinstance(entry, int) else entry
            begun.append(message)
        return [*begun, *messages[self.length :]]


class Cuts:
    """Those of all conversations, by the names of their beginnings. Who was not seen for longest is
    forgotten.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[str, KeptCut] = {}
        self._used: set[str] = set()

    def find(self, names: Sequence[str]) -> tuple[str, KeptCut | None]:
        """The name and the cut of the longest beginning that is known."""
        if not self._known:
            return "", None
        for name in reversed(names):
            if name in self._known:
                cut = self._known.pop(name)
                self._known[name] = cut  # seen last
                self._used.add(name)
                return name, cut
        return "", None

    def keep(self, name: str, cut: KeptCut, instead: str = "") -> None:
        """It takes the place of an earlier cut of the same conversation."""
        self._known.pop(instead, None)
        self._known.pop(name, None)
        self._known[name] = cut
        self._used.add(name)
        while len(self._known) > self._most:
            del self._known[next(iter(self._known))]

    def used(self) -> frozenset[str]:
        """The names of those that were used since somebody asked."""
        used, self._used = frozenset(self._used), set()
        return used


def cut_of(before: Sequence[Message], after: Sequence[Message]) -> KeptCut:
    places = _places(before)
    kept: list[int | Message] = []
    for message in after:
        index = places.get(message.index, ADDED)
        is_whole = index != ADDED and before[index] is message
        kept.append(index if is_whole else message)
    return KeptCut(len(before), tuple(kept))


def _places(before: Sequence[Message]) -> dict[int, int]:
    """The place of each message, by its index."""
    return {message.index: index for index, message in enumerate(before)}


def names_of(messages: Sequence[Message], setting: str) -> list[str]:
    """A name for each beginning, by all that is said in it; the same in every process, and another
    one where it would be cut by another `setting`.
    """
    running = sha256(setting.encode())
    names = []
    for message in messages:
        running.update(_said(message))
        names.append(running.hexdigest())
    return names


def _said(message: Message) -> bytes:
    """Texts as they are, behind what tells where each of them ends."""
    blocks = [(block.kind, block.call, block.tool, len(block.text)) for block in message.blocks]
    texts = [block.text for block in message.blocks]
    return "".join([repr((message.role, blocks)), *texts]).encode("utf-8", "surrogatepass")


# As it is kept


def written(cut: KeptCut, before: Sequence[Message]) -> str:
    """As text. What stayed as it was in a message is only named; a TypeError where something cannot
    be written.
    """
    places = _places(before)
    after: list[Any] = []
    for entry in cut.after:
        if isinstance(entry, int):
            after.append(entry)
        else:
            after.append(_message_values(entry, before, places.get(entry.index, ADDED)))
    return json.dumps({"length": cut.length, "after": after}, separators=(",", ":"))


def read(text: str, before: Sequence[Message]) -> KeptCut | None:
    """The cut again; nothing where the text is none, for it may come from anybody."""
    try:
        value = json.loads(text)
        length = value["length"]
        after = [_entry(entry, before) for entry in value["after"]]
        is_whole = length <= len(before) and all(_is_within(entry, length) for entry in after)
    except (ValueError, KeyError, TypeError, IndexError):
        return None
    return KeptCut(length, tuple(after)) if is_whole else None


def _is_within(entry: int | Message, length: int) -> bool:
    """A place has to be one of the messages that were cut."""
    return not isinstance(entry, int) or 0 <= entry < length


def _message_values(message: Message, before: Sequence[Message], index: int) -> dict[str, Any]:
    own = before[index].blocks if index != ADDED else ()
    numbers = {id(block): number for number, block in enumerate(own)}
    blocks: list[Any] = []
    for block in message.blocks:
        number = numbers.get(id(block))
        blocks.append(_block_values(block) if number is None else number)
    return {"place": index, "role": message.role, "blocks": blocks}


def _block_values(block: Block) -> list[Any]:
    return [
        block.kind,
        block.text,
        block.at,
        block.call,
        block.tool,
        block.error,
        block.data,
        block.action,
    ]


def _entry(value: Any, before: Sequence[Message]) -> int | Message:
    if isinstance(value, int):
        return value

    index = value["place"]
    if index == ADDED:
        return Message(value["role"], _blocks(value["blocks"], ()))
    was: Message = before[index]
    return was.with_blocks(_blocks(value["blocks"], was.blocks))


def _blocks(written_blocks: Iterable[int | list[Any]], own: Sequence[Block]) -> list[Block]:
    blocks = []
    for entry in written_blocks:
        block = own[entry] if isinstance(entry, int) else Block(*entry)
        blocks.append(block)
    return blocks
