"""What a digest stands for: the number of every block below its file or command, and the message
itself.
"""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.base.record import Record
from director_ctx.history.digest.scan import LONG, argument_lines
from director_ctx.history.digest.voice import voice_of
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    CALL,
    TEXT,
    USER,
    Block,
    Message,
    block_tokens,
)
from director_ctx.history.messages.quoted import on_one_line
from director_ctx.history.messages.stubs import command, digest_head, listing_locator
from director_ctx.history.messages.turns import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from director_ctx.history.messages.message import Count


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
"""What prepares a command."""
_LOOKED_AT = 240
"""Characters of a call in which its file is looked for."""
_WORDS = 2
_LONGEST_WORD = 24


class SourceTurn(Record):
    """What an index says of a turn; its blocks by their numbers."""

    start: int
    number: int
    """Of its call, or of its first block."""
    end: int
    about: str
    tool: str


class DigestSources:
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
        self.turns = list(_source_turns(messages))

    def digest(
        self,
        index: Iterable[str],
        lines: Iterable[str],
        count: Count,
    ) -> Message:
        """The message itself. What it is about and the lines are ready to print."""
        messages = len(self.messages)
        head = digest_head(messages, self.locator)
        text = "\n".join([head, *index, *lines])
        block = Block(TEXT, text, action=DIGEST)
        block.sources = self.blocks
        block.tokens = block_tokens(block, count)
        return Message(USER, [block], ADDED)

    def index(self, room: float) -> list[str]:
        """Under each file or command the blocks about it; in fewer words where they take more than
        `room`.
        """
        whole_names: list[str] = []
        brief_names: list[str] = []
        tools: list[str] = []
        for turn in self.turns:
            whole_names.append(turn.about)
            brief_names.append(briefly(turn.about))
            tools.append(turn.tool)
        # From what is easiest to find to what is shortest; the last one is taken in any case.
        wordings = (
            (whole_names, True),
            (whole_names, False),
            (brief_names, False),
            (tools, False),
        )
        lines: list[str] = []
        for names, all_blocks in wordings:
            lines = self._index_lines(names, all_blocks)
            if sum(map(len, lines)) <= room:
                break
        return lines

    def _index_lines(self, names: Sequence[str], all_blocks: bool) -> list[str]:
        """A line for each file or command, by the name of each turn."""
        turns_about: dict[str, list[int]] = {}
        for number, name in enumerate(names):
            turns_about.setdefault(name, []).append(number)

        lines: list[str] = []
        for name, numbers in _joined_by_file(turns_about).items():
            spans = " ".join(self._spans(numbers, all_blocks))
            lines.append(on_one_line(f"{name}: {spans}"))
        return lines

    def _spans(self, numbers: Sequence[int], all_blocks: bool) -> Iterator[str]:
        """The numbers of these turns' blocks, or of their calls; turns that follow one another
        directly as one.
        """
        first = numbers[0]
        last = first
        # No turn follows another with -1, so the last span ends.
        for number in (*numbers[1:], -1):
            if number == last + 1:
                last = number
                continue
            first_turn = self.turns[first]
            last_turn = self.turns[last]
            start = first_turn.number
            end = last_turn.number
            if all_blocks:
                start = first_turn.start
                end = last_turn.end
            if start == end:
                yield str(start)
            else:
                yield f"{start}-{end}"
            first = number
            last = number


def _joined_by_file(numbers_by_name: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """One name for a file that is called by several, such as `a/b.py`, `/home/a/b.py` and `b.py`:
    the longest.
    """
    # By the last part of a path; by the whole of it, where another file has the same last part.
    longest: dict[str, str] = {}
    for name in sorted(numbers_by_name, key=len, reverse=True):
        last_part = name.rpartition("/")[2]
        longer = longest.get(last_part, "")
        if longer == name or _ends_in(longer, name):
            continue
        if longer:
            longest[name] = name
        else:
            longest[last_part] = name

    joined: dict[str, list[int]] = {}
    for name, numbers in numbers_by_name.items():
        last_part = name.rpartition("/")[2]
        longer = longest.get(last_part, name)
        longer = longest.get(name, longer)
        is_same_file = longer == name or _ends_in(longer, name)
        if not is_same_file:
            longer = name
        joined.setdefault(longer, []).extend(numbers)
    for numbers in joined.values():
        numbers.sort()
    return joined


def _ends_in(path: str, name: str) -> bool:
    """Whether a path is that of a file with this shorter name."""
    return path.endswith("/" + name.lstrip("./"))


def _source_turns(messages: Sequence[Message]) -> Iterator[SourceTurn]:
    start = 1
    for row in turns(messages):
        blocks: list[Block] = []
        for index in row:
            blocks += messages[index].blocks
        if not blocks:
            continue
        first_message = messages[row.start]
        yield _source_turn(blocks, start, first_message.role)
        start += len(blocks)


def _source_turn(blocks: Sequence[Block], start: int, role: str) -> SourceTurn:
    """A turn by its first call; one without calls by who speaks."""
    end = start + len(blocks) - 1
    for number, block in enumerate(blocks, start):
        if block.kind == CALL:
            tool = block.tool or "calls"
            return SourceTurn(start, number, end, about(block), tool)

    who = f"{role}'s"
    what = who
    if role == ASSISTANT:
        what = _said_to_do(blocks[0].text) or who
    return SourceTurn(start, start, end, what, who)


def _said_to_do(text: str) -> str:
    """What an answer is about that marks no calls: its command, if it has one."""
    said_command = command(text)
    if not said_command:
        return ""
    return _file_or_words(said_command)


def about(call: Block) -> str:
    """The file that a call is about, else the first words of its command, else its tool."""
    arguments = call.text
    is_long = len(arguments) > LONG
    if is_long:
        # Whole files that were written would fill the memory.
        name = _about.__wrapped__(arguments)
    else:
        name = _about(arguments)
    return name or call.tool or "calls"


@lru_cache(maxsize=4096)  # A conversation is looked at again with everything that is added to it.
def _about(arguments: str) -> str:
    begins = arguments[:_LOOKED_AT]
    # Without escapes JSON reads as its values do, and need not be decoded.
    if "\\" not in begins:
        path = _PATH.search(begins)
        if path:
            return path.group()
    return _file_or_words(argument_lines(arguments))


def _file_or_words(text: str) -> str:
    begins = text[:_LOOKED_AT]
    path = _PATH.search(begins)
    if path:
        return path.group()
    words = _ASIDE.sub("", begins).split()
    first_words = [word[:_LONGEST_WORD] for word in words[:_WORDS]]
    return " ".join(first_words)


def briefly(name: str) -> str:
    """The same in one word: the last of a path, the first of a command."""
    if "/" in name:
        return name.rpartition("/")[2]
    return name.partition(" ")[0]
