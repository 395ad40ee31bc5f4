"""A conversation in its shape: whole turns, turns in place with their results by lines, and a digest
for each run of the others.
"""

from __future__ import annotations

from director_ctx.history.digest.sources import DigestSources
from director_ctx.history.digest.voice import VOICES
from director_ctx.history.messages.message import RESULT, THINKING, USER
from director_ctx.history.messages.quoted import MARK, quoted_line
from director_ctx.history.messages.stubs import called_before, cut_note, is_stub, result_stub, stub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.history.digest.shape import Shape
    from director_ctx.history.messages.message import Block, Count, Message

    Lines = Mapping[int, Sequence[str]]
    """By the identity of each block the lines that stay of it: blocks of the same words differ."""


HEAD = 120
"""Characters of the line that a digest begins with."""


class DigestDraft:
    """A digest before its lines. `room` is how many characters may say what it is about."""

    def __init__(self, messages: Sequence[Message], room: float) -> None:
        self.sources = DigestSources(messages)
        self.index = self.sources.index(room)
        self.names: list[str] = []
        """The files and commands that can be read in it, whichever lines are chosen."""
        self.letters = HEAD
        """Characters that it takes without any lines."""
        for line in self.index:
            name, _, _ = line.rpartition(": ")
            self.names.append(name)
            self.letters += len(line) + 1

    def written(self, lines: Lines, count: Count) -> Message:
        """Each voice in a part of its own, so that nobody's words stand among those of the user."""
        quotes_of_voice: dict[str, list[str]] = {}
        voiced_blocks = zip(self.sources.voices, self.sources.blocks, strict=True)
        for number, (voice, block) in enumerate(voiced_blocks, 1):
            own_lines = lines.get(id(block))
            if not own_lines:
                continue
            first, *rest = map(quoted_line, own_lines)
            quotes = quotes_of_voice.setdefault(voice, [])
            quotes.append(f"#{number}{first}")
            quotes += rest

        text: list[str] = []
        for voice, heading in VOICES.items():
            if voice in quotes_of_voice:
                text.append(heading)
                text += quotes_of_voice[voice]
        return self.sources.digest(self.index, text, count)


def users_words(digest: str) -> str:
    """What the user said, of the text of a digest; every line of anybody stands behind a mark, so
    none is a heading.
    """
    words_of_user: list[str] = []
    is_users_part = False
    for line in digest.split("\n"):
        number, mark, words = line.partition(MARK)
        has_number = number.startswith("#")
        is_quoted = bool(mark) and (not number or has_number)
        if not is_quoted:
            is_users_part = line == VOICES[USER]
        elif is_users_part:
            words_of_user.append(words)
    return "\n".join(words_of_user)


def in_place(
    messages: Sequence[Message],
    lines: Lines,
    count: Count,
    thinks: bool = False,
) -> list[Message]:
    """A turn with its calls as they are and its results by their lines; its thoughts go if a result
    can say where, unless it `thinks` still.
    """
    calls = called_before(messages)
    thoughts: list[Block] = []
    if not thinks:
        thoughts = _thoughts(messages)

    shorter: list[Message] = []
    names_thoughts = False
    for message in messages:
        blocks = list(message.blocks)
        for index, block in enumerate(message.blocks):
            if block.kind != RESULT or is_stub(block.text):
                continue
            # The first result that gets shorter says where the thoughts of the turn are.
            unnamed_thoughts = () if names_thoughts else thoughts
            call = calls.get(id(block), "")
            shortened = _shortened(block, lines, call, unnamed_thoughts, count)
            blocks[index] = shortened
            if shortened is not block:
                names_thoughts = True
        shorter.append(message.with_blocks(blocks))
    if thinks or not names_thoughts:
        return shorter
    return _without_thoughts(shorter)


def _thoughts(messages: Sequence[Message]) -> list[Block]:
    thoughts: list[Block] = []
    for message in messages:
        for block in message.blocks:
            if block.kind == THINKING:
                thoughts.append(block)
    return thoughts


def _without_thoughts(messages: Sequence[Message]) -> list[Message]:
    """Messages that were nothing but thoughts are gone with them."""
    others: list[Message] = []
    for message in messages:
        left = [block for block in message.blocks if block.kind != THINKING]
        if left or not message.blocks:
            others.append(message.with_blocks(left))
    return others


def _shortened(
    block: Block,
    lines: Lines,
    call: str,
    thoughts: Sequence[Block],
    count: Count,
) -> Block:
    """A result by its lines, with stubs for these thoughts; as it is, where that is no longer."""
    own_lines = lines.get(id(block), ())
    if own_lines:
        action = "clipped"
        left = sum(map(len, own_lines))
        note = cut_note(block, left)
    else:
        action = "cleared"
        note = result_stub(block, before=call)

    text = [*own_lines, note]
    tokens_before = block.tokens
    for thought in thoughts:
        tokens_before += thought.tokens
        if thought.text:
            size = f"{len(thought.text):,} characters"
            text.append(stub(f"thought before it, {size}", thought))

    shorter = block.changed("\n".join(text), action, count)
    if shorter.tokens < tokens_before:
        return shorter
    return block


def assembled(
    turns: Sequence[Sequence[Message]],
    shape: Shape,
    drafts: Mapping[int, DigestDraft],
    lines: Lines,
    count: Count,
) -> list[Message]:
    """The conversation in this shape."""
    messages: list[Message] = []
    for number, turn in enumerate(turns):
        if number in shape.whole:
            messages += turn
        elif number in shape.placed:
            thinks = number in shape.working
            messages += in_place(turn, lines, count, thinks)
        elif number in drafts:
            draft = drafts[number]
            messages.append(draft.written(lines, count))
    return messages
