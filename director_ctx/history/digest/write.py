"""From a shape and its lines to messages."""

from __future__ import annotations

from director_ctx.history.digest.outline import by_tool, names, write
from director_ctx.history.message import CALL, RESULT, THINKING
from director_ctx.history.stubs import cut_note, result_stub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.history.digest.shape import Shape
    from director_ctx.history.message import Block, Count, Message

    Lines = Mapping[int, Sequence[str]]
    Names = Mapping[str, Sequence[int]]

HEAD = 120
"""Characters of the line that a digest begins with."""


class Draft:
    """A digest before its lines."""

    def __init__(self, messages: Sequence[Message], room: float) -> None:
        self.messages = messages
        self.sources = [block for message in messages for block in message.blocks]
        self.named: Names = names(self.sources)
        self.letters = _letters(self.named)
        if self.letters > room:
            self.named = by_tool(self.sources)
            self.letters = _letters(self.named)

    def written(self, lines: Lines, count: Count) -> Message:
        text: list[str] = []
        for number, block in enumerate(self.sources, 1):
            if mine := lines.get(id(block)):
                text += [f"#{number} {mine[0]}", *mine[1:]]
        return write(len(self.messages), self.sources, self.named, text, count)


def _letters(named: Names) -> int:
    return HEAD + sum(len(name) + 2 + 5 * len(numbers) for name, numbers in named.items())


def in_place(messages: Sequence[Message], lines: Lines, count: Count) -> list[Message]:
    """A turn with its calls as they are and its results by their lines; thoughts go."""
    made: list[Message] = []
    arguments = {block.call: block.text for message in messages for block in message.blocks if block.kind == CALL}
    for message in messages:
        blocks = [_shortened(block, lines, arguments, count) for block in message.blocks if block.kind != THINKING]
        same = len(blocks) == len(message.blocks) and all(a is b for a, b in zip(blocks, message.blocks, strict=True))
        made.append(message if same or not blocks else message.with_blocks(blocks))
    return made


def _shortened(block: Block, lines: Lines, arguments: Mapping[str, str], count: Count) -> Block:
    if block.kind != RESULT:
        return block
    mine = lines.get(id(block), ())
    left = sum(map(len, mine))
    text = "\n".join([*mine, cut_note(block, left)]) if mine else result_stub(block, arguments.get(block.call, ""))
    made = block.changed(text, "clipped" if mine else "cleared", count)
    return made if made.tokens < block.tokens else block


def assembled(
    messages: Sequence[Message],
    rows: Sequence[range],
    shape: Shape,
    drafts: Mapping[int, Draft],
    lines: Lines,
    count: Count,
) -> list[Message]:
    made: list[Message] = []
    for turn, row in enumerate(rows):
        own = [messages[place] for place in row]
        if turn in shape.whole:
            made += own
        elif turn in shape.placed:
            made += in_place(own, lines, count)
        elif turn in drafts:
            made.append(drafts[turn].written(lines, count))
    return made
