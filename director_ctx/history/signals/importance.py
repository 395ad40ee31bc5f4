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
    if message.role == SYSTEM:
        return False
    return any(map(_has_word_error, message.blocks))


def _has_word_error(block: Block) -> bool:
    return block.kind != CALL and "error" in block.text.lower()


def tells_state(message: Message, words: Sequence[str]) -> bool:
    """Whether it has one of the words; calls do not count, as they only try."""
    for block in message.blocks:
        if block.kind == CALL:
            continue
        text = block.text.lower()
        for word in words:
            if word in text:
                return True
    return False


def shows_screen(message: Message) -> bool:
    return any(map(_is_screen, message.blocks))


def _is_screen(block: Block) -> bool:
    return block.kind == IMAGE or "screenshot" in block.tool.lower()


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
        halves = since / _HALF
        recent = self._weights["recent"] / (1 + halves)
        # In order, as sums of fractions differ by their order.
        weights = [self._weights[trait] for trait in sorted(traits)]
        return min(1.0, recent + sum(weights))

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
    begins = call.text[:_LOOKED_AT]
    return _EDITING.search(begins) is not None


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
        if index not in stay:
            blocks: list[Block] = []
            for block in message.blocks:
                kind = _kind(message, block)
                next_block = later.get(kind)
                blocks.append(_merged(block, next_block, count))
            shorter[index] = message.with_blocks(blocks)
        for block in message.blocks:
            kind = _kind(message, block)
            later[kind] = block
    return shorter


def _kind(message: Message, block: Block) -> tuple[str, str, str]:
    return message.role, block.kind, block.tool


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
    text = stub(says, block)
    shorter = block.changed(text, "merged", count)
    if shorter.tokens < block.tokens:
        return shorter
    return block


def _is_alike(text: str, other: str) -> bool:
    # Lengths first: comparing lines takes much longer.
    least = len(text) * _SHORTER
    most = len(text) * _LONGER
    if not least < len(other) < most:
        return False
    # Of what was cut nobody knows what it was, so it is like nothing else.
    was_cut = is_cut(text) or is_cut(other)
    if was_cut:
        return False
    if text == other:
        return True
    lines = set(text.split("\n"))
    others = set(other.split("\n"))
    shared = lines & others
    every = lines | others
    return len(shared) >= _ALIKE * len(every)
