"""Whole words, plurals, and nothing that merely contains a keyword."""

from __future__ import annotations

import pytest
from conftest import task

from director_ctx.context.keywords import RESEARCH_TYPES, TASK_TYPES, match, subject_words, words_of
from director_ctx.context.select import task_text


def kinds(text: str) -> list[str]:
    return [name for name, _ in match(text, TASK_TYPES).hits]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Build the profile page", ["UI"]),
        ("Add two buttons", ["UI"]),
        ("Several CSS fixes", ["UI"]),
        ("tailwind classes", ["UI"]),
        ("An endpoint for links", ["API"]),
        ("Write the queries", ["API"]),
        ("GraphQL schema", ["API"]),
        ("use a REST call", ["API"]),
        ("RESTful routes", ["API"]),
        ("more test coverage", ["Testing"]),
        ("write e2e checks", ["Testing"]),
        ("page with tests and a route", ["UI", "API", "Testing"]),
        ("(page)", ["UI"]),
        ("page—and more", ["UI"]),
    ],
)
def test_whole_words_and_plurals_decide(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "format the information for performance on this platform",
        "review the preview in the viewport",
        "specific aspects with respect to it",
        "an IntersectionObserver",
        "rapid growth, latest news",
        "the rest of the day",
        "my_page_object",
        "testing rendered tested",
        "",
    ],
)
def test_words_that_merely_contain_a_keyword_do_not_count(text: str) -> None:
    assert kinds(text) == ["General"]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("a page", ("CONVENTIONS", "STRUCTURE")),
        ("a route", ("CONVENTIONS", "ARCHITECTURE")),
        ("a test", ("CONVENTIONS", "TESTING")),
        ("a route, a page, a test", ("CONVENTIONS", "ARCHITECTURE", "STRUCTURE", "TESTING")),
        ("words", ("CONVENTIONS",)),
    ],
)
def test_files_are_the_union_in_a_fixed_order(text: str, files: tuple[str, ...]) -> None:
    assert match(text, TASK_TYPES).files == files


def test_the_hits_are_named() -> None:
    assert str(match("a page with forms", TASK_TYPES)) == "UI (page, form)"


@pytest.mark.parametrize("word", ["setup", "install", "configure", "dependency", "dependencies"])
def test_setup_work_matches_the_research_table(word: str) -> None:
    assert match(f"we {word} it", RESEARCH_TYPES).files == ("STACK",)


def test_nothing_matches_no_research() -> None:
    assert match("a page", RESEARCH_TYPES).files == ()


def test_only_what_to_do_and_done_when_are_scanned() -> None:
    text = task(title="A test page", what="Write words.", done="- [ ] Read them", needs="the page")
    assert kinds(task_text(text)) == ["General"]
    assert kinds(text) != ["General"]


def test_a_task_without_these_sections_is_scanned_whole() -> None:
    assert kinds(task_text("# Task: X\n\nMake the page.")) == ["UI"]


def test_words_end_at_every_mark_but_the_underscore() -> None:
    assert words_of("a-b/c.d_e “f” g’s") == ["a", "b", "c", "d_e", "f", "g", "s"]


def test_subject_words_are_long_uncommon_and_singular() -> None:
    assert subject_words("The friends should work with libraries and classes of 1234 stories") == {
        "friend",
        "library",
        "classe",
        "story",
    }
