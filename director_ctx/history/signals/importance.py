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
        return any(map(is_error, message.blocks))
    return message.role != SYSTEM and tells_state(message, ("error",))


def tells_state(message: Message, words: Sequence[str]) -> bool:
    """Whether it has one of the words; calls do not count, as they only try."""
    for block in message.blocks:
        if block.kind != CALL:
            text = block.text.lower()
            if any(word in text for word in words):
                return True
    return False


def shows_screen(message: Message) -> bool:
    return any(
        block.kind == IMAGE or "screenshot" in block.tool.lower() for block in message.blocks
    )


def state_words(config: ContextConfig) -> list[str]:
    """By which a change of state is told, in small letters."""
    return [word.lower() for word in config.preserve_keywords]


_EDITS = re.compile(
    r"edit|write|patch|create|insert|replace|delete|remove|click|type|fill|select|submit|press|navigate",
    re.I,
)
"""What is in the name of a tool that changes something."""
_EDITING = re.compile(
    r"\bsed -i|<<|\btee\b|\bmv |\brm |\bgit (?:commit|apply|mv|rm)|(?<![0-9&>-])>{1,2} ?[\w./~$]"
)
"""What is in a command that does."""
_LOOKED_AT = 600
"""Characters of a call in which it says what it changes."""
_HALF = 5
"""After so many turns a message is half as recent."""


class ImportanceScorer:
    """Scores of messages by weights that can be set: recent, error, state, user, edit, said,
    result.
    """

    def __init__(self, config: ContextConfig) -> None:
        self._config = config
        self._weights = config.importance_weights
        self._words = state_words(config)

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
                if _EDITS.search(block.tool) or _EDITING.search(block.text[:_LOOKED_AT]):
                    yield "edit"
            elif not block.text.strip():
                continue
            elif block.kind == RESULT:
                yield "result"
            elif block.kind == TEXT and message.role == USER:
                yield "user"
            elif block.kind == TEXT and message.role == ASSISTANT:
                yield "said"


_ALIKE = 0.8
"""The share of lines that both have."""
_SHORTER, _LONGER = 0.7, 1.4
"""Texts whose lengths differ by more are not compared."""
_SHORTEST = 200
"""Characters of a text that is worth a stub."""


def merge_similar(
    messages: Sequence[Message],
    stay: Collection[int],
    count: Count,
) -> list[Message]:
    """The messages, with what the next one of its kind nearly repeats cut; `stay` are places not to
    touch.
    """
    shorter = list(messages)
    later: dict[tuple[str, str, str], Block] = {}
    for index in reversed(range(len(messages))):
        message = messages[index]
        kinds = [(message.role, block.kind, block.tool) for block in message.blocks]
        own = list(zip(kinds, message.blocks, strict=True))
        if index not in stay:
            merged = [_merged(block, later.get(kind), count) for kind, block in own]
            shorter[index] = message.with_blocks(merged)
        later.update(own)
    return shorter


def _merged(block: Block, next_block: Block | None, count: Count) -> Block:
    # Calls stay as they are, and so does what is no text.
    if next_block is None or block.kind not in (RESULT, TEXT):
        return block
    is_short = len(block.text) < _SHORTEST
    if is_short or not _is_alike(block.text, next_block.text):
        return block
    says = "nearly the same as the next"
    if block.tool:
        says += f" of {block.tool}"
    shorter = block.changed(stub(says, block), "merged", count)
    return shorter if shorter.tokens < block.tokens else block


def _is_alike(text: str, other: str) -> bool:
    # Lengths first: comparing lines takes much longer.
    if not len(text) * _SHORTER < len(other) < len(text) * _LONGER:
        return False
    # Of what was cut nobody knows what it was, so it is like nothing else.
    if is_cut(text) or is_cut(other):
        return False
    lines = set(text.split("\n"))
    others = set(other.split("\n"))
    return len(lines & others) >= _ALIKE * len(lines | others)
