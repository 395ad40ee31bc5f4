"""The lines of a Claude Code session with other messages: what changed is written anew, and the
parents lead on.
"""

from __future__ import annotations

from hashlib import sha256

from director_ctx.history.formats.anthropic import content_of
from director_ctx.history.formats.parts import NEST, NEVER, shortened
from director_ctx.history.messages.message import ADDED, ASSISTANT, RESULT, SYSTEM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.formats.claude_chain import Chain
    from director_ctx.history.messages.message import Block, Message

    Raw = dict[str, Any]

_SHARED = (
    "isSidechain",
    "agentId",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "slug",
)


def relined(
    document: Sequence[Any],
    chain: Chain,
    places: Sequence[int],
    originals: Sequence[Message],
    messages: Sequence[Message],
) -> list[Any]:
    """All lines in order. Messages come in the order in which they are given, each not after its
    own old place.
    """
    numbers = {place: index for index, place in enumerate(places)}
    links, queue = set(chain.places), iter(messages)
    kept = {message.index for message in messages}
    writer = _Writer(
        document,
        originals,
        [document[place] for place, index in numbers.items() if index not in kept],
    )
    done: set[int] = set()
    for place, line in enumerate(document):
        index = numbers.get(place)
        if index is None:
            writer.other(line, place in links)
        elif index in kept:
            while index not in done:
                done.add(writer.message(next(queue)))
    for message in queue:
        writer.message(message)
    return writer.lines


class _Writer:
    """Writes lines one after the other, and knows what became of each parent."""

    def __init__(
        self, document: Sequence[Any], originals: Sequence[Message], gone: Sequence[Raw]
    ) -> None:
        self.lines: list[Any] = []
        self.originals = originals
        self.gone = {
            line["uuid"]: line.get("parentUuid")
            for line in gone
            if isinstance(line.get("uuid"), str)
        }
        """The parents of lines that are left out."""
        self.last: Raw = next(
            (one for one in document if isinstance(one, dict) and "sessionId" in one), {}
        )
        self.parent: Any = None
        """The line of the conversation that was written last."""
        self.ours = bool(document)
        """Whether what is added is added by us, to a session that there was."""
        self.put_in = False
        """Whether that line is ours, so that the next one hangs on it."""

    def other(self, line: Any, linked: bool) -> None:
        """One with the name of a line that is left out goes with it, else it would be read in its
        place.
        """
        if linked:
            self.lines.append(self._linked(line))
            return
        name = line.get("uuid") if isinstance(line, dict) else None
        if not isinstance(name, str) or name not in self.gone:
            self.lines.append(line)

    def message(self, message: Message) -> int:
        if message.index == ADDED:
            self._add(message)
            return ADDED
        original = self.originals[message.index]
        line = message.raw if message is original else changed(message, original)
        self.lines.append(self._linked(line))
        return message.index

    def _parent(self, line: Raw) -> Any:
        """The next one that is still there; none where the way there leads in a circle."""
        parent, seen = line.get("parentUuid"), set()
        while isinstance(parent, str) and parent in self.gone:
            if parent in seen:
                return None
            seen.add(parent)
            parent = self.gone[parent]
        return parent

    def _linked(self, line: Raw) -> Raw:
        """The line with a parent that is still there."""
        parent = self.parent if self.put_in else self._parent(line)
        if "uuid" in line:
            self.parent = line["uuid"]
            self.last = line
            self.put_in = False
        if parent == line.get("parentUuid"):
            return line
        return {**line, "parentUuid": parent}

    def _add(self, message: Message) -> None:
        line = added(message, self.last, self.parent, len(self.lines))
        if line is None:
            return
        if message.role == SYSTEM:
            line |= {"isMeta": True, "renderedRole": "system"}
        elif self.ours and line["type"] == "user":
            line["isMeta"] = True
        self.lines.append(line)
        self.last = self.last or line
        self.parent, self.put_in = line["uuid"], True


def changed(message: Message, original: Message) -> Raw:
    """The line of a message, with what is left of it. The copy of a result for the screen goes with
    the result.
    """
    raw: Raw = message.raw
    if raw.get("type") == "attachment":
        return _changed_attachment(message, raw)
    content = content_of(message, original, raw["message"].get("content"))
    line = {**raw, "message": {**raw["message"], "content": content}}
    if _results(message) != _results(original):
        line.pop("toolUseResult", None)
    if shortened(message, original):
        line["compressed"] = True
    return line


def _changed_attachment(message: Message, raw: Raw) -> Raw:
    """It becomes a message of the user, as an attachment has no words of its own."""
    line = dict(raw)
    for key in ("attachment", "rendered", "renderedRole"):
        line.pop(key, None)
    text = "\n".join(block.text for block in message.blocks)
    line |= {
        "type": "user",
        "isMeta": True,
        "message": {"role": "user", "content": text},
        "compressed": True,
    }
    return line


def _results(message: Message) -> list[Block]:
    """Results and what is inside of them; what nobody touched is the same."""
    return [block for block in message.blocks if block.kind == RESULT or block.at >= NEST]


def added(message: Message, last: Raw, parent: Any, number: int) -> Raw | None:
    """The line of a message that we write; nothing of it is random."""
    content = content_of(message, None, None)
    if not content:
        return None

    seed = f"{last.get('sessionId', '')}{parent}{number}{content}"
    name = sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()
    uuid = f"{name[:8]}-{name[8:12]}-8{name[13:16]}-8{name[17:20]}-{name[20:32]}"

    shared = {key: last[key] for key in _SHARED if key in last}
    if not shared:
        shared = {"isSidechain": False, "sessionId": uuid}
    said = {"role": "user", "content": content}
    if message.role == ASSISTANT:
        said = _answer(content, name, message)
    return {
        "parentUuid": parent,
        **shared,
        "type": said["role"],
        "message": said,
        "uuid": uuid,
        "timestamp": message.when or last.get("timestamp", NEVER),
    }


def _answer(content: Any, name: str, message: Message) -> Raw:
    return {
        "id": message.group or f"msg_{name[:24]}", "type": "message", "role": "assistant", "model": "none",
        "content": content if isinstance(content, list) else [{"type": "text", "text": content}],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 0, "output_tokens": 0},
    }  # fmt: skip
