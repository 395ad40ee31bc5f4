"""From a shape and its lines to messages."""

from __future__ import annotations

from director_ctx.history.digest.outline import Sources
from director_ctx.history.digest.voice import VOICES
from director_ctx.history.messages.called import called_before
from director_ctx.history.messages.message import RESULT, THINKING
from director_ctx.history.messages.quoted import quoted_line
from director_ctx.history.messages.stubs import cut_note, is_stub, result_stub, stub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.history.digest.shape import Shape
    from director_ctx.history.messages.message import Block, Count, Message

    Lines = Mapping[int, Sequence[str]]

HEAD = 120
"""Characters of the line that a digest begins with."""


class Draft:
    """A digest before its lines. `room` is how many characters may say what it is about."""

    def __init__(self, messages: Sequence[Message], room: float) -> None:
        self.sources = Sources(messages)
        self.index = self.sources.index(room)
        self.names = [line.rpartition(": ")[0] for line in self.index]
        self.letters = HEAD + sum(map(len, self.index)) + len(self.index)

    def written(self, lines: Lines, count: Count) -> Message:
        """Each voice in a part of its own, so that nobody's words stand among those of the user."""
        said: dict[str, list[str]] = {}
        for number, (voice, block) in enumerate(zip(self.sources.voices, self.sources.blocks, strict=True), 1):
            if mine := lines.get(id(block)):
                first, *rest = map(quoted_line, mine)
                said.setdefault(voice, []).extend((f"#{number}{first}", *rest))

        text: list[str] = []
        for voice, heading in VOICES.items():
            if voice in said:
                text += [heading, *said[voice]]
        return self.sources.digest(self.index, text, count)


def in_place(messages: Sequence[Message], lines: Lines, count: Count, thinks: bool = False) -> list[Message]:
    """A turn with its calls as they are and its results by their lines; its thoughts go if a result can say where,
    unless it `thinks` still."""
    calls = called_before(messages)
    thoughts = [block for message in messages for block in message.blocks if block.kind == THINKING and not thinks]
    made: list[Message] = []
    told = False
    for message in messages:
        blocks = list(message.blocks)
        for number, block in enumerate(blocks):
            if block.kind == RESULT and not is_stub(block.text):
                blocks[number] = _shortened(block, lines, calls.get(id(block), ""), () if told else thoughts, count)
                told = told or blocks[number] is not block
        made.append(message.with_blocks(blocks))
    return [one for message in made if (one := _without_thoughts(message))] if told and not thinks else made


def _without_thoughts(message: Message) -> Message | None:
    left = [block for block in message.blocks if block.kind != THINKING]
    return message.with_blocks(left) if left or not message.blocks else None


def _shortened(block: Block, lines: Lines, call: str, thoughts: Sequence[Block], count: Count) -> Block:
    mine = lines.get(id(block), ())
    note = cut_note(block, sum(map(len, mine))) if mine else result_stub(block, before=call)
    aside = [stub(f"thought before it, {len(one.text):,} characters", one) for one in thoughts if one.text]
    made = block.changed("\n".join([*mine, note, *aside]), "clipped" if mine else "cleared", count)
    return made if made.tokens < block.tokens + sum(one.tokens for one in thoughts) else block


def assembled(
    turns: Sequence[Sequence[Message]], shape: Shape, drafts: Mapping[int, Draft], lines: Lines, count: Count
) -> list[Message]:
    made: list[Message] = []
    for number, own in enumerate(turns):
        if number in shape.whole:
            made += own
        elif number in shape.placed:
            made += in_place(own, lines, count, number in shape.working)
        elif number in drafts:
            made.append(drafts[number].written(lines, count))
    return made
