"""The kind of a task: by its title and its text, by words and their forms, with two notes at most."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT, task

from director_ctx.context.selection import subject_of, task_text
from director_ctx.context.settings.keywords import (
    RESEARCH_TYPES,
    TASK_TYPES,
    Kind,
    Subject,
    TaskMatch,
    match,
    subject_words,
)

EXAMPLE = ROOT / "examples" / "reading-list" / ".director" / "goals"


def of_text(text: str) -> TaskMatch:
    return match(Subject("", text), TASK_TYPES)


def of_title(title: str) -> TaskMatch:
    return match(Subject(title, ""), TASK_TYPES)


def kinds(matched: TaskMatch) -> list[str]:
    return [name for name, _ in matched.hits]


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
        ("more unit tests", ["Testing"]),
        ("write e2e checks", ["Testing"]),
        ("keep the changelog", ["Documents"]),
        ("a page, a form and a route", ["UI", "API"]),
        ("a page, a route and an endpoint", ["API", "UI"]),
        ("(page)", ["UI"]),
        ("page—and more", ["UI"]),
    ],
)
def test_whole_words_and_plurals_decide(text: str, expected: list[str]) -> None:
    assert kinds(of_text(text)) == expected


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Build the settings page with a form", "UI"),
        ("Testing the import", "Testing"),
        ("A styled list", "UI"),
        ("Rendering of long names", "UI"),
        ("Routing of feeds", "API"),
        ("Document the feed", "Documents"),
        ("Model of a saved link", "API"),
    ],
)
def test_the_title_counts_and_its_weak_words_decide(title: str, kind: str) -> None:
    assert kinds(of_title(title)) == [kind]


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
        "images are not served larger than needed",
        "a former list, in the form of a letter",
        "",
    ],
)
def test_words_that_merely_contain_a_keyword_do_not_count(text: str) -> None:
    assert kinds(of_text(text)) == ["General"]


@pytest.mark.parametrize(
    "text",
    [
        "In the style of the old letters, with a visual template for each view.",
        "The model gives a response to every request.",
        "Existing tests still pass as expected, by the specs.",
        "A guide for the document.",
    ],
)
def test_weak_words_alone_decide_nothing_however_many_they_are(text: str) -> None:
    assert kinds(of_text(text)) == ["General"]


def test_weak_words_speak_for_a_kind_that_has_a_strong_one() -> None:
    both = "A page for the endpoint"
    assert kinds(of_text(both)) == ["UI", "API"]
    assert kinds(of_text(f"{both}, its request and its response")) == ["API", "UI"]


@pytest.mark.parametrize(
    "text",
    [
        "Say which API keys are needed, and what to expect.",
        "Runs on every pull request.",
        "Pull requests and media queries, a server component, API key",
    ],
)
def test_phrases_that_mean_something_else_are_passed_over(text: str) -> None:
    assert {"API", "Testing"}.isdisjoint(kinds(of_text(text)))


def test_a_word_counts_where_it_stands_outside_of_such_a_phrase() -> None:
    assert kinds(of_text("The API needs an API key.")) == ["API"]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("a page", ("CONVENTIONS", "STRUCTURE")),
        ("a route", ("CONVENTIONS", "ARCHITECTURE")),
        ("a unit test", ("CONVENTIONS", "TESTING")),
        ("a README", ("CONVENTIONS",)),
        ("a README of the endpoint", ("CONVENTIONS", "ARCHITECTURE")),
        ("a route, a page, a unit test", ("CONVENTIONS", "TESTING")),
        ("words", ("CONVENTIONS",)),
    ],
)
def test_a_task_gets_two_notes_at_most_those_of_its_first_kind(
    text: str, files: tuple[str, ...]
) -> None:
    assert of_text(text).files == files


def test_a_kind_that_lists_more_notes_gives_them_all() -> None:
    own = Kind("Painting", ("paint",), ("STACK", "CONCERNS", "TESTING"))
    assert match(Subject("", "paint"), [own]).files == ("TESTING", "STACK", "CONCERNS")


def test_notes_of_every_kind_that_matched_are_related() -> None:
    matched = of_text("a page and a route")
    assert matched.files == ("CONVENTIONS", "STRUCTURE")
    assert matched.related == ("CONVENTIONS", "ARCHITECTURE", "STRUCTURE")


def test_the_hits_are_named_the_weightiest_kind_first() -> None:
    assert str(of_text("a page with forms")) == "UI (page, form)"
    assert str(of_text("a page with forms and an endpoint")) == "UI (page, form); API (endpoint)"


@pytest.mark.parametrize(
    "title", ["Setup", "Install it", "Configuring it", "Add a dependency", "Pin dependencies"]
)
def test_setup_work_matches_the_research_table(title: str) -> None:
    assert match(Subject(title, ""), RESEARCH_TYPES).files == ("STACK",)


@pytest.mark.parametrize(
    "text",
    [
        "a page",
        "Clues that are the setup of the last letter.",
        "Show the install command.",
        "No new dependency.",
    ],
)
def test_a_word_in_passing_is_no_setup_work(text: str) -> None:
    assert match(Subject("Write the letter", text), RESEARCH_TYPES).files == ()


def test_only_the_title_what_to_do_and_done_when_are_scanned() -> None:
    text = task(
        title="Write words",
        what="Write words.",
        done="- [ ] Read them",
        needs="the page and its components",
    )
    assert kinds(match(subject_of("Write words", text), TASK_TYPES)) == ["General"]
    assert kinds(match(subject_of("Write the page", text), TASK_TYPES)) == ["UI"]
    assert kinds(of_text(text)) == ["UI"]


def test_a_task_without_these_sections_is_scanned_whole() -> None:
    assert kinds(of_text(task_text("# Task: X\n\nMake the page."))) == ["UI"]


def test_a_quick_request_is_its_own_title() -> None:
    subject = subject_of("Another title", "Another task", "Add tests for the list")
    assert kinds(match(subject, TASK_TYPES)) == ["Testing"]


def test_subject_words_are_long_uncommon_and_singular() -> None:
    assert subject_words("The friends should work with libraries and classes of 1234 stories") == {
        "friend",
        "library",
        "classe",
        "story",
    }


UI = ("CONVENTIONS", "STRUCTURE")
API = ("CONVENTIONS", "ARCHITECTURE")
TESTING = ("CONVENTIONS", "TESTING")
GENERAL = ("CONVENTIONS",)

LABELLED = [
    (
        "Write a README for the reading list",
        "Say what it is, who it is for, what has to be there first (Python, API keys of the mail service), how it is"
        " installed, and what to expect after the first start.",
        "- [ ] Whoever never saw it can start it",
        GENERAL,
    ),
    (
        "Close the file of links after reading",
        "Find the place where the file stays open, and close it even if an error occurs.",
        "- [ ] Existing tests still pass",
        GENERAL,
    ),
    (
        "Write the letter to new friends",
        "A letter of one side, in the voice of the vision. Its response is the setup of the second letter.",
        "- [ ] It reads well aloud",
        GENERAL,
    ),
    (
        "Card of a link",
        "Create the Card component (a server component) with title and saver. It gets the link from its parent.",
        "- [ ] The card renders correctly with a test link",
        UI,
    ),
    (
        "Respect reduced motion",
        "Turn off what moves with a CSS media query, also on the list.",
        "- [ ] Tested with reduced motion in the browser",
        UI,
    ),
    (
        "Check every pull request",
        "Create a workflow that runs the test suite on every push and pull request.",
        "- [ ] A failing test fails the workflow",
        TESTING,
    ),
    (
        "Add tests for the import",
        "Cover a bad row, an empty file, and an address that is there already.",
        "- [ ] Every case of the import is covered",
        TESTING,
    ),
    (
        "Answer with links as JSON",
        "Add the endpoint `/links.json`, with a query for one friend. The page stays as it is.",
        "- [ ] An unknown friend gets an empty response",
        API,
    ),
    (
        "Sign-up page",
        "Ask for a name and a password in one form, and say what is wrong with them.",
        "- [ ] A new user is in the database",
        UI,
    ),
    (
        "Clean up before it is public",
        "Write a README, add a license, remove test files and placeholders. Nothing else is for viewing.",
        "- [ ] No test files are left",
        GENERAL,
    ),
    (
        "Wire the digest into the nightly run",
        "Run it after the backup, and write its output beside the others.",
        "- [ ] The other steps of the run are as they were",
        GENERAL,
    ),
]
"""Tasks as people write them, with the notes that a careful reader would take along."""


@pytest.mark.parametrize(
    ("title", "what", "done", "files"), LABELLED, ids=[title for title, *_ in LABELLED]
)
def test_tasks_as_people_write_them_get_the_notes_that_a_reader_would_take(
    title: str, what: str, done: str, files: tuple[str, ...]
) -> None:
    assert (
        match(subject_of(title, task(title=title, what=what, done=done)), TASK_TYPES).files == files
    )


@pytest.mark.parametrize("path", sorted(EXAMPLE.rglob("tasks/*.md")), ids=lambda path: path.name)
def test_no_task_of_the_example_gets_more_than_two_notes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    title = text.partition("\n")[0].removeprefix("# Task: ")
    assert len(match(subject_of(title, text), TASK_TYPES).files) <= 2
