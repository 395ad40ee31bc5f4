"""A search in conversations leads to the very words, and marks them, without scripts too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from client_sessions import ONE, Claude
from conftest import plan, task, write
from pages import Pages, pages

from director_ctx.base.one_line import begun
from director_ctx.doors.ui.serving.markdown import marked, said, with_hit

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SESSION = f"/links/conversations/{ONE}"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Pages]:
    """A word far down in a long answer, and another in a result."""
    root = write(tmp_path / "links", plan({"01-one.md": task("One")}))
    lines = Claude(root).user("Fix the `list` of links, and the **form**.")
    result = "nothing here\n" * 300 + f"TOKEN={SECRET} a walrus\n" + "nor here\n" * 300
    lines.called("c0", "Read", result, file_path=f"{root}/src/zoo.py")
    lines.said("Many words. " * 900 + "Then a giraffe & a <b>tiger</b> come. " + "More. " * 900)
    lines.write()
    with pages(root) as running:
        yield running


def hits(page: str) -> list[str]:
    return re.findall(r'<mark id="hit">([^<]*)</mark>', page)


def test_a_hit_in_a_long_message_is_shown_marked_with_all_of_the_message(site: Pages) -> None:
    page = site.ask("/links/conversations?q=giraffe").text
    assert "<mark>giraffe</mark>" in page
    assert "Fix the list of links, and the **form**. · Model, message 4" in page
    (link,) = re.findall(r'href="([^"]*)#hit"', page)
    conversation = site.ask(link.replace("&amp;", "&")).text
    assert hits(conversation) == ["giraffe"]
    assert conversation.count("More. ") > 800


def test_a_hit_in_a_result_opens_its_row_and_hides_its_secrets(site: Pages) -> None:
    page = site.ask(f"{SESSION}?mark=walrus&at=3").text
    assert hits(page) == ["walrus"]
    (row,) = re.findall(r"<details class=\"entry[^>]*>", page)
    assert " open" in row
    assert "data-from" not in row
    assert SECRET not in page


def test_a_search_in_a_conversation_shows_the_words_with_what_stands_around_them(
    site: Pages,
) -> None:
    page = site.ask(f"{SESSION}?q=giraffe").text
    assert "Then a <mark>giraffe</mark> &amp; a" in page
    assert len(page) < 20_000
    page = site.ask(f"{SESSION}?q=walrus").text
    assert "a <mark>walrus</mark>" in page
    assert SECRET not in page
    assert f'href="{SESSION}?mark=walrus&amp;at=2#hit"' in page


def test_a_secret_is_not_told_by_what_stands_around_it(site: Pages) -> None:
    for words in (SECRET[:12], SECRET[-12:], SECRET[10:24]):
        page = site.ask(f"{SESSION}?q={words}").text
        assert "TOKEN" not in page or SECRET[8:-8] not in page
        assert SECRET[8:-8] not in re.sub(r"q=\w+|value=\"[^\"]*\"", "", page)


def test_a_message_alone_has_the_words_marked(site: Pages) -> None:
    page = site.ask(f"{SESSION}/messages/4?mark=TIGER").text
    assert "<mark>tiger</mark>" in page
    assert "<b>tiger" not in page


def test_an_address_of_a_message_that_is_not_there_shows_the_conversation(site: Pages) -> None:
    for at in ("x", "-1", "9999999999999", "4000", ""):
        answer = site.ask(f"{SESSION}?mark=giraffe&at={at}")
        assert (answer.status, hits(answer.text)) == (200, []), at


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        ("a < b & c", "< B", "a <mark>&lt; b</mark> &amp; c"),
        ("a & b", "amp", "a &amp; b"),
        ("<mark>", "mark", "&lt;<mark>mark</mark>&gt;"),
        ('say "yes"', '"yes"', "say <mark>&#34;yes&#34;</mark>"),
        ("two\nlines", "two lines", "<mark>two\nlines</mark>"),
        ("a.c abc", "a.c", "<mark>a.c</mark> abc"),
        ("text", "  ", "text"),
    ],
)
def test_words_are_marked_in_text_and_nowhere_else(text: str, words: str, shown: str) -> None:
    assert str(marked(text, words)) == shown


def test_words_are_marked_in_markdown_and_in_no_tag_or_address_of_it() -> None:
    html = said("A **link** to [`link`](https://link.example/link) of a class.", "link")
    assert html.count("<mark>") == 2
    assert 'href="https://link.example/link"' in html
    assert "<mark>" not in said("A **class** is here.", "strong")
    assert "<mark>**link** to</mark>" in said("A **link** to it.", "**link** to")
    assert said("# Big\n\n- one\n- two") == (
        '<p class="as-heading">Big</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n'
    )
    assert "<script>" not in said("<script>alert(1)</script>", "alert")
    assert "<br" in said("one *line*\nand another")


def test_an_address_of_a_hit_leads_somewhere_even_if_nothing_can_be_marked() -> None:
    assert with_hit(said("Nothing.")) == '<span id="hit"></span><p>Nothing.</p>'
    twice = with_hit(marked("a a", "a"))
    assert (twice.count('id="hit"'), twice.count("<mark")) == (1, 2)


def test_a_beginning_ends_with_a_whole_word() -> None:
    assert begun("is our branch filtering right?", 21) == "is our branch\N{HORIZONTAL ELLIPSIS}"
    assert begun("x" * 30, 10) == "x" * 9 + "\N{HORIZONTAL ELLIPSIS}"
    assert begun("all of it", 9) == "all of it"
