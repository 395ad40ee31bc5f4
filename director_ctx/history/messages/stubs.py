"""Stubs: what stands where something was cut. Each says what it was and where it is, and is never cut again."""

from __future__ import annotations

import re

from director_ctx.history.messages.locator import PATTERN, locator
from director_ctx.history.messages.message import ADDED, RESULT, TEXT, USER, Block
from director_ctx.history.messages.quoted import on_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.messages.message import Count, Message

OPENS = "[… "
_MARK = re.compile(rf"{re.escape(OPENS)}[^\n]{{0,600}}?{PATTERN}\]")
_MARKS = re.compile(rf"{_MARK.pattern}(?:\n{_MARK.pattern})*")
CHECKPOINT = "Previous phases completed."
_HEAD = re.escape(OPENS) + rf"[\d,]+ earlier messages?\. .{{0,80}}{PATTERN}"
_STANDS = re.compile(rf"{_HEAD}|{re.escape(CHECKPOINT)} (?s:.{{0,20000}}?)\n{_HEAD}")
"""How a digest begins, and what a checkpoint holds."""
_LONGEST = 700
"""Characters of a stub."""
_SAID = 100
"""Characters of a call that its stub repeats."""


def is_cut(text: str) -> bool:
    """Whether something was cut out of it before: it ends with a stub. One that stands elsewhere is somebody's text."""
    if not text.endswith("]"):
        return False
    end = text[-_LONGEST:].rpartition("\n")[2]
    return end.startswith(OPENS) and _MARK.fullmatch(end) is not None


def is_stub(text: str) -> bool:
    """Whether nothing is left of it but a stub, or several: of a result and of what was in it."""
    return text.startswith(OPENS) and _MARKS.fullmatch(text) is not None


def is_summary(message: Message) -> bool:
    """Whether it stands for others. What a tool said in answer to a call does not, however it begins."""
    if message.index == ADDED:
        return True
    for block in message.blocks:
        said = block.kind == TEXT or (block.kind == RESULT and message.role == USER and not block.call)
        if said and stands_for_others(block.text):
            return True
    return False


def stands_for_others(text: str) -> bool:
    """Whether it begins as digests and checkpoints do."""
    return text.startswith((OPENS, CHECKPOINT)) and _STANDS.match(text) is not None


def stub(said: str, block: Block) -> str:
    """What stands for a block: a few words on one line, and where it is."""
    return f"{OPENS}{said}: {locator(block)}]"


def cut_note(block: Block, left: int) -> str:
    """What stands at the end of a shortened text, of which `left` characters remain."""
    size = len(block.text)
    return stub(f"{size - left:,} of {size:,} characters cut", block)


def result_stub(block: Block, arguments: str = "", before: str = "") -> str:
    """What stands for a whole result: the call that produced it, its size, and where it is.

    `before` is what `called_before` knows of the call, `arguments` are those of a call that is at hand.
    """
    return stub(f"result of {before or called(block.tool, arguments)}, {len(block.text):,} characters", block)


def image_stub(block: Block, count: Count, before: str = "") -> Block:
    """A text that stands for an image, and for the call that made it, if one did."""
    said = f"image of {before}" if before else "an image"
    return Block(TEXT, "", block.at).changed(stub(said, block), "cleared", count)


def digest_head(many: int, where: str) -> str:
    """The line with which a digest of so many messages begins, by its locator."""
    said = "1 earlier message" if many == 1 else f"{many:,} earlier messages"
    return f"{OPENS}{said}. Block N of them: dctx history get {where}#N. All of them: {where}]"


def called(tool: str, arguments: str) -> str:
    """A call in a few words, on one line and without brackets that would end a stub."""
    return f"{tool or 'a call'} {brief(arguments)}".rstrip()


def brief(text: str) -> str:
    """How it begins, as a stub can repeat it."""
    said = on_one_line(text[: 3 * _SAID]).replace("[", "(").replace("]", ")")
    return said if len(said) <= _SAID else said[: _SAID - 1] + "…"
