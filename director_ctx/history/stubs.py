"""Stubs: what stands where something was cut. Each says what it was and where it is, and is never cut again."""

from __future__ import annotations

import re

from director_ctx.history.locator import PATTERN, locator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.message import Block

OPENS = "[… "
_MARK = re.compile(rf"{re.escape(OPENS)}[^\n]{{0,600}}?{PATTERN}\]")
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
    """Whether nothing is left of it but a stub."""
    return text.startswith(OPENS) and _MARK.fullmatch(text) is not None


def stub(said: str, block: Block) -> str:
    """What stands for a block: a few words on one line, and where it is."""
    return f"{OPENS}{said}: {locator(block)}]"


def cut_note(block: Block, left: int) -> str:
    """What stands at the end of a shortened text, of which `left` characters remain."""
    size = len(block.text)
    return stub(f"{size - left:,} of {size:,} characters cut", block)


def result_stub(block: Block, arguments: str = "") -> str:
    """What stands for a whole result: the call that produced it, its size, and where it is."""
    return stub(f"result of {called(block.tool, arguments)}, {len(block.text):,} characters", block)


def digest_head(many: int, where: str) -> str:
    """The line with which a digest of so many messages begins, by its locator."""
    return f"{OPENS}{many:,} earlier messages. Block N of them: dctx history get {where}#N. All of them: {where}]"


def called(tool: str, arguments: str) -> str:
    """A call in a few words, on one line and without brackets that would end a stub."""
    said = " ".join(arguments[: 3 * _SAID].split()).replace("[", "(").replace("]", ")")
    said = said if len(said) <= _SAID else said[: _SAID - 1] + "…"
    return f"{tool or 'a call'} {said}".rstrip()
