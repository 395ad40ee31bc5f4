"""A page as it can stand in a file: nothing to send, nothing to press, links only to what is there."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Attributes = Sequence[tuple[str, str | None]]

PIECE = "@"
"""How an address begins that is a piece of the same file: @plan, @project#goal-2. Alone it leads nowhere."""
VOID = frozenset(("br", "hr", "img", "input", "meta", "link", "col", "wbr"))
GONE = frozenset(("form", "dialog", "input", "select", "script", "style", "template", "object"))
GONE_CLASSES = frozenset(("js", "no-js", "moves", "switch", "skip"))
"""What these are or have is for scripts, or leads to another page."""
NAMES = frozenset(("id", "for", "aria-labelledby", "aria-describedby", "aria-controls"))
"""Attributes whose words are ids, and ids of two pages may be the same."""
_KEPT = re.compile(r"(?!on|data-|style$|form|draggable$|src)[a-zA-Z][\w:-]*")


def standing_alone(html: str, piece: str) -> str:
    """The page of this name as a piece of a file."""
    reader = _PieceReader(piece)
    reader.feed(html)
    reader.close()
    return "".join(reader.written)


class _PieceReader(HTMLParser):
    """Writes what it reads, but for what has no meaning in a file."""

    def __init__(self, piece: str) -> None:
        super().__init__(convert_charrefs=False)
        self.written: list[str] = []
        self._piece = piece
        self._skipped = 0
        """How deep in something that is left out."""

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if self._skipped or _is_gone(tag, attrs):
            self._skipped += tag not in VOID
            return
        self.written.append(f"<{_as_shown(tag)}{self._attributes(tag, attrs)}>")

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        if self._skipped or _is_gone(tag, attrs):
            return
        self.written.append(f"<{tag}{self._attributes(tag, attrs)}/>")

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if self._skipped:
            self._skipped -= 1
            return
        self.written.append(f"</{_as_shown(tag)}>")

    def handle_data(self, data: str) -> None:
        self._write(data)

    def handle_entityref(self, name: str) -> None:
        self._write(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._write(f"&#{name};")

    def _write(self, text: str) -> None:
        if not self._skipped:
            self.written.append(text)

    def _attributes(self, tag: str, attrs: Attributes) -> str:
        words = []
        for name, value in self._kept(tag, attrs):
            words.append(f' {name}="{escape(value)}"')
        return "".join(words)

    def _kept(self, tag: str, attrs: Attributes) -> Iterator[tuple[str, str]]:
        if tag == "button":
            yield "class", "mark"
            return
        for name, given in attrs:
            value = given or ""
            if name in NAMES:
                yield name, " ".join(f"{self._piece}-{word}" for word in value.split())
            elif name == "href":
                address = self._address(value)
                if address:
                    yield name, address
            elif _KEPT.fullmatch(name):
                yield name, value

    def _address(self, address: str) -> str:
        """Where a link leads in the file, or out of it; empty where it leads nowhere."""
        if address.startswith(("http://", "https://", "mailto:")):
            return address
        if address.startswith("#"):
            return f"#{self._piece}-{address[1:]}"
        if not address.startswith(PIECE):
            return ""
        piece, _, place = address.removeprefix(PIECE).partition("#")
        if not piece:
            return ""
        if place:
            return f"#{piece}-{place}"
        return f"#{piece}"


def _is_gone(tag: str, attrs: Attributes) -> bool:
    if tag in GONE:
        return True
    classes = (dict(attrs).get("class") or "").split()
    return not GONE_CLASSES.isdisjoint(classes)


def _as_shown(tag: str) -> str:
    # What cannot be pressed still says something, such as that a task is done.
    if tag == "button":
        return "span"
    return tag
