"""What somebody searched for, marked where it stands; and messages as their writers meant them."""

from __future__ import annotations

import re
from functools import lru_cache

from markupsafe import Markup, escape

from director_ctx.doors.ui.serving.markdown import message_as_html

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
