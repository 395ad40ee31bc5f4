"""A document with every byte accounted for, so that one line can change and nothing else does."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.base.text import guess_encoding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_ERRORS = {"utf-8": "surrogateescape"}
_CONTROLS = {*range(32), *range(0x7F, 0xA0)} - set(map(ord, "\t\n\r"))
_LINE = r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+"
"""`\\r\\n`, `\\n` or `\\r` ends a line, and nothing else."""
_UNSEEN = dict.fromkeys(_CONTROLS)
"""What a document is read without. Tabs stay, and so do line ends: lines are one for one."""


class Edit(Record):
    """One line of a document that becomes another; several where `new` holds line breaks, none
    where it is None.
    """

    line: int
    """From 1; for an insertion the line after which it goes, 0 for the beginning."""
    old: str | None
    """None for an insertion."""
    new: str | None


class Source(Record):
    """A file's lines, each with its own end, and how they are encoded."""

    lines: tuple[str, ...]
    encoding: str = "utf-8"
    mark: bytes = b""

    @property
    def text(self) -> str:
        """The lines as a reader sees them, one for one: no control characters, plain line ends."""
        whole = "".join(self.lines)
        if "\r" in whole:
            whole = whole.replace("\r\n", "\n").replace("\r", "\n")
        whole = whole.removesuffix("\n")
        # Nearly every document; looking at each of its characters takes far longer.
        if whole.replace("\n", "").replace("\t", "").isprintable():
            return whole
        return whole.translate(_UNSEEN)

    def data(self) -> bytes:
        errors = _ERRORS.get(self.encoding, "surrogatepass")
        return self.mark + "".join(self.lines).encode(self.encoding, errors)

    def line(self, number: int) -> str:
        """One line without its end, exactly as it is in the file."""
        return _bare(self.lines[number - 1])

    def edited(self, edits: Iterable[Edit]) -> Source:
        """The document after some edits, whose line numbers are those of this one."""
        lines = list(self.lines)
        # From the end to the beginning, so that numbers stay true; insertions after one line keep
        # their order.
        for edit in sorted(edits, key=lambda edit: (edit.line, edit.old is None))[::-1]:
            index = edit.line - 1
            if edit.old is None:
                self._insert(lines, edit)
            elif edit.new is None:
                del lines[index]
            else:
                end = _end(lines[index])
                lines[index] = self._with_ends(edit.new) + end

        # A file whose last line has no end gets none.
        if lines and self.lines:
            had_end = _end(self.lines[-1])
            if not had_end:
                lines[-1] = _bare(lines[-1])
        return self.replace(lines=tuple(lines))

    def _insert(self, lines: list[str], edit: Edit) -> None:
        new = self._with_ends(edit.new or "")
        if edit.line:
            before = lines[edit.line - 1]
            # Behind a last line without an end, which the new one takes over.
            if before and not _end(before):
                lines[edit.line - 1] = before + self.end
                lines.insert(edit.line, new)
                return
        lines.insert(edit.line, new + self.end)

    def _with_ends(self, text: str) -> str:
        return text.replace("\n", self.end)

    @property
    def end(self) -> str:
        """The line end that most lines have."""
        # The first of these where two are as many.
        ends = [_end(line) for line in self.lines]
        return max(("\n", "\r\n", "\r"), key=ends.count)


def parse_source(data: bytes) -> Source | None:
    """The document, or None where its bytes could not be written back exactly."""
    mark, encoding = next((pair for pair in _MARKS if data.startswith(pair[0])), (b"", ""))
    encoding = encoding or guess_encoding(data)
    errors = _ERRORS.get(encoding, "surrogatepass")
    try:
        text = data[len(mark) :].decode(encoding, errors)
    except UnicodeDecodeError:
        return None
    source = Source(tuple(_lines(text)), encoding, mark)
    if source.data() != data:
        return None
    return source


def _lines(text: str) -> list[str]:
    """Each with its own end."""
    if "\r" in text:
        return re.findall(_LINE, text)
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *filter(None, (last,))]


def _end(line: str) -> str:
    return line[len(_bare(line)) :]


def _bare(line: str) -> str:
    """Only the end goes; a `\\r` inside a line would have ended it."""
    return line.rstrip("\r\n")


def source_of(text: str) -> Source:
    """A text that was read already, as a document of its own."""
    return Source(tuple(_lines(text)))
