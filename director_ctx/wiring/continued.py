"""What was cut once stays cut in the same way while a conversation goes on, so that a provider's cache holds."""

from __future__ import annotations

import json
from hashlib import sha256

from director_ctx.history.message import ADDED, Block, Message
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class Cut(Record):
    """What was made of the beginning of a conversation."""

    length: int
    """Messages of that beginning."""
    after: tuple[int | Message, ...]
    """The place of a message that stayed as it was, or what we wrote."""

    def continued(self, messages: Sequence[Message]) -> list[Message]:
        """The conversation as it is now, with its beginning as it was cut."""
        begun = [messages[one] if isinstance(one, int) else one for one in self.after]
        return [*begun, *messages[self.length :]]


class Cuts:
    """Those of all conversations, by the names of their beginnings. Who was not seen for longest is forgotten."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[str, Cut] = {}
        self._used: set[str] = set()

    def find(self, names: Sequence[str]) -> tuple[str, Cut | None]:
        """The name and the cut of the longest beginning that is known."""
        for name in reversed(names if self._known else ()):
            if name in self._known:
                self._known[name] = self._known.pop(name)
                self._used.add(name)
                return name, self._known[name]
        return "", None

    def keep(self, name: str, cut: Cut, instead: str = "") -> None:
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


def cut_of(before: Sequence[Message], after: Sequence[Message]) -> Cut:
    own = {message.index: place for place, message in enumerate(before)}
    kept = [own[one.index] if one.index != ADDED and before[own[one.index]] is one else one for one in after]
    return Cut(len(before), tuple(kept))


def names_of(messages: Sequence[Message], setting: str) -> list[str]:
    """A name for each beginning, by all that is said in it; the same in every process, and another one where it
    would be cut by another `setting`."""
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


def written(cut: Cut, before: Sequence[Message]) -> str:
    """As text. What stayed as it was in a message is only named; a TypeError where something cannot be written."""
    after = [one if isinstance(one, int) else _message_values(one, before) for one in cut.after]
    return json.dumps({"length": cut.length, "after": after}, separators=(",", ":"))


def read(text: str, before: Sequence[Message]) -> Cut | None:
    """The cut again; nothing where the text is none, for it may come from anybody."""
    try:
        value = json.loads(text)
        after = [one if isinstance(one, int) else _message(one, before) for one in value["after"]]
        places = [one for one in after if isinstance(one, int)]
        whole = value["length"] <= len(before) and all(0 <= place < value["length"] for place in places)
        return Cut(value["length"], tuple(after)) if whole else None
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _message_values(message: Message, before: Sequence[Message]) -> dict[str, Any]:
    place = next((place for place, one in enumerate(before) if one.index == message.index), ADDED)
    own = before[place].blocks if place != ADDED else ()
    numbers = {id(block): number for number, block in enumerate(own)}
    blocks = [numbers.get(id(block)) if id(block) in numbers else _block_values(block) for block in message.blocks]
    return {"place": place, "role": message.role, "blocks": blocks}


def _block_values(block: Block) -> list[Any]:
    return [block.kind, block.text, block.at, block.call, block.tool, block.error, block.data, block.action]


def _message(values: dict[str, Any], before: Sequence[Message]) -> Message:
    place = values["place"]
    if place == ADDED:
        return Message(values["role"], _blocks(values["blocks"], ()))
    was: Message = before[place]
    return was.with_blocks(_blocks(values["blocks"], was.blocks))


def _blocks(found: Iterable[int | list[Any]], own: Sequence[Block]) -> list[Block]:
    return [own[one] if isinstance(one, int) else Block(*one) for one in found]
