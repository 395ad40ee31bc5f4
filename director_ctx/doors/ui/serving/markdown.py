"""Documents of a project and messages as HTML: whatever they say, nothing of it runs, nothing is fetched for it, and no
link of it leads to a file. What somebody searched for is marked where it stands.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from director_ctx.base.text import visible
from director_ctx.project.reading.markdown import without_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

LONGEST = 400_000
"""Characters that are shown; what is longer is no document that somebody reads."""
SCHEMES = ("http", "https", "mailto")
TITLE, DEEPEST_HEADING = 1, 6
_BOXES = {
    "[ ] ": "\N{BALLOT BOX} ",
    "[x] ": "\N{BALLOT BOX WITH CHECK} ",
    "[X] ": "\N{BALLOT BOX WITH CHECK} ",
    "[~] ": "\N{BALLOT BOX} (begun) ",
}


def as_html(text: str) -> Markup:
    """Tags in it are text, pictures are their words."""
    parser = _parser()
    tokens = parser.parse(without_comments(visible(text[:LONGEST])))
    _level_headings(tokens)
    _show_boxes(tokens)
    _end_fields(tokens)
    for token in _all_of(tokens):
        _tame(token)
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def message_as_html(text: str) -> Markup:
    """What somebody said: no document with headings of its own, and each line is one."""
    parser = _parser(lines=True)
    tokens = parser.parse(text[:LONGEST])
    _unlevel_headings(tokens)
    _show_boxes(tokens)
    for token in _all_of(tokens):
        _tame(token)
    return Markup(parser.renderer.render(tokens, parser.options, {}))


@cache
def _parser(lines: bool = False) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 40, "breaks": lines})
    parser.enable(["table", "strikethrough"])
    return parser


def _unlevel_headings(tokens: list[Token]) -> None:
    """They look like headings, and are none of the page."""
    for token in tokens:
        if token.type == "heading_open":
            token.attrs["class"] = "as-heading"
        if token.type in ("heading_open", "heading_close"):
            token.tag = "p"


def _level_headings(tokens: list[Token]) -> None:
    """Below the title of the page, and none left out: a document may begin anywhere."""
    above: list[str] = []
    for token in tokens:
        if token.type == "heading_open":
            while above and above[-1] >= token.tag:
                above.pop()
            above.append(token.tag)
        if token.type in ("heading_open", "heading_close"):
            level = TITLE + len(above)
            token.tag = f"h{min(DEEPEST_HEADING, level)}"


def _all_of(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _show_boxes(tokens: list[Token]) -> None:
    """A box at the beginning of an entry looks like one, and is all that stands before it."""
    for entry, _, words in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if entry.type != "list_item_open" or not words.children:
            continue
        first = words.children[0]
        box = _BOXES.get(first.content[:4])
        if box:
            first.content = box + first.content[4:]
            entry.attrs["class"] = "box"


def _end_fields(tokens: list[Token]) -> None:
    """A line that begins with a **name:** in bold is one of its own."""
    for token in tokens:
        line: list[Token] = []
        for part in token.children or ():
            if part.type != "softbreak":
                line += [part] if part.content or part.nesting else []
                continue
            is_field = (
                len(line) > 1 and line[0].type == "strong_open" and line[1].content.endswith(":")
            )
            if is_field:
                part.type = "hardbreak"
            line = []


def _tame(token: Token) -> None:
    # A column's side is said by a style, which the policy of the page does not take.
    style = str(token.attrs.pop("style", ""))
    if style.endswith("right"):
        token.attrs["class"] = "number"

    if token.type == "link_open":
        _tame_link(token)
    elif token.type == "image":
        token.type = "text"
        token.content = f"[{token.content or 'picture'}]"


def _tame_link(token: Token) -> None:
    """One that names no other server names a file, and files are not served: its words stay."""
    href = str(token.attrs.pop("href", ""))
    title = href
    if may_be_followed(href):
        token.attrs["href"] = href
        token.attrs["rel"] = "noopener noreferrer nofollow"
        token.attrs["target"] = "_blank"
    token.attrs["title"] = title


def may_be_followed(address: str) -> bool:
    """Whether it is one for a browser, and does nothing but lead somewhere."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return False
    return parts.scheme.casefold() in SCHEMES


MARK, HIT_MARK = "<mark>", '<mark id="hit">'
HIT = Markup('<span id="hit"></span>')
"""Where there is nothing to mark: what was searched for may be hidden."""
MOST_REMEMBERED = 1_024
_AS_HTML = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "(?:&quot;|&#34;)",
    "'": "(?:'|&#39;)",
}
_PLAIN = re.compile(r"[A-Za-z0-9 ,.;:!?'()\"/%+-]*")
"""A line that Markdown would not change, where it begins with a letter."""


def marked(text: str, words: str) -> Markup:
    """A text as it stands."""
    if not words:
        return escape(text)
    return _mark(escape(text), words)


def marked_each(text: str, words: str) -> Markup:
    """A text in which these words may stand anywhere."""
    html = escape(text)
    if not words.strip():
        return html
    return Markup(_pattern(words, "|").sub(_in_mark, html))


def said(text: str, words: str = "") -> Markup:
    """A message in Markdown. Words that only stand together as it was written are marked there."""
    html = _said(text)
    shown = _mark(html, words)
    if not words or MARK in shown:
        return shown
    as_written = marked(text, words)
    if MARK not in as_written:
        return html
    return Markup('<div class="as-written">{}</div>').format(as_written)


def with_hit(html: Markup) -> Markup:
    """With the place that an address leads to: the first mark."""
    if MARK not in html:
        return HIT + html
    return Markup(html.replace(Markup(MARK), Markup(HIT_MARK), 1))


@lru_cache(maxsize=MOST_REMEMBERED)
def _said(text: str) -> Markup:
    """A page that follows a conversation shows the same messages again and again."""
    is_plain = text[:1].isalpha() and _PLAIN.fullmatch(text)
    if is_plain and "://" not in text:
        return Markup("<p>{}</p>").format(text)
    return message_as_html(text)


def _mark(html: Markup, words: str) -> Markup:
    if not words.strip():
        return html
    return Markup(_pattern(words).sub(_in_mark, html))


def _in_mark(match: re.Match[str]) -> str:
    if match["words"] is None:
        return match[0]
    return f"{MARK}{match[0]}</mark>"


@lru_cache(maxsize=16)
def _pattern(words: str, between: str = r"\s+") -> re.Pattern[str]:
    """Fits the words in the text of an HTML, and what they may not stand in: a tag, an escaped sign."""
    expression = between.join(_as_html(word) for word in words.split())
    return re.compile(f"(?P<words>{expression})|<[^>]*>|&#?\\w+;", re.IGNORECASE)


def _as_html(word: str) -> str:
    return "".join(_AS_HTML.get(char) or re.escape(char) for char in word)
