"""A digest: one message that stands for many, with the number of every block below its file or
command.
"""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.base.record import Record
from director_ctx.history.digest.scan import LONG, said
from director_ctx.history.digest.voice import VOICES, voice_of
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    CALL,
    RESULT,
    TEXT,
    THINKING,
    USER,
    Block,
    Message,
    block_tokens,
)
from director_ctx.history.messages.quoted import MARK, on_one_line, quoted_line
from director_ctx.history.messages.stubs import (
    called_before,
    command,
    cut_note,
    digest_head,
    is_stub,
    listing_locator,
    result_stub,
    stub,
)
from director_ctx.history.messages.turns import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from director_ctx.history.digest.shape import Shape
    from director_ctx.history.messages.message import Count

    Lines = Mapping[int, Sequence[str]]


DIGEST = "digest"
_ENDS = (
    "py|pyi|js|jsx|ts|tsx|mjs|json|jsonl|toml|cfg|ini|yml|yaml|md|rst|txt|html|css|scss|sql|sh|csv|db|log|xml|ipynb|lock"
    "|patch|diff|go|rs|rb|php|java|kt|c|h|cc|cpp|hpp|cs|swift|vue|svelte|proto|tf|gradle|env|conf|png|jpg|svg|pdf"
)
_PATH = re.compile(
    rf"(?<![\w:/])[~.]{{0,2}}/?(?:(?:[\w.@-]+/)+[\w@-][\w.@-]*\.[A-Za-z]\w{{0,9}}|[\w@-][\w.@-]*\.(?:{_ENDS}))\b(?!\()"
    r"|(?!/dev/null)(?:/[\w.@-]+){2,}"
)
"""A file, by its folders or by its ending; `os.path` is none."""
_ASIDE = re.compile(r"^(?:cd \S+|source \S+|export \S+|set [-+]\w+)\s*(?:&&|;|\n)\s*")
_LOOKED_AT = 240
"""Characters of a call in which its file is looked for."""
_WORDS = 2


class Sources:
    """The messages that a digest stands for, and what has to be known of them but once."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        said = [
            (voice_of(message, block), block) for message in messages for block in message.blocks
        ]
        self.voices = [voice for voice, _ in said]
        """Whose words each of the blocks is."""
        self.blocks = [block for _, block in said]
        self.locator = listing_locator(self.blocks)
        self.turns = list(_numbered(messages))

    def digest(self, index: Iterable[str], lines: Iterable[str], count: Count) -> Message:
        """The message itself. What it is about and the lines are ready to print."""
        head = digest_head(len(self.messages), self.locator)
        block = Block(TEXT, "\n".join([head, *index, *lines]), action=DIGEST)
        block.sources = self.blocks
        block.tokens = block_tokens(block, count)
        return Message(USER, [block], ADDED)

    def index(self, room: float) -> list[str]:
        """Under each file or command the blocks about it; in fewer words where they take more than
        `room`.
        """
        made: list[str] = []
        whole, tools = [turn.about for turn in self.turns], [turn.tool for turn in self.turns]
        for names, all_blocks in (
            (whole, True),
            (whole, False),
            (list(map(briefly, whole)), False),
            (tools, False),
        ):
            found: dict[str, list[int]] = {}
            for place, name in enumerate(names):
                found.setdefault(name, []).append(place)
            made = [
                on_one_line(f"{name}: {' '.join(self._spans(places, all_blocks))}")
                for name, places in _together(found).items()
            ]
            if sum(map(len, made)) <= room:
                break
        return made

    def _spans(self, places: Sequence[int], all_blocks: bool) -> Iterator[str]:
        """The numbers of these turns' blocks, or of their calls; turns that follow one another
        directly as one.
        """
        first = last = places[0]
        for place in (*places[1:], -1):
            if place == last + 1:
                last = place
                continue
            one, other = self.turns[first], self.turns[last]
            start, end = (one.start, other.end) if all_blocks else (one.number, other.number)
            yield str(start) if start == end else f"{start}-{end}"
            first = last = place


class _Turn(Record):
    """What an index says of a turn."""

    start: int
    number: int
    """Of its call, or of its first block."""
    end: int
    about: str
    tool: str


def _together(found: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """One name for a file that is called by several, such as `a/b.py`, `/home/a/b.py` and `b.py`:
    the longest.
    """
    longest: dict[str, str] = {}
    for name in sorted(found, key=len, reverse=True):
        last = name.rpartition("/")[2]
        known = longest.get(last, "")
        if known != name and not known.endswith("/" + name.lstrip("./")):
            longest[last if not known else name] = name
    made: dict[str, list[int]] = {}
    for name, turns_about in found.items():
        known = longest.get(name, longest.get(name.rpartition("/")[2], name))
        same = known == name or known.endswith("/" + name.lstrip("./"))
        made.setdefault(known if same else name, []).extend(turns_about)
    return {name: sorted(turns_about) for name, turns_about in made.items()}


def _numbered(messages: Sequence[Message]) -> Iterator[_Turn]:
    start = 1
    for row in turns(messages):
        blocks = [block for place in row for block in messages[place].blocks]
        if blocks:
            place = next((place for place, block in enumerate(blocks) if block.kind == CALL), None)
            end, role = start + len(blocks) - 1, messages[row.start].role
            if place is None:
                who = f"{role}'s"
                yield _Turn(
                    start,
                    start,
                    end,
                    _said_to_do(blocks[0].text, who) if role == ASSISTANT else who,
                    who,
                )
            else:
                yield _Turn(
                    start, start + place, end, about(blocks[place]), blocks[place].tool or "calls"
                )
            start = end + 1


def _said_to_do(text: str, who: str) -> str:
    """What an answer is about that marks no calls: its command, if it has one."""
    asked = command(text)
    return (asked and _named(asked)) or who


def about(call: Block) -> str:
    """The file that a call is about, else the first words of its command, else its tool."""
    text = call.text
    return (_about(text) if len(text) <= LONG else _about.__wrapped__(text)) or call.tool or "calls"


@lru_cache(maxsize=4096)  # A conversation is looked at again with everything that is added to it.
def _about(arguments: str) -> str:
    begins = arguments[:_LOOKED_AT]
    if "\\" not in begins and (path := _PATH.search(begins)):
        return path.group()  # without escapes JSON reads as its values do
    return _named(said(arguments))


def _named(text: str) -> str:
    text = text[:_LOOKED_AT]
    if path := _PATH.search(text):
        return path.group()
    return " ".join(word[:24] for word in _ASIDE.sub("", text).split()[:_WORDS])


def briefly(name: str) -> str:
    """The same in one word: the last of a path, the first of a command."""
    return name.rpartition("/")[2] if "/" in name else name.partition(" ")[0]


def users_words(digest: str) -> str:
    """What the user said, of the text of a digest; every line of anybody stands behind a mark, so
    none is a heading.
    """
    said: list[str] = []
    inside = False
    for line in digest.split("\n"):
        number, mark, words = line.partition(MARK)
        is_quoted = bool(mark) and (not number or number.startswith("#"))
        if not is_quoted:
            inside = line == VOICES[USER]
        elif inside:
            said.append(words)
    return "\n".join(said)


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
        for number, (voice, block) in enumerate(
            zip(self.sources.voices, self.sources.blocks, strict=True), 1
        ):
            if mine := lines.get(id(block)):
                first, *rest = map(quoted_line, mine)
                said.setdefault(voice, []).extend((f"#{number}{first}", *rest))

        text: list[str] = []
        for voice, heading in VOICES.items():
            if voice in said:
                text += [heading, *said[voice]]
        return self.sources.digest(self.index, text, count)


def in_place(
    messages: Sequence[Message], lines: Lines, count: Count, thinks: bool = False
) -> list[Message]:
    """A turn with its calls as they are and its results by their lines; its thoughts go if a result
    can say where, unless it `thinks` still.
    """
    calls = called_before(messages)
    thoughts = [
        block
        for message in messages
        for block in message.blocks
        if block.kind == THINKING and not thinks
    ]
    made: list[Message] = []
    told = False
    for message in messages:
        blocks = list(message.blocks)
        for number, block in enumerate(blocks):
            if block.kind == RESULT and not is_stub(block.text):
                blocks[number] = _shortened(
                    block, lines, calls.get(id(block), ""), () if told else thoughts, count
                )
                told = told or blocks[number] is not block
        made.append(message.with_blocks(blocks))
    return (
        [one for message in made if (one := _without_thoughts(message))]
        if told and not thinks
        else made
    )


def _without_thoughts(message: Message) -> Message | None:
    left = [block for block in message.blocks if block.kind != THINKING]
    return message.with_blocks(left) if left or not message.blocks else None


def _shortened(
    block: Block, lines: Lines, call: str, thoughts: Sequence[Block], count: Count
) -> Block:
    mine = lines.get(id(block), ())
    note = cut_note(block, sum(map(len, mine))) if mine else result_stub(block, before=call)
    aside = [
        stub(f"thought before it, {len(one.text):,} characters", one)
        for one in thoughts
        if one.text
    ]
    made = block.changed("\n".join([*mine, note, *aside]), "clipped" if mine else "cleared", count)
    return made if made.tokens < block.tokens + sum(one.tokens for one in thoughts) else block


def assembled(
    turns: Sequence[Sequence[Message]],
    shape: Shape,
    drafts: Mapping[int, Draft],
    lines: Lines,
    count: Count,
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
