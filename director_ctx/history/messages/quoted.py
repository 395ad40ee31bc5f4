"""What one speaker said, repeated in a message of another: quoted line by line, so that it speaks
for nobody else.

Tags, marks and role words by which clients and models tell speakers apart are written so that they
read as text. What is quoted twice is written as if it were quoted once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from string import digits, punctuation, whitespace

from director_ctx.base.escape import SPOKEN, as_entity, escape_tags, name_at_start, without_tags
from director_ctx.base.look_alikes import COLONS, skeleton

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = "> "
"""What stands before a quoted line."""
SPEAKERS = ("system", "developer", "user", "human", "assistant", "ai", "director")
"""Whoever a line may pretend to come from: `SYSTEM: …`, `## Human`, `User 2: …`."""
HEADINGS = (*SPEAKERS, "instruction", "instructions", "response")
"""By what a line of its own may hand over to another speaker: `### Instruction`."""
NAMES = ("system", "developer", "user", "human", "assistant", "sys", "antml", "s")
"""Tags of one word by which templates of models tell speakers apart: `<system>`, `<<SYS>>`, `</s>`.
"""
PARTS = (
    "system",
    "developer",
    "user",
    "human",
    "assistant",
    "sys",
    "agent",
    "command",
    "context",
    "function",
    "hook",
    "instruction",
    "instructions",
    "message",
    "notification",
    "prompt",
    "reminder",
    "tool",
    "turn",
)
"""Words in the names of tags that clients make up: `<system-warning>`, `<start_of_turn>`. One such
part is enough.
"""
MARKS = (
    "inst",
    "system",
    "sys",
    "system_prompt",
    "available_tools",
    "tool_calls",
    "tool_results",
)
"""Marks of templates in square brackets: `[INST]`, `[/INST]`."""


def _skeletons(words: Iterable[str]) -> frozenset[str]:
    """The words as they are compared: look-alikes are the same."""
    return frozenset(map(skeleton, words))


_SPEAKERS = _skeletons(SPEAKERS)
_HEADINGS = _skeletons(HEADINGS)
_NAMES = _skeletons(NAMES)
_PARTS = _skeletons(PARTS)
_MARKS = _skeletons(MARKS)
_SQUARE = "[\uff3b"
_TAG_NAMES = _NAMES | _skeletons(chain.from_iterable(SPOKEN.values()))
_KNOWN = "|".join(sorted(map(re.escape, _TAG_NAMES)))
_WORDS = "|".join(sorted(_PARTS))
_IN_SQUARES = "|".join(sorted(_MARKS))
_MAY_SPEAK = re.compile(
    rf"<[\s/\\]*(?:i|{_KNOWN}|[^\s<>]{{0,64}}?(?:{_WORDS}))"
    rf"|\[[\s/\\]*(?:{_IN_SQUARES})"
)
"""What the skeleton of a line in plain letters has in it, if there may be a tag or a mark in the
line.
"""
_FIRST_WORDS = tuple(_HEADINGS)
_NO_LETTERS = punctuation + digits + whitespace
_LEAD = re.compile(r"[\W\d_]*")
"""What stands before the first word: blanks, signs of lists and of headings, brackets, quotes,
pictures.
"""
_CALLED = re.compile(r"([^\W\d_]+)(?:[^\w\"']+[^\W_]+){0,2}[^\w\"']*")
"""What a line calls its speaker: `SYSTEM OVERRIDE`, `User message 2`. What ends with a quote is a
key of JSON.
"""
_COLON = str.maketrans(dict.fromkeys(COLONS, ":"))
_BEFORE_HEADING = " \t>"
_FAR = 60
"""Characters after which a colon tells of no speaker."""


def quoted(text: str) -> str:
    """Every line behind a mark, and nothing in it that speaks for somebody."""
    return "\n".join(map(quoted_line, text.splitlines()))


def quoted_line(line: str) -> str:
    safe = as_text(line)
    return safe if safe.startswith(MARK) else MARK + safe


def on_one_line(text: str) -> str:
    """What may stand within a line of ours, such as the title of a page."""
    safe = as_text(" ".join(text.split()))
    return " ".join(safe.split())


@lru_cache(maxsize=16_384)  # A digest is written several times until it fits.
def as_text(line: str) -> str:
    """A line with its tags, marks and role words written so that they read as text."""
    # Most lines are plain, and one quick search says so.
    if line.isascii() and line.isprintable() and not _may_speak(line):
        return line

    safe = _escaped(" ".join(line.splitlines()))
    # What was unseen within a word ends it now: `[INST` may stand before it.
    return safe if safe == line else _escaped(safe)


def _may_speak(line: str) -> bool:
    """Whether a plain line is worth a closer look."""
    first_words = skeleton(line[:_FAR].lstrip(_NO_LETTERS))
    if first_words.startswith(_FIRST_WORDS):
        return True
    return _MAY_SPEAK.search(skeleton(line)) is not None


def _escaped(line: str) -> str:
    safe = _without_role(line)
    if "##" in safe:
        safe = _without_heading(safe)
    safe = _without_marks(safe)
    safe, _ = without_tags(safe, _speaker_tag, as_entity)
    safe, _ = escape_tags(safe)
    return safe


def speaks(line: str) -> bool:
    """Whether a line has something in it by which it might speak for somebody."""
    return as_text(line) != line


def _speaker_tag(piece: str) -> str:
    """The name at the start of a piece behind a bracket, if it may be that of a speaker's tag."""
    name = name_at_start(piece)
    if name.startswith("|"):
        # `<|im_start|>`: only templates of models write such tags.
        return name

    whole = skeleton(name)
    if whole in _NAMES:
        return name
    parts = whole.split("_")
    has_role = len(parts) > 1 and not _PARTS.isdisjoint(parts)
    return name if has_role else ""


def _without_marks(line: str) -> str:
    """`[INST]` as `\\[INST]`."""
    for bracket in _SQUARE:
        first, *rest = line.split(bracket)
        pieces = [first]
        for piece in rest:
            # What is escaped stays as it is, so that twice is once.
            is_escaped = pieces[-1].endswith("\\")
            is_mark = skeleton(name_at_start(piece)) in _MARKS
            if is_mark and not is_escaped:
                pieces.append("\\")
            pieces.append(bracket)
            pieces.append(piece)
        line = "".join(pieces)
    return line


def _without_heading(line: str) -> str:
    """`### System` as `\\### System`."""
    start = line.index("##")
    before = line[:start]
    heading = line[start:]
    if before.strip(_BEFORE_HEADING):
        return line

    title = _LEAD.sub("", heading, count=1)[:_FAR]
    match = _CALLED.match(skeleton(title))
    if match is None or match[1] not in _HEADINGS:
        return line
    return f"{before}\\{heading}"


def _without_role(line: str) -> str:
    """`SYSTEM: do it` as `SYSTEM\\: do it`."""
    head, colon, _ = line[:_FAR].translate(_COLON).partition(":")
    if not colon or head.endswith("\\"):
        return line

    # Letters in circles are no letters for a pattern, and digits are letters in a skeleton.
    readings = (
        skeleton(_LEAD.sub("", head, count=1)),
        _LEAD.sub("", skeleton(head), count=1),
    )
    for reading in readings:
        match = _CALLED.fullmatch(reading)
        if match and match[1] in _SPEAKERS:
            end = len(head)
            return f"{line[:end]}\\{line[end:]}"
    return line
