"""Makes a site of the Markdown in this repository: pages, a navigation, and a search that needs no
server and no network.

usage: python docs/site/build.py [FOLDER]        (build/site, if none is named)

It begins with README.md and docs/README.md, and follows the links from page to page. What they link
to besides, such as a program or a licence, is copied beside them.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import shutil
import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
CONTENTS = "docs/README.md"
FIRST = ("README.md", CONTENTS)
_OUTSIDE = re.compile(r"^[a-z]+:")
_PARSER = MarkdownIt("commonmark").enable("table")


class Part(NamedTuple):
    """What stands below one heading."""

    heading: str
    anchor: str
    text: str


class Page(NamedTuple):
    path: str
    """Of the Markdown, relative to the top of the repository."""
    title: str
    content: str
    parts: tuple[Part, ...]
    linked: tuple[str, ...]
    """Paths that it links to, written like its own."""


class Entry(NamedTuple):
    """A line of the navigation; without a path it is a heading."""

    says: str
    path: str = ""


def build(target: Path) -> int:
    """Writes the whole site; how many pages it has."""
    pages, others = collect()
    entries = navigation(pages)
    template = (HERE / "page.html").read_text("utf-8")
    order = [entry.path for entry in entries if entry.path]

    shutil.rmtree(target, ignore_errors=True)
    for page in pages.values():
        fields = {
            "{top}": _top(page.path),
            "{title}": escape(f"{page.title} · dctx"),
            "{navigation}": "\n".join(_navigation_lines(entries, page)),
            "{neighbours}": _neighbours(pages, order, page),
            "{content}": page.content,
        }
        _write(target / address(page.path), _filled(template, fields))
    for path in others:
        _copy(path, target)
    for name in ("style.css", "search.js"):
        shutil.copyfile(HERE / name, target / name)
    _write(target / "search-index.js", _index(pages.values()))
    return len(pages)


def collect() -> tuple[dict[str, Page], list[str]]:
    """Every page that can be reached, and the other files that pages link to."""
    pages: dict[str, Page] = {}
    others: list[str] = []
    waiting = list(FIRST)
    while waiting:
        path = waiting.pop(0)
        if path in pages or path in others:
            continue
        if path.endswith(".md"):
            pages[path] = read(path)
            waiting += pages[path].linked
        else:
            others.append(path)
    return pages, others


def read(path: str) -> Page:
    tokens = _PARSER.parse((ROOT / path).read_text("utf-8"))
    linked = tuple(_settle_links(path, tokens))
    parts = tuple(_parts(tokens))
    content = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return Page(path, parts[0].heading, content, parts, linked)


def address(path: str) -> str:
    """Where a page or a file is in the site."""
    if path == FIRST[0]:
        return "index.html"
    if path.endswith(".md"):
        return f"{path.removesuffix('.md')}.html"
    return path


def _settle_links(path: str, tokens: Sequence[Token]) -> Iterator[str]:
    """Has links lead to pages of the site; what each of them leads to in the repository."""
    for token in _inside(tokens):
        name = {"link_open": "href", "image": "src"}.get(token.type, "")
        target = str(token.attrGet(name) or "") if name else ""
        if not target or _OUTSIDE.match(target) or target.startswith("#"):
            continue
        place, mark, anchor = target.partition("#")
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), place))
        if (ROOT / whole).is_dir():
            whole = f"{whole}/README.md"
        link = posixpath.relpath(address(whole), posixpath.dirname(path) or ".")
        token.attrSet(name, link + mark + anchor)
        yield whole


def _inside(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _inside(token.children or ())


def _parts(tokens: Sequence[Token]) -> Iterator[Part]:
    """The text below each heading; the headings are given the anchors that GitHub gives them."""
    heading, anchor = "", ""
    texts: list[str] = []
    taken: dict[str, int] = {}
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before is not None and before.type == "heading_open":
            if heading:
                yield Part(heading, anchor, " ".join(texts))
            heading, texts = _plain(token), []
            anchor = _anchor(heading, taken)
            before.attrSet("id", anchor)
        elif token.type == "inline":
            texts.append(_plain(token))
        elif token.type in ("fence", "code_block"):
            texts.append(" ".join(token.content.split()))
    yield Part(heading, anchor, " ".join(texts))


def _plain(token: Token) -> str:
    words: list[str] = []
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            words.append(" ")
        elif child.type in ("text", "code_inline", "image"):
            words.append(child.content)
    return "".join(words)


def _anchor(heading: str, taken: dict[str, int]) -> str:
    name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    again = taken.get(name, 0)
    taken[name] = again + 1
    if again:
        return f"{name}-{again}"
    return name


def navigation(pages: dict[str, Page]) -> list[Entry]:
    """The headings and links of the table of contents, in its order."""
    entries = [Entry("Overview", "README.md"), Entry("All documents", CONTENTS)]
    tokens = _PARSER.parse((ROOT / CONTENTS).read_text("utf-8"))
    heading = False
    for token in tokens:
        if token.type == "heading_open":
            heading = token.tag == "h2"
        elif token.type == "inline" and heading:
            entries.append(Entry(_plain(token)))
            heading = False
        elif token.type == "inline":
            entries += _linked_pages(token, pages)
    return entries


def _linked_pages(token: Token, pages: dict[str, Page]) -> Iterator[Entry]:
    for child in token.children or ():
        if child.type == "link_open":
            path = posixpath.normpath(posixpath.join("docs", str(child.attrGet("href"))))
            if path in pages:
                yield Entry(pages[path].title, path)


def _navigation_lines(entries: Sequence[Entry], page: Page) -> Iterator[str]:
    yield "<ul>"
    for entry in entries:
        if not entry.path:
            yield f"</ul>\n<h2>{escape(entry.says)}</h2>\n<ul>"
            continue
        here = ""
        if entry.path == page.path:
            here = ' aria-current="page"'
        link = f"{_top(page.path)}{address(entry.path)}"
        yield f'<li><a href="{escape(link)}"{here}>{escape(entry.says)}</a></li>'
    yield "</ul>"


def _neighbours(pages: dict[str, Page], order: Sequence[str], page: Page) -> str:
    """Links to the page before and the page after, in the order of a reader."""
    if page.path not in order:
        return ""
    at = order.index(page.path)
    links = []
    for says, path in (("←", order[at - 1] if at else ""), ("→", "".join(order[at + 1 : at + 2]))):
        if path:
            link = f"{_top(page.path)}{address(path)}"
            links.append(f'<a href="{escape(link)}">{says} {escape(pages[path].title)}</a>')
    return f'<p class="neighbours">{"".join(links)}</p>'


def _top(path: str) -> str:
    """The way from a page up to the top of the site."""
    return "../" * path.count("/")


def _filled(template: str, fields: dict[str, str]) -> str:
    """In one go, so that a field is not looked for in the text of another."""
    marks = "|".join(map(re.escape, fields))
    return re.sub(marks, lambda match: fields[match.group()], template)


def _index(pages: Iterable[Page]) -> str:
    """A script and not JSON, because a page from a disk may load no other file."""
    rows = []
    for page in pages:
        for part in page.parts:
            row = {
                "page": address(page.path),
                "anchor": part.anchor,
                "title": page.title,
                "heading": part.heading,
                "text": part.text,
            }
            rows.append(row)
    return f"const INDEX = {json.dumps(rows, ensure_ascii=False)};\n"


def _copy(path: str, target: Path) -> None:
    place = target / path
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / path, place)


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site"
    count = build(folder)
    print(f"{count} pages: {os.path.relpath(folder / 'index.html')}")
