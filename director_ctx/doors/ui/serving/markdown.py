"""Documents of a project as HTML: whatever they say, nothing of it runs, nothing is fetched for it,
and no link of it leads to a file.
"""

from __future__ import annotations

from functools import cache
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markupsafe import Markup

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
