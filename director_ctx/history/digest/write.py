"""A digest as it is read: what the user said, then what was said and done besides, in order, then lines
by the file that they are of; at the end where everything else is.
"""

from __future__ import annotations

import re

from director_ctx.base.text import counted
from director_ctx.history.digest.choose import CUT
from director_ctx.history.digest.digest_message import (
    AMONG,
    DONE,
    ELSEWHERE,
    FILES,
    SAID,
    DigestSources,
    index_line,
    users_words,
)
from director_ctx.history.handover.requests import typed_words
from director_ctx.history.messages.message import ASSISTANT, CALL, SYSTEM, TEXT, THINKING, USER
from director_ctx.history.messages.quoted import on_one_line, quoted_line
from director_ctx.history.messages.stubs import is_digest_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.history.messages.message import Block, Count, Message

    Lines = Mapping[int, Sequence[str]]
    """By the identity of each block the lines that stay of it: blocks of the same words differ."""


_INDEX_SHARE = 0.05
"""Of the room, so much may say which files and commands are not quoted."""
_TOOL = re.compile(r"[\w.-]{1,40}")
_BEGUN = 12
"""Characters by which a request is known."""
_FEW_WORDS = 3
"""Beside the name of a file."""


class DigestDraft:
    """A digest before its lines."""

    def __init__(self, messages: Sequence[Message], head: str = "", among: int = 0) -> None:
        self.sources = DigestSources(messages)
        self.among = among
        """How many messages that stay behind it stood among those that it is of."""
        self.head = head
        """A text that is ready to print above everything else."""
        ids = map(id, self.sources.blocks)
        self.files = dict(zip(ids, self.sources.files, strict=True))
        """The file that each block is about, by its identity."""
        self.requested = set(self._requested())

    def written(self, lines: Lines, room: float, count: Count) -> Message:
        """With these lines; `room` is how many characters there are for all of it."""
        said: list[str] = []
        done: list[str] = []
        files: dict[str, list[str]] = {}
        told: set[int] = set()
        for number, block in enumerate(self.sources.blocks, 1):
            own_lines = lines.get(id(block))
            if not own_lines:
                continue
            told.add(number)
            voice = self.sources.voices[number - 1]
            file = self.sources.files[number - 1]
            if is_digest_text(block.text):
                users = set(users_words(block.text).split("\n"))
                said += _quoted(number, "", [line for line in own_lines if line in users])
                own_lines = [line for line in own_lines if line not in users]
                done += _quoted(number, " earlier", own_lines)
            elif voice == USER:
                said += _quoted(number, "", own_lines)
            elif file:
                # But for lines that say no more than the file, which stands above them already, such
                # as the half of "The file … has been updated".
                telling = [line for line in own_lines if not _says_only(file, line)]
                files.setdefault(file, []).extend(_quoted(number, "", telling))
            else:
                done += _quoted(number, _label(block, voice), own_lines)

        told |= self.requested
        text: list[str] = []
        if self.among:
            text.append(AMONG.format(counted(self.among, "message")))
        if self.head:
            text.append(self.head)
        if said:
            text += [SAID, *said]
        # What was concluded says more to whoever goes on than files, which can be read again.
        if done:
            text += [DONE, *done]
        if files:
            text += [FILES, *self._by_file(files, told)]
        index = self.sources.index(room * _INDEX_SHARE, told)
        if index:
            text += [ELSEWHERE, *index]
        return self.sources.digest(text, count)

    def _requested(self) -> Iterator[int]:
        """The numbers of the requests that the hand-over tells, if only how they begin."""
        begun: list[str] = []
        for row in self.head.split("\n"):
            beginning, _, _ = row.removeprefix("- ").partition(" ... ")
            if row.startswith("- ") and len(beginning) >= _BEGUN:
                begun.append(beginning)
        for number, block in enumerate(self.sources.blocks, 1):
            if self.sources.voices[number - 1] != USER:
                continue
            typed = on_one_line(typed_words(block.text))
            if typed.startswith(tuple(begun)):
                yield number

    def _by_file(self, files: Mapping[str, Sequence[str]], told: set[int]) -> Iterator[str]:
        """Each file with the numbers of all blocks about it, and the lines that stay of them."""
        numbers: dict[str, list[int]] = {}
        for number, file in enumerate(self.sources.files, 1):
            if file in files:
                numbers.setdefault(file, []).append(number)
                told.add(number)
        for file, own_lines in files.items():
            yield index_line(file, numbers.get(file, []))
            yield from own_lines


def _quoted(number: int, label: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    first, *rest = map(quoted_line, lines)
    yield f"#{number}{label}{first}"
    yield from rest


def _says_only(file: str, line: str) -> bool:
    words = line.strip(CUT).replace(file, " ").split()
    return len(words) <= _FEW_WORDS and all(word.isalpha() for word in words)


def _label(block: Block, voice: str) -> str:
    """Who speaks, where it is no tool that answers."""
    if block.kind == CALL:
        is_name = _TOOL.fullmatch(block.tool)
        return f" {block.tool}" if is_name else " call"
    if block.kind == THINKING:
        return " thought"
    if block.kind == TEXT and voice == ASSISTANT:
        return " said"
    if voice == SYSTEM:
        return " client"
    return ""
