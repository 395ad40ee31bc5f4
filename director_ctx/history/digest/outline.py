"""A digest: one message that stands for many, with the number of every block below its file or command."""

from __future__ import annotations

import re

from director_ctx.history.digest.scan import text_of
from director_ctx.history.locator import listing_locator
from director_ctx.history.message import ADDED, CALL, TEXT, USER, Block, Message, block_tokens
from director_ctx.history.stubs import digest_head
from director_ctx.history.turns import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from director_ctx.history.message import Count

DIGEST = "digest"
_PATH = re.compile(r"(?<![\w:/])[~.]{0,2}/?(?:[\w.@-]+/)*[\w@-][\w.@-]*\.[A-Za-z]\w{0,9}\b(?!\()|(?:/[\w.@-]+){2,}")
_ASIDE = re.compile(r"^(?:cd \S+|source \S+|export \S+|set [-+]\w+)\s*(?:&&|;|\n)\s*")
_LOOKED_AT = 400
"""Characters of a call in which its file is looked for."""
_WORDS = 2


class Sources:
    """The messages that a digest stands for, and what has to be known of them but once."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        self.blocks = [block for message in messages for block in message.blocks]
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
        """Under each file or command the calls about it; in shorter words where they take more than `room`."""
        made: list[str] = []
        whole = [about(call) if call else role for _, call, role in self.turns]
        tools = (_tool(call) if call else role for _, call, role in self.turns)
        for names in (whole, map(briefly, whole), tools):
            found: dict[str, list[int]] = {}
            for turn, name in enumerate(names):
                found.setdefault(name, []).append(turn)
            made = [f"{name}: {' '.join(self._spans(turns))}" for name, turns in _together(found).items()]
            if sum(map(len, made)) <= room:
                break
        return made

    def _spans(self, found: Sequence[int]) -> Iterator[str]:
        """The numbers of these turns, those that follow one another directly as one."""
        first = last = found[0]
        for turn in (*found[1:], -1):
            if turn == last + 1:
                last = turn
                continue
            start, end = self.turns[first][0], self.turns[last][0]
            yield str(start) if first == last else f"{start}-{end}"
            first = last = turn


def _together(found: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """One name for a file that is called by several, such as `a/b.py`, `/home/a/b.py` and `b.py`: the longest."""
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


def _numbered(messages: Sequence[Message]) -> Iterator[tuple[int, Block | None, str]]:
    """Of each turn the number of its call, or of its first block; the call itself; who spoke."""
    number = 1
    for row in turns(messages):
        blocks = [block for place in row for block in messages[place].blocks]
        if blocks:
            place = next((place for place, block in enumerate(blocks) if block.kind == CALL), 0)
            yield number + place, blocks[place] if blocks[place].kind == CALL else None, messages[row.start].role
            number += len(blocks)


def about(call: Block) -> str:
    """The file that a call is about, else the first words of its command, else its tool."""
    begins = call.text[:_LOOKED_AT]
    if "\\" not in begins and (path := _PATH.search(begins)):
        return path.group()  # without escapes JSON reads as its values do
    text = text_of(call)[:_LOOKED_AT]
    if path := _PATH.search(text):
        return path.group()
    command = _ASIDE.sub("", text).split()[:_WORDS]
    return " ".join(word[:24] for word in command) or _tool(call)


def briefly(name: str) -> str:
    """The same in one word: the last of a path, the first of a command."""
    return name.rpartition("/")[2] if "/" in name else name.partition(" ")[0]


def _tool(call: Block) -> str:
    return call.tool or "calls"
