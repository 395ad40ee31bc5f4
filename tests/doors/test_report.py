"""`dctx report`: the pages as one file; and `dctx budget --svg`: a picture of one of them."""

from __future__ import annotations

import re
import shutil
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from chromium import PROGRAM, needs_chromium, needs_playwright
from client_sessions import TWO, Claude
from conftest import Result, plan, process, task, write

from director_ctx.doors.ui.sharing.redacted import redacted
from director_ctx.doors.ui.sharing.standing_alone import standing_alone

Dctx = Callable[..., Result]
SECRET = "ghp_" + "Zx81" * 9
FILES = {
    "VISION.md": f"# Vision\n\n## Project Name\n\nLinks\n\n## What It Does\n\nKeeps links, by the token {SECRET}.\n",
    **plan({"01-one.md": task(f"One with api_key={SECRET}"), "02-two.done.md": task("Two")}),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "links", FILES)


class _Read(HTMLParser):
    """The tags of a file with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, name: str) -> list[str]:
        return [value for _, attributes in self.tags if (value := attributes.get(name))]


def written(root: Path) -> str:
    place = root.parent / "report.html"
    result = process("report", "-o", str(place), cwd=root)
    assert (result.code, result.out) == (0, f"{place}\n"), result
    return place.read_text()


def test_it_needs_nothing_but_itself(root: Path) -> None:
    assert process("assemble", "builder", cwd=root).code == 0
    text = written(root)
    read = _Read(text)
    names = {tag for tag, _ in read.tags}
    assert names.isdisjoint(("script", "link", "img", "iframe", "form", "button", "input"))
    assert read.all("src") == read.all("style") == read.all("onclick") == []
    assert "url(" not in text
    style = text.partition("<style>")[2].partition("</style>")[0]
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    )
    assert read.all("content")[0] == policy


def test_every_page_is_in_it_and_links_lead_to_what_is_there(root: Path) -> None:
    assert process("assemble", "builder", cwd=root).code == 0
    text = written(root)
    read = _Read(text)
    ids = read.all("id")
    assert len(ids) == len(set(ids))
    for words in (*read.all("aria-labelledby"), *read.all("for")):
        assert set(words.split()) <= set(ids)
    for address in read.all("href"):
        assert address.removeprefix("#") in ids, address
    pages = ["now", "plan", "project", "told", "told_context", "budget", "health"]
    assert [name for name in ids if name in pages] == pages
    assert "Where it stands" in text
    assert "&lt;vision&gt;" in text


def test_secrets_are_hidden_in_all_of_it(root: Path) -> None:
    assert process("assemble", "builder", cwd=root).code == 0
    text = written(root)
    assert SECRET not in text
    assert SECRET[4:] not in text
    assert "[hidden]" in text


def test_what_documents_and_records_say_is_words(root: Path) -> None:
    hostile = '<script>alert(1)</script><img src=x onerror="alert(2)"></style><a href="@now">x</a>'
    write(root, {"VISION.md": hostile, **plan({"01-one.md": task(f"One {hostile}")})})
    assert process("assemble", "builder", cwd=root).code == 0
    text = written(root)
    read = _Read(text)
    assert {"script", "img"}.isdisjoint(tag for tag, _ in read.tags)
    assert text.count("</style>") == 1
    assert "&lt;script&gt;alert(1)" in text
    assert [
        name for _, attributes in read.tags for name in attributes if name.startswith("on")
    ] == []


def test_a_secret_name_hides_what_it_has() -> None:
    rows = [{"password": "frog", "title": f"a {SECRET}", "tokens": 3}]
    assert redacted(rows) == [{"password": "[hidden]", "title": "a [hidden]", "tokens": 3}]


def test_what_somebody_else_wrote_is_not_written_over(root: Path) -> None:
    place = root / "mine.html"
    place.write_text("<p>Mine</p>")
    refused = process("report", "-o", "mine.html", cwd=root)
    assert (refused.code, refused.out) == (1, "")
    assert "was not written by `dctx report`" in refused.err
    assert place.read_text() == "<p>Mine</p>"
    assert process("report", "-o", "mine.html", "--force", cwd=root).code == 0
    assert process("report", "-o", "mine.html", cwd=root).code == 0, "by now it is ours"
    assert "Made by dctx report" in place.read_text()


def test_without_a_name_it_is_report_html_and_a_dash_is_standard_output(root: Path) -> None:
    named = process("report", cwd=root)
    assert named.out == "report.html\n"
    piped = process("report", "-o", "-", cwd=root)
    assert piped.out.startswith("<!doctype html>")
    assert piped.err == ""
    assert not (root / "-").exists()


def test_a_project_with_nothing_in_it_has_a_report(tmp_path: Path) -> None:
    root = write(tmp_path / "empty", {})
    assert "No plan yet" in written(root)


def test_the_longest_conversation_is_in_it_as_a_picture_without_what_was_said(root: Path) -> None:
    talk = Claude(root).user(f"Build the list, by {SECRET}")
    for number in range(9):
        file = f"{root}/src/page_{number}.py"
        talk.called(f"c{number}", "Read", f"line {number}\n" * 300, file_path=file)
        talk.said("A sentence that stays where it is.", tokens=20_000 * number)
    talk.write()
    Claude(root, session=TWO).user("A shorter one").said("Yes.", tokens=5_000).write()
    text = written(root)
    assert "A sentence that stays where it is." not in text
    assert "A shorter one" not in text
    piece = text.partition('id="conversation"')[2].partition('id="budget"')[0]
    assert "Build the list, by [hidden]" in piece
    assert re.search("<title>Read: [0-9,]+ tokens, ", piece), "the picture of the tokens"
    assert "page_3.py" in piece
    assert re.search("<title>Message [0-9]+: [0-9,]+", piece), "the level"
    assert ">warning</text>" in piece and ">160,000</text>" in piece


def test_health_is_in_it_with_nothing_to_press(root: Path) -> None:
    write(root, {"STATE.md": "# State\n\n**Status:** Complete\n"})
    piece = written(root).partition('id="health"')[2]
    assert "In the folder" in piece
    assert "Mend this" not in piece
    assert "read-only" not in piece


def test_what_can_be_pressed_or_followed_elsewhere_is_words() -> None:
    page = (
        '<form action="/x"><input name="a"><button>Go</button></form>'
        '<p id="a"><a href="/links/told" onclick="x()" data-item>Told</a> <a href="@plan#b">B</a>'
        '<a href="#a">A</a> <button form="set" name="x">&#10003;</button> &lt;b&gt;</p>'
        '<span class="moves"><br><b>Gone</b></span><svg><rect width="1"/></svg>'
    )
    assert standing_alone(page, "now") == (
        '<p id="now-a"><a>Told</a> <a href="#plan-b">B</a>'
        '<a href="#now-a">A</a> <span class="mark">&#10003;</span> &lt;b&gt;</p>'
        '<svg><rect width="1"/></svg>'
    )


def test_a_budget_is_a_picture(root: Path, dctx: Dctx) -> None:
    space = "{http://www.w3.org/2000/svg}"
    one = ElementTree.fromstring(dctx("budget", "builder", "--svg", cwd=root).out)
    every = ElementTree.fromstring(dctx("budget", "--all", "--svg", cwd=root).out)
    words = [text.text for text in one.iter(f"{space}text")]
    assert "Context budget: builder, task 1/1/1" in words
    assert {"Vision", "Task", "Instructions"} <= set(words)
    agents = [text.text for text in every.iter(f"{space}text")]
    assert {"builder", "planner", "verifier"} <= set(agents)
    assert not list(one.iter(f"{space}script"))


@pytest.mark.parametrize("other", ["--json", "--what-if", "--history"])
def test_a_picture_is_of_contexts_alone(root: Path, dctx: Dctx, other: str) -> None:
    assert dctx("budget", "builder", "--svg", other, cwd=root).code == 2


@pytest.mark.proof
@needs_chromium
@needs_playwright
@pytest.mark.parametrize("width", [1440, 375])
def test_a_browser_shows_it_from_a_file_without_a_word_of_complaint(
    example: Path, tmp_path: Path, width: int
) -> None:
    from playwright.sync_api import sync_playwright

    root = Path(shutil.copytree(example, tmp_path / "reading"))
    assert process("assemble", "builder", cwd=root).code == 0
    text = written(root)
    assert re.search("<details", text)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        said: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        address = (root.parent / "report.html").as_uri()
        page.goto(address)
        page.click("#told_context-section-vision summary")
        assert "<vision>" in page.inner_text("#told_context-section-vision pre")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        browser.close()
    assert said == []
    assert asked == [address]
