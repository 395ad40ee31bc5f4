"""The site of the documents: every link leads somewhere, and its search finds without a network."""

from __future__ import annotations

import json
import os
import posixpath
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from chromium import FLAGS, PROGRAM, needs_chromium
from conftest import ROOT

from director_ctx.doors.cli.shared.menu import commands


class Seen(HTMLParser):
    """What a page links to, and the places in it that may be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src"):
                self.links.append(value or "")
            elif name == "id":
                self.places.add(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents") / "site"
    subprocess.run(
        [sys.executable, str(ROOT / "docs" / "site" / "build.py"), str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
    return folder


def index_of(site: Path) -> list[dict[str, str]]:
    text = (site / "search-index.js").read_text("utf-8")
    rows: list[dict[str, str]] = json.loads(text.removeprefix("const INDEX = ").rstrip(";\n"))
    return rows


def test_every_link_leads_to_a_page_and_to_a_place_in_it(site: Path) -> None:
    pages = {path: Seen(path.read_text("utf-8")) for path in site.rglob("*.html")}
    count = 0
    for path, seen in pages.items():
        for link in seen.links:
            if re.match(r"[a-z]+:", link):
                continue
            place, _, anchor = unescape(link).partition("#")
            target = path if not place else Path(posixpath.normpath(str(path.parent / place)))
            assert target.exists(), (path, link)
            assert not anchor or anchor in pages[target].places, (path, link)
            count += 1
    assert count > 1000


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert not re.search(r'<(script|link|img)[^>]*(src|href)="https?:', path.read_text("utf-8"))
    for name in ("style.css", "search.js", "docs/pictures/demo.svg"):
        assert not re.search(r"(url\((?!#)|import |fetch\()", (site / name).read_text("utf-8")), (
            name
        )


def test_every_document_is_a_page_and_in_the_index(site: Path) -> None:
    rows = index_of(site)
    indexed = {row["page"] for row in rows}

    for path in (ROOT / "docs").rglob("*.md"):
        page = path.relative_to(ROOT).with_suffix(".html").as_posix()
        assert (site / page).is_file(), page
        assert page in indexed, page
    headings = {row["heading"] for row in rows if row["page"] == "docs/commands.html"}
    assert {f"dctx {command.name}" for command in commands()} <= headings


@needs_chromium
def test_the_search_finds_in_a_browser_without_a_server(site: Path) -> None:
    done = subprocess.run(
        [
            str(PROGRAM),
            *FLAGS,
            "--dump-dom",
            f"{(site / 'docs' / 'start.html').as_uri()}?q=verify+agents",
        ],
        capture_output=True,
        timeout=60,
        check=True,
    )
    shown = done.stdout.decode()
    results = re.findall(r'<a class="result" href="([^"]*)"', shown)
    assert results
    assert all(link.startswith("../") for link in results)
    assert '<article hidden="">' in shown
