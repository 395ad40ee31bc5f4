"""A digest: one message that stands for many, with the number of every block below its file or command."""

from __future__ import annotations

import re

from director_ctx.history.digest.scan import text_of
from director_ctx.history.locator import listing, mark
from director_ctx.history.message import ADDED, CALL, TEXT, USER, Block, Message, block_tokens
from director_ctx.history.stubs import OPENS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
        self.locator = mark(listing(self.blocks))

    def digest(self, named: Mapping[str, Sequence[int]], lines: Iterable[str], count: Count) -> Message:
        """The message itself. `lines` are ready to print."""
        many, where = f"{len(self.messages):,}", self.locator
        head = f"{OPENS}{many} earlier messages. Block N of them: dctx history get {where}#N. All of them: {where}]"
        index = [f"{name}: {' '.join(spans(numbers))}" for name, numbers in named.items()]
        block = Block(TEXT, "\n".join([head, *index, *lines]), action=DIGEST)
        block.sources = self.blocks
        block.tokens = block_tokens(block, count)
        return Message(USER, [block], ADDED)


def outline(messages: Sequence[Message], count: Count) -> Message:
    """The digest of messages of which nothing is said but what they were about."""
    sources = Sources(messages)
    return sources.digest(names(sources.blocks), (), count)


def names(sources: Sequence[Block]) -> dict[str, list[int]]:
    """By file, else by command or tool: the numbers of the calls about it. The result of one follows it."""
    found: dict[str, list[int]] = {}
    for number, block in enumerate(sources, 1):
        if block.kind == CALL:
            found.setdefault(about(block), []).append(number)
    return found


def by_tool(sources: Sequence[Block]) -> dict[str, list[int]]:
    """The same in fewer words, for where there is little room."""
    found: dict[str, list[int]] = {}
    for number, block in enumerate(sources, 1):
        if block.kind == CALL:
            found.setdefault(block.tool or "calls", []).append(number)
    return {name: [min(numbers), max(numbers)] for name, numbers in found.items()}


def about(call: Block) -> str:
    """The file that a call is about, else the first words of its command, else its tool."""
    text = text_of(call)[:_LOOKED_AT]
    if path := _PATH.search(text):
        return path.group()
    command = _ASIDE.sub("", text).split()[:_WORDS]
    return " ".join(word[:24] for word in command) or call.tool or "calls"


def spans(numbers: Sequence[int]) -> list[str]:
    """Numbers, with dashes where calls follow one another directly."""
    made: list[list[int]] = []
    for number in numbers:
        if made and number - made[-1][-1] <= 3:
            made[-1].append(number)
        else:
            made.append([number])
    return [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in made]
