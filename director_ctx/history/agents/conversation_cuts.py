"""What was cut once stays cut in the same way while a conversation goes on, so that a provider's
cache holds.

The proxy's `cuts.py` does so for requests as text, where a beginning is spliced by its bytes; here
messages are objects of a program, of which those that stayed have to come back as the same objects.
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

    Entry = int | Message
    """The place of a message that stayed as it was, or what we wrote."""
    WrittenBlock = int | list[Any]
    """The number of a block that stayed as it was, or all that one of ours is made of."""
    NamedCut = tuple[str, "ConversationCut | None"]
    """The name of a beginning and its cut; an empty name and None where none is known."""


class ConversationCut(Record):
    """What was made of the beginning of a conversation."""

    length: int
    """Messages of that beginning."""
    after: tuple[Entry, ...]

    def continued(self, messages: Sequence[Message]) -> list[Message]:
        """The conversation as it is now, with its beginning as it was cut."""
        begun: list[Message] = []
        for entry in self.after:
            if isinstance(entry, int):
                begun.append(messages[entry])
            else:
                begun.append(entry)
        return [*begun, *messages[self.length :]]


class ConversationCuts:
    """The cuts of all conversations, by the names of their beginnings; those that were not used for
    longest are forgotten.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        # In the order in which they were used last.
        self._known: dict[str, ConversationCut] = {}
        self._used: set[str] = set()

    def find(self, names: Sequence[str]) -> NamedCut:
        """That of the longest beginning that is known."""
        if not self._known:
            return "", None
        for name in reversed(names):
            cut = self._known.pop(name, None)
            if cut is not None:
                self._known[name] = cut
                self._used.add(name)
                return name, cut
        return "", None

    def keep(
        self,
        name: str,
        cut: ConversationCut,
        instead: str = "",
    ) -> None:
        """It takes the place of an earlier cut of the same conversation."""
        self._known.pop(instead, None)
        self._known.pop(name, None)
        self._known[name] = cut
        self._used.add(name)
        while len(self._known) > self._most:
            least_used = next(iter(self._known))
            del self._known[least_used]

    def take_used(self) -> frozenset[str]:
        """The names of those that were used since somebody asked."""
        used = frozenset(self._used)
        self._used = set()
        return used


def cut_of(before: Sequence[Message], after: Sequence[Message]) -> ConversationCut:
    places = _places(before)
    entries: list[Entry] = []
    for message in after:
        entry: Entry = message
        place = places.get(message.index, ADDED)
        # A strategy hands on the same object where it changes nothing.
        if place != ADDED and before[place] is message:
            entry = place
        entries.append(entry)
    return ConversationCut(len(before), tuple(entries))


def _places(before: Sequence[Message]) -> dict[int, int]:
    """The place of each message, by its index."""
    return {message.index: place for place, message in enumerate(before)}


def names_of(messages: Sequence[Message], setting: str) -> list[str]:
    """A name for each beginning, by all that is said in it; the same in every process, and another
    one where it would be cut by another `setting`.
    """
    running = sha256(setting.encode())
    names: list[str] = []
    for message in messages:
        running.update(_said(message))
        names.append(running.hexdigest())
    return names


def _said(message: Message) -> bytes:
    """All that is said in a message."""
    # Texts stand behind their lengths: else two that are divided otherwise would read the same.
    heads: list[tuple[str, str, str, int]] = []
    texts: list[str] = []
    for block in message.blocks:
        length = len(block.text)
        heads.append((block.kind, block.call, block.tool, length))
        texts.append(block.text)
    begins = repr((message.role, heads))
    whole = begins + "".join(texts)
    return whole.encode("utf-8", "surrogatepass")


# As it is kept in the store


def written(cut: ConversationCut, before: Sequence[Message]) -> str:
    """As text. What stayed as it was in a message is only named; a TypeError where something cannot
    be written.
    """
    places = _places(before)
    after: list[Any] = []
    for entry in cut.after:
        if isinstance(entry, int):
            after.append(entry)
            continue
        place = places.get(entry.index, ADDED)
        own: Sequence[Block] = ()
        if place != ADDED:
            own = before[place].blocks
        message = {
            "place": place,
            "role": entry.role,
            "blocks": _written_blocks(entry.blocks, own),
        }
        after.append(message)
    value = {"length": cut.length, "after": after}
    return json.dumps(value, separators=(",", ":"))


def _written_blocks(blocks: Iterable[Block], own: Sequence[Block]) -> list[WrittenBlock]:
    """Each block by its number among those that the message had, or in full."""
    # By identity: a block that nobody changed is the same object, whatever else has its text.
    numbers = {id(block): number for number, block in enumerate(own)}

    entries: list[WrittenBlock] = []
    for block in blocks:
        number = numbers.get(id(block))
        if number is None:
            entries.append(_block_values(block))
        else:
            entries.append(number)
    return entries


def _block_values(block: Block) -> list[Any]:
    """In the order in which a block is made of them."""
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


def read(text: str, before: Sequence[Message]) -> ConversationCut | None:
    """The cut again; nothing where the text is none."""
    # A store may be written to by others, so nothing of the text is taken for granted.
    try:
        value = json.loads(text)
        length = value["length"]
        if length > len(before):
            return None
        after: list[Entry] = []
        for written_entry in value["after"]:
            entry = _entry(written_entry, before)
            # A place has to be one of the messages that were cut.
            if isinstance(entry, int) and not 0 <= entry < length:
                return None
            after.append(entry)
    except (ValueError, KeyError, TypeError, IndexError):
        return None
    return ConversationCut(length, tuple(after))


def _entry(value: Any, before: Sequence[Message]) -> Entry:
    if isinstance(value, int):
        return value

    place = value["place"]
    if place == ADDED:
        blocks = _read_blocks(value["blocks"], ())
        return Message(value["role"], blocks)
    original: Message = before[place]
    blocks = _read_blocks(value["blocks"], original.blocks)
    return original.with_blocks(blocks)


def _read_blocks(entries: Iterable[WrittenBlock], own: Sequence[Block]) -> list[Block]:
    blocks: list[Block] = []
    for entry in entries:
        if isinstance(entry, int):
            blocks.append(own[entry])
        else:
            blocks.append(Block(*entry))
    return blocks
