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
    from collections.abc import Sequence
    from typing import Any

    Entry = int | Message
    """The place of a message that stayed as it was, or what we wrote."""
    WrittenBlock = int | list[Any]
    """The number of a block that stayed as it was, or all that one of ours is made of."""


class ConversationCut(Record):
    """What was made of the beginning of a conversation."""

    length: int
    """Messages of that beginning."""
    after: tuple[Entry, ...]

    def continued(self, messages: Sequence[Message]) -> list[Message]:
        """The conversation as it is now, with its beginning as it was cut."""
        begun = [messages[entry] if isinstance(entry, int) else entry for entry in self.after]
        return [*begun, *messages[self.length :]]


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
        # Texts stand behind their lengths: else two that are divided otherwise would read the same.
        heads = [(block.kind, block.call, block.tool, len(block.text)) for block in message.blocks]
        texts = "".join(block.text for block in message.blocks)
        running.update(f"{(message.role, heads)!r}{texts}".encode("utf-8", "surrogatepass"))
        names.append(running.hexdigest())
    return names


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
        own = before[place].blocks if place != ADDED else ()
        # By identity: a block that did not change is the same object, whatever else has its text.
        numbers = {id(block): number for number, block in enumerate(own)}
        blocks: list[WrittenBlock] = []
        for block in entry.blocks:
            values = [getattr(block, name) for name in _BLOCK]
            blocks.append(numbers.get(id(block), values))
        after.append({"place": place, "role": entry.role, "blocks": blocks})
    return json.dumps({"length": cut.length, "after": after}, separators=(",", ":"))


_BLOCK = ("kind", "text", "at", "call", "tool", "error", "data", "action")
"""In the order in which a block is made of them."""


def read(text: str, before: Sequence[Message]) -> ConversationCut | None:
    """The cut again; nothing where the text is none."""
    # A store may be written to by others, so nothing of the text is taken for granted.
    try:
        value = json.loads(text)
        length = value["length"]
        if length > len(before):
            return None
        after: list[Entry] = []
        for entry in value["after"]:
            if not isinstance(entry, int):
                after.append(_read_message(entry, before))
            elif 0 <= entry < length:
                after.append(entry)
            else:
                return None
    except (ValueError, KeyError, TypeError, IndexError):
        return None
    return ConversationCut(length, tuple(after))


def _read_message(value: Any, before: Sequence[Message]) -> Message:
    place = value["place"]
    own = before[place].blocks if place != ADDED else ()
    blocks: list[Block] = []
    for block in value["blocks"]:
        blocks.append(own[block] if isinstance(block, int) else Block(*block))
    if place == ADDED:
        return Message(value["role"], blocks)
    original: Message = before[place]
    return original.with_blocks(blocks)
