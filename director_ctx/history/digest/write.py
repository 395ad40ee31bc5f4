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
        self.voices: list[str] = []
        """Whose words each of the blocks is."""
        self.blocks: list[Block] = []
        for message in messages:
            for block in message.blocks:
                self.voices.append(voice_of(message, block))
                self.blocks.append(block)
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
        whole = [turn.about for turn in self.turns]
        brief = list(map(briefly, whole))
        tools = [turn.tool for turn in self.turns]
        lines: list[str] = []
        for names, all_blocks in ((whole, True), (whole, False), (brief, False), (tools, False)):
            turns_about: dict[str, list[int]] = {}
            for number, name in enumerate(names):
                turns_about.setdefault(name, []).append(number)

            lines = []
            for name, numbers in _together(turns_about).items():
                spans = " ".join(self._spans(numbers, all_blocks))
                lines.append(on_one_line(f"{name}: {spans}"))
            if sum(map(len, lines)) <= room:
                break
        return lines

    def _spans(self, numbers: Sequence[int], all_blocks: bool) -> Iterator[str]:
        """The numbers of these turns' blocks, or of their calls; turns that follow one another
        directly as one.
        """
        first = last = numbers[0]
        for number in (*numbers[1:], -1):  # no turn follows another with -1, so the last span ends
            if number == last + 1:
                last = number
                continue
            start, end = self.turns[first].number, self.turns[last].number
            if all_blocks:
                start, end = self.turns[first].start, self.turns[last].end
            if start == end:
                yield str(start)
            else:
                yield f"{start}-{end}"
            first = last = number


class _Turn(Record):
    """What an index says of a turn; its blocks by their numbers."""

    start: int
    number: int
    """Of its call, or of its first block."""
    end: int
    about: str
    tool: str


def _together(numbers_by_name: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """One name for a file that is called by several, such as `a/b.py`, `/home/a/b.py` and `b.py`:
    the longest.
    """
    # By the last part of a path; by the whole of it, where another file has the same last part.
    longest: dict[str, str] = {}
    for name in sorted(numbers_by_name, key=len, reverse=True):
        last_part = name.rpartition("/")[2]
        known = longest.get(last_part, "")
        if known == name or _ends_in(known, name):
            continue
        longest[name if known else last_part] = name

    together: dict[str, list[int]] = {}
    for name, numbers in numbers_by_name.items():
        last_part = name.rpartition("/")[2]
        known = longest.get(name, longest.get(last_part, name))
        if known != name and not _ends_in(known, name):
            known = name
        together.setdefault(known, []).extend(numbers)
    for numbers in together.values():
        numbers.sort()
    return together


def _ends_in(path: str, name: str) -> bool:
    """Whether a path is that of a file with this shorter name."""
    return path.endswith("/" + name.lstrip("./"))


def _numbered(messages: Sequence[Message]) -> Iterator[_Turn]:
    start = 1
    for row in turns(messages):
        blocks = [block for index in row for block in messages[index].blocks]
        if not blocks:
            continue
        end = start + len(blocks) - 1
        for number, block in enumerate(blocks, start):
            if block.kind == CALL:
                yield _Turn(start, number, end, about(block), block.tool or "calls")
                break
        else:
            role = messages[row.start].role
            who = f"{role}'s"
            what = who
            if role == ASSISTANT:
                what = _said_to_do(blocks[0].text, who)
            yield _Turn(start, start, end, what, who)
        start = end + 1


def _said_to_do(text: str, who: str) -> str:
    """What an answer is about that marks no calls: its command, if it has one."""
    asked = command(text)
    if not asked:
        return who
    return _named(asked) or who


def about(call: Block) -> str:
    """The file that a call is about, else the first words of its command, else its tool."""
    is_long = len(call.text) > LONG
    name = _about.__wrapped__(call.text) if is_long else _about(call.text)
    return name or call.tool or "calls"


@lru_cache(maxsize=4096)  # A conversation is looked at again with everything that is added to it.
def _about(arguments: str) -> str:
    begins = arguments[:_LOOKED_AT]
    if "\\" not in begins:  # without escapes JSON reads as its values do
        path = _PATH.search(begins)
        if path:
            return path.group()
    return _named(said(arguments))


def _named(text: str) -> str:
    begins = text[:_LOOKED_AT]
    path = _PATH.search(begins)
    if path:
        return path.group()
    words = _ASIDE.sub("", begins).split()
    return " ".join(word[:24] for word in words[:_WORDS])


def briefly(name: str) -> str:
    """The same in one word: the last of a path, the first of a command."""
    if "/" in name:
        return name.rpartition("/")[2]
    return name.partition(" ")[0]


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


class DigestDraft:
    """A digest before its lines. `room` is how many characters may say what it is about."""

    def __init__(self, messages: Sequence[Message], room: float) -> None:
        self.sources = Sources(messages)
        self.index = self.sources.index(room)
        self.names = [line.rpartition(": ")[0] for line in self.index]
        self.letters = HEAD + sum(map(len, self.index)) + len(self.index)

    def written(self, lines: Lines, count: Count) -> Message:
        """Each voice in a part of its own, so that nobody's words stand among those of the user."""
        said: dict[str, list[str]] = {}
        sources = zip(self.sources.voices, self.sources.blocks, strict=True)
        for number, (voice, block) in enumerate(sources, 1):
            own_lines = lines.get(id(block))
            if not own_lines:
                continue
            first, *rest = map(quoted_line, own_lines)
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
    thoughts: list[Block] = []
    if not thinks:
        every_block = [block for message in messages for block in message.blocks]
        thoughts = [block for block in every_block if block.kind == THINKING]

    shorter: list[Message] = []
    told = False
    for message in messages:
        blocks = list(message.blocks)
        for index, block in enumerate(message.blocks):
            if block.kind != RESULT or is_stub(block.text):
                continue
            to_tell = () if told else thoughts
            blocks[index] = _shortened(block, lines, calls.get(id(block), ""), to_tell, count)
            told = told or blocks[index] is not block
        shorter.append(message.with_blocks(blocks))
    if thinks or not told:
        return shorter
    return _without_thoughts(shorter)


def _without_thoughts(messages: Sequence[Message]) -> list[Message]:
    """Messages that were nothing but thoughts are gone with them."""
    others: list[Message] = []
    for message in messages:
        left = [block for block in message.blocks if block.kind != THINKING]
        if left or not message.blocks:
            others.append(message.with_blocks(left))
    return others


def _shortened(
    block: Block, lines: Lines, call: str, thoughts: Sequence[Block], count: Count
) -> Block:
    own_lines = lines.get(id(block), ())
    if own_lines:
        action = "clipped"
        note = cut_note(block, sum(map(len, own_lines)))
    else:
        action = "cleared"
        note = result_stub(block, before=call)

    aside: list[str] = []
    for thought in thoughts:
        if thought.text:
            aside.append(stub(f"thought before it, {len(thought.text):,} characters", thought))

    shorter = block.changed("\n".join([*own_lines, note, *aside]), action, count)
    now = block.tokens + sum(thought.tokens for thought in thoughts)
    return shorter if shorter.tokens < now else block


def assembled(
    turns: Sequence[Sequence[Message]],
    shape: Shape,
    drafts: Mapping[int, DigestDraft],
    lines: Lines,
    count: Count,
) -> list[Message]:
    """The conversation in this shape."""
    messages: list[Message] = []
    for number, own in enumerate(turns):
        if number in shape.whole:
            messages += own
        elif number in shape.placed:
            messages += in_place(own, lines, count, number in shape.working)
        elif number in drafts:
            messages.append(drafts[number].written(lines, count))
    return messages
