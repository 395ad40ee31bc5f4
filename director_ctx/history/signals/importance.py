"""How much a turn matters, from 0 to 1; messages that tell something; neighbours that say nearly
the same.
"""

from __future__ import annotations

import re

from director_ctx.history.messages.message import ASSISTANT, CALL, IMAGE, RESULT, SYSTEM, TEXT, USER
from director_ctx.history.messages.stubs import is_cut, stub
from director_ctx.history.signals.errors import is_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from director_ctx.history.messages.message import Block, Count, Message
    from director_ctx.history.strategies.config import ContextConfig


def tells_error(message: Message, config: ContextConfig) -> bool:
    """By structure, or by the word where the configuration says so."""
    if config.error_detection == "structural":
        return any(is_error(block) for block in message.blocks if block.kind == RESULT)
    if message.role == SYSTEM:
        return False
    return any("error" in block.text.lower() for block in message.blocks if block.kind != CALL)


def tells_state(message: Message, words: Sequence[str]) -> bool:
    """Whether it has one of the words; calls do not count, as they only try."""
    for block in message.blocks:
        if block.kind != CALL:
            text = block.text.lower()
            for word in words:
                if word in text:
                    return True
    return False


def shows_screen(message: Message) -> bool:
    return any(
        block.kind == IMAGE or "screenshot" in block.tool.lower() for block in message.blocks
    )


def words(config: ContextConfig) -> list[str]:
    return [word.lower() for word in config.preserve_keywords]


_EDITS = re.compile(
    r"edit|write|patch|create|insert|replace|delete|remove|click|type|fill|select|submit|press|navigate",
    re.I,
)
_EDITING = re.compile(
    r"\bsed -i|<<|\btee\b|\bmv |\brm |\bgit (?:commit|apply|mv|rm)|(?<![0-9&>-])>{1,2} ?[\w./~$]"
)
_LOOKED_AT = 600
_HALF = 5
"""After so many turns a message is half as recent."""


class ImportanceScorer:
    """Scores of messages by weights that can be set: recent, error, state, user, edit, said,
    result.
    """

    def __init__(self, config: ContextConfig) -> None:
        self._config = config
        self._weights = config.importance_weights
        self._words = words(config)

    def of_turn(self, messages: Iterable[Message], since: int) -> float:
        """A turn, after which there were so many, matters for everything that is in it, each kind
        counted once.
        """
        traits: set[str] = set()
        for message in messages:
            traits.update(self._traits(message))
        recent = self._weights["recent"] / (1 + since / _HALF)
        # In order, as sums of fractions differ by their order.
        return min(1.0, recent + sum(self._weights[trait] for trait in sorted(traits)))

    def _traits(self, message: Message) -> Iterable[str]:
        if tells_error(message, self._config):
            yield "error"
        if tells_state(message, self._words):
            yield "state"
        for block in message.blocks:
            if block.kind == CALL:
                if _edits(block):
                    yield "edit"
            elif not block.text.strip():
                continue
            elif block.kind == RESULT:
                yield "result"
            elif block.kind == TEXT and message.role == USER:
                yield "user"
            elif block.kind == TEXT and message.role == ASSISTANT:
                yield "said"


def _edits(call: Block) -> bool:
    if _EDITS.search(call.tool):
        return True
    return _EDITING.search(call.text[:_LOOKED_AT]) is not None


_ALIKE = 0.8
"""The share of lines that both have."""
_SHORTEST = 200


def merged(messages: Sequence[Message], stay: Collection[int], count: Count) -> list[Message]:
    """The messages, with what the next one of its kind nearly repeats cut; `stay` are places not to
    touch.
    """
    shorter = list(messages)
    later: dict[tuple[str, str, str], Block] = {}
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if index not in stay:
            blocks = []
            for block in message.blocks:
                after = later.get(_kind(message, block))
                blocks.append(_merged(block, after, count))
            shorter[index] = message.with_blocks(blocks)
        for block in message.blocks:
            later[_kind(message, block)] = block
    return shorter


def _kind(message: Message, block: Block) -> tuple[str, str, str]:
    return message.role, block.kind, block.tool


def _merged(block: Block, after: Block | None, count: Count) -> Block:
    if after is None or block.kind not in (RESULT, TEXT):
        return block
    if len(block.text) < _SHORTEST or not _alike(block.text, after.text):
        return block
    of = f" of {block.tool}" if block.tool else ""
    short = block.changed(stub(f"nearly the same as the next{of}", block), "merged", count)
    return short if short.tokens < block.tokens else block


def _alike(text: str, other: str) -> bool:
    if not len(text) * 0.7 < len(other) < len(text) * 1.4:
        return False
    if is_cut(text) or is_cut(other):
        return False
    if text == other:
        return True
    lines = set(text.split("\n"))
    others = set(other.split("\n"))
    return len(lines & others) >= _ALIKE * len(lines | others)
