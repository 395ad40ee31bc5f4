"""Pages as HTML: main text, headings and forms; navigation, scripts and ornament go."""

from __future__ import annotations

import re
from html import unescape

from director_ctx.base.record import Record
from director_ctx.history.results.reading import (
    FAILS,
    FIRST,
    FRAME,
    ODD,
    ORNAMENT,
    PLAIN,
    ResultReading,
)
from director_ctx.history.results.signals import failing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.results.sample import Sample

_HEAD = 1000
"""Characters in which a page says that it is one."""
_BEGINS = (
    "<!doctype html",
    "<html",
    "<body",
    "<head",
    "<div",
    "<main",
    "<article",
    "<section",
    "<table",
    "<nav",
)
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\w[^>]{0,500}>|<(/?)([a-zA-Z][\w:-]{0,40})((?:[^<>\"']|\"[^\"]{0,5000}\"|'[^']{0,5000}'){0,2000}+)>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([\w:-]{1,40})\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_SILENT = frozenset(("script", "style", "svg", "noscript", "template", "iframe"))
_ASIDE = frozenset(("nav", "footer", "aside", "header", "menu"))
_ASIDE_ROLES = re.compile(
    r"(?:role|class|id)=[\"']?[^\"'>]{0,80}?\b"
    r"(?:nav|navbar|navigation|menu|sidebar|footer|breadcrumbs?|banner|cookie\w*|contentinfo)\b",
    re.IGNORECASE,
)
_INLINE = frozenset(
    "a abbr b bdi bdo cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup time tt u var"
    " wbr".split()
)
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ACTED_ON = frozenset("button input select textarea form".split())
_TELLING = (
    "type",
    "name",
    "id",
    "value",
    "placeholder",
    "aria-label",
    "action",
    "method",
    "data-testid",
    "role",
)
_LONGEST_VALUE = 100
_CELLS = frozenset(("td", "th"))
_LINKED = 0.6
"""Where more than this share of a text is links, it is navigation."""
_SENTENCE = 60
"""Characters from which a text is more than a label."""


class Line(Record):
    """One text of a page, or one element that can be acted on."""

    text: str
    worth: float


def recognised(sample: Sample) -> bool:
    return is_page(sample.text)


def is_page(text: str) -> bool:
    start = text[:_HEAD].lstrip().lower()
    if not start.startswith(_BEGINS):
        return False
    return start.startswith(_BEGINS[:4]) or start.count("</") + start.count("<div") > 1


def read(sample: Sample) -> ResultReading | None:
    page = _Page()
    page.feed(sample.text)
    if not page.lines:
        return None
    pieces = [line.text for line in page.lines]
    worths = [line.worth for line in page.lines]
    wrong = failing(pieces)
    if len(wrong) * 5 <= len(pieces):
        for place in wrong:
            worths[place] = max(worths[place], FAILS) if worths[place] else worths[place]
    above: list[str] = []
    if page.aside:
        above.append(f"navigation and what stands beside: {page.aside:,} texts")
    return ResultReading(pieces, worths, "lines", above)


def source(text: str) -> str:
    """One line for each text of the page's own content, and each element that can be acted on."""
    page = _Page()
    page.feed(text)
    return "\n".join(line.text for line in page.lines if line.worth > ORNAMENT)


class _Page:
    """Reads tags and texts from the top, and remembers what it is inside of."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.aside = 0
        """Texts that stand beside the page's own content."""
        self._asides: list[str] = []
        """The elements beside it that are open, and those of the same name in them."""
        self._heading = ""
        self._title = False
        self._words: list[str] = []
        self._linked = 0
        """Characters of the words that are links."""
        self._in_link = False
        self._item = ""
        self._form = 0

    def feed(self, html: str) -> None:
        place = 0
        match = _TAG.search(html)
        while match is not None:
            self._say(html[place : match.start()])
            place = match.end()
            if match[2]:
                name = match[2].lower()
                self._tag(name, bool(match[1]), match[3])
                if name in _SILENT and not match[1]:
                    place = _end_of(name, html, place)
            match = _TAG.search(html, place)
        self._say(html[place:])
        self._end_text()

    def _say(self, text: str) -> None:
        words = " ".join(text.split())
        if not words:
            return
        words = unescape(words) if "&" in words else words
        self._words.append(words)
        if self._in_link:
            self._linked += len(words)

    def _tag(self, name: str, closes: bool, attributes: str) -> None:
        if name == "a":
            self._in_link = not closes
        if name in _INLINE:
            return
        if name in _CELLS:
            if not closes and self._words:
                self._words.append("|")
            return
        self._end_text()
        self._look_aside(name, closes, attributes)
        if name in _HEADINGS:
            self._heading = "" if closes else "#" * int(name[1])
        elif name == "title":
            self._title = not closes
        elif name == "li":
            self._item = "" if closes else "- "
        elif name in _ACTED_ON and not closes:
            self._element(name, attributes)

    def _look_aside(self, name: str, closes: bool, attributes: str) -> None:
        if name in _VOID:
            return
        if closes:
            if self._asides and self._asides[-1] == name:
                self._asides.pop()
            return
        is_aside = name in _ASIDE or _ASIDE_ROLES.search(attributes) is not None
        # Of others only those that could close it too early are counted.
        if is_aside or name in self._asides[-1:]:
            self._asides.append(name)

    def _element(self, name: str, attributes: str) -> None:
        words = [name]
        for match in _ATTRIBUTE.finditer(attributes):
            if match[1].lower() in _TELLING:
                value = match[2] or match[3] or match[4] or ""
                words.append(f'{match[1]}="{value[:_LONGEST_VALUE]}"')
        worth = PLAIN if self._asides else FRAME
        self.lines.append(Line(f"<{' '.join(words)}>", worth))

    def _end_text(self) -> None:
        if not self._words:
            return
        text = " ".join(self._words)
        linked = self._linked / len(text)
        self._words = []
        self._linked = 0
        if self._title:
            self.lines.append(Line(text, FAILS))
        elif self._asides:
            self.aside += 1
        elif self._heading:
            self.lines.append(Line(f"{self._heading} {text}", ODD))
        else:
            self.lines.append(Line(self._item + text, _worth(text, linked)))


def _end_of(name: str, html: str, place: int) -> int:
    """Where an element ends of which nothing is read."""
    end = html.find(f"</{name}", place)
    return len(html) if end < 0 else end


def _worth(text: str, linked: float) -> float:
    if linked > _LINKED:
        return PLAIN / 2
    return FIRST if len(text) >= _SENTENCE else PLAIN
