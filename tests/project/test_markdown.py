"""Headings outside fences and comments, and sections; markdown-it-py is the judge."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from director_ctx.project.reading.markdown import first_heading, headings, section, without_comments

JUDGE = MarkdownIt("commonmark")
DOCUMENTS = sorted([*(ROOT / "examples").rglob("*.md"), *(ROOT / "templates").rglob("*.md")])


def ours(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in headings(text)]


def judged(text: str) -> list[tuple[int, str]]:
    """Top-level ATX headings by markdown-it-py; underlined ones are outside what the module reads."""
    tokens = JUDGE.parse(text)
    return [
        (int(token.tag[1:]), inline.content)
        for token, inline in zip(tokens, tokens[1:], strict=False)
        if token.type == "heading_open" and token.level == 0 and token.markup.startswith("#")
    ]


# Headings


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("## Title ##", "Title"),
        ("## Title #########", "Title"),
        ("## Title ##   ", "Title"),
        ("## Title#", "Title#"),
        ("## C# and F#", "C# and F#"),
        ("## Title \\##", "Title \\##"),
        ("##   spaced   out  ", "spaced   out"),
        ("##\ttabbed", "tabbed"),
        ("##", ""),
        ("## ##", ""),
        ("## `code` and **bold**", "`code` and **bold**"),
        ("## -- dash \u2014 ünïcode", "-- dash \u2014 ünïcode"),
    ],
)
def test_a_title_is_what_stands_between_the_opening_and_the_closing_hashes(
    line: str, title: str
) -> None:
    assert ours(line + "\n") == [(2, title)] == judged(line + "\n")


@pytest.mark.parametrize(
    "line", ["- # in a list", "> # in a quote", "1. # in a numbered list", "  # indented by two"]
)
def test_a_heading_counts_only_at_the_start_of_a_line(line: str) -> None:
    assert ours(f"{line}\n# Real\n") == [(1, "Real")]


def test_a_heading_knows_where_its_line_and_its_body_begin() -> None:
    text = "intro\n\n# One\nbody\n## Two\nlast\n# End"
    marks = headings(text)
    assert [(mark.line, text[mark.start :].split("\n", 1)[0]) for mark in marks] == [
        (3, "# One"),
        (5, "## Two"),
        (7, "# End"),
    ]
    assert [text[mark.body :].split("\n", 1)[0] for mark in marks] == ["body", "last", ""]


@pytest.mark.parametrize("separator", ["\u2028", "\x0b", "\x0c", "\x85"])
def test_only_a_newline_ends_a_line(separator: str) -> None:
    assert ours(f"# One{separator}# Two\n") == [(1, f"One{separator}# Two")]


@pytest.mark.parametrize(
    "hidden",
    [
        # What only looks like a heading.
        "####### Seven",
        "#NoSpace",
        "#5 is a number",
        "\\# Escaped",
        "text # not",
        "    # code",
        # Fences.
        "```\n# no\n```",
        "~~~\n# no\n~~~",
        "```python title=x\n# no\n```",
        "~~~ a `b` ~ c\n# no\n~~~",
        "````\n```\n# no\n```\n# no\n````",
        "~~~~~\n~~~\n# no\n~~~~~",
        "```\n~~~\n# no\n```",
        "```\n# no\n``````",
        "```\n# no\n```   ",
        "```\n``` not closing\n# no\n```",
        "  ```\n# no\n  ```",
        "- ```\n  # no\n  ```",
        "- text\n  ```\n  # no\n  ```",
        "* text\n\n  ~~~~\n  # no\n  ~~~~",
        "12. ```sh\n    # no\n    ```",
        "3) ```sh\n   # no\n   ```",
        "> ```\n> # no\n> ```",
        "> > ~~~\n> > # no\n> > ~~~",
        "> - ```\n>   # no\n>   ```",
        # Code that is shown inside a fence does not close it.
        "```markdown\n1. Item:\n\n    ```bash\n    # no\n    ```\n```",
        "```markdown\n> ```\n> # no\n> ```\n> ```\n```",
        "```markdown\n\t```\n```",
        # A fence that is left open ends with its list or quote.
        "- ```\n  # no",
        "> ```\n> # no",
        "1. text\n   ~~~\n   # no",
        "- > ```\n  > # no\n  > ```",
        "- - ```\n    # no\n    ```",
        # What opens no fence.
        "Write this:\n\n    ```",
        "``` a `b` ```",
        "```inline``` text",
        "``",
        "`# x`",
        "text ```",
        "~~ x",
        # Comments, with their first and their last line.
        "<!-- # no -->",
        "<!--\n# no\n-->",
        "<!-- a\n\n# no\n\nb --> # no",
        "<!-- ``` -->",
        "<!--\n~~~\n# no\n-->",
        "<!---->",
        "<!--\n# no -->",
        "<!-- ```\n# no\n-->",
        "<!-- ~~~\n\n# no\n-->",
        # They begin only at the start of a line outside fences.
        "```\n<!--\n```",
        "some words <!--",
        "`<!--`",
    ],
)
def test_what_hides_a_heading_hides_nothing_behind_it(hidden: str) -> None:
    text = f"# Before\n\n{hidden}\n\n## After\n"
    assert ours(text) == [(1, "Before"), (2, "After")] == judged(text)


@pytest.mark.parametrize(
    "opening", ["```", "~~~", "`````\n```", "```\n~~~", "~~~~\n~~~", "<!-- open"]
)
def test_a_fence_or_a_comment_that_nothing_closes_lasts_to_the_end(opening: str) -> None:
    text = f"# Before\n{opening}\n# no\n\n## no\n"
    assert ours(text) == [(1, "Before")] == judged(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <!-- b --> c", "a  c"),
        ("a <!-- b\nc --> d <!-- e --> f", "a  d  f"),
        ("a <!-- b --> c <!-- open", "a  c <!-- open"),
        ("--> a", "--> a"),
        ("<!-- <!-- -->", ""),
    ],
)
def test_closed_comments_are_removed_and_an_open_one_stays(text: str, left: str) -> None:
    assert without_comments(text) == left


# Sections

DOCUMENT = """# Step 1: A

intro

## Tasks

- [ ] Task 1

### Inside

```md
## Not the end
```

## Decisions

### Locked
- x

# Another
"""


def test_a_section_lasts_until_the_next_heading_of_its_level_or_above() -> None:
    assert section(DOCUMENT, "tasks") == "- [ ] Task 1\n\n### Inside\n\n```md\n## Not the end\n```"
    assert section(DOCUMENT, "decisions") == "### Locked\n- x"


def test_a_section_that_is_not_there_is_none_and_an_empty_one_is_empty() -> None:
    assert section(DOCUMENT, "needs first") is None
    assert section("## Needs First\n## Other\n", "needs first") == ""
    assert section("## Needs First", "needs first") == ""


@pytest.mark.parametrize(
    "heading",
    [
        "## Needs First",
        "## needs first",
        "## NEEDS FIRST ##",
        "## Needs First:",
        "## Needs First (optional)",
        "## **Needs First**",
        "## _Needs First_",
        "##\tNeeds First -- what must exist",
    ],
)
def test_a_section_is_found_by_a_title_that_begins_with_its_name(heading: str) -> None:
    assert section(f"# T\n\n{heading}\nStep 1\n\n## Size\n", "needs first") == "Step 1"


@pytest.mark.parametrize(
    "heading",
    [
        "# Needs First",
        "### Needs First",
        "## Needs Firstly",
        "## What Needs First",
        "## Needs First2",
    ],
)
def test_another_title_or_another_level_is_another_section(heading: str) -> None:
    assert section(f"{heading}\nStep 1\n", "needs first") is None


@pytest.mark.parametrize(
    "hidden", ["```\n## Tasks\nno\n```", "<!--\n## Tasks\nno\n-->", "> ## Tasks\n> no"]
)
def test_a_section_in_a_fence_a_comment_or_a_quote_is_not_the_section(hidden: str) -> None:
    assert section(f"{hidden}\n\n## Tasks\nyes\n", "tasks") == "yes"


def test_of_two_sections_with_the_same_name_the_first_counts() -> None:
    assert section("## Tasks\none\n## Tasks\ntwo\n", "tasks") == "one"


def test_the_first_heading_is_the_first_of_level_one() -> None:
    assert first_heading("## Two\n\n```\n# code\n```\n# One\n# Three\n") == "One"
    assert first_heading("## Two\n") == ""


# Against markdown-it-py

_WORDS = st.sampled_from(
    [
        "word",
        "Task",
        "3",
        "#",
        "##",
        "`x`",
        "**b**",
        "a#",
        "\\#",
        "-->",
        "é",
        "```",
        "~~~",
        ":",
        "[x]",
    ]
)
_TITLE = st.lists(_WORDS, max_size=4).map(" ".join)
_HEADING = st.builds(
    "{}{}{}{}".format,
    st.integers(1, 7).map(lambda level: "#" * level),
    st.sampled_from([" ", "  ", "\t", ""]),
    _TITLE,
    st.sampled_from(["", " ", " #", " ###  ", "#"]),
)
_TEXT_LINE = st.lists(_WORDS, max_size=4).map(lambda words: " ".join(["Text", *words]))
_PARAGRAPH = st.lists(_TEXT_LINE, min_size=1, max_size=3).map("\n".join)
_CODE_LINE = st.sampled_from(
    [
        "    ```",
        "\t~~~",
        "> ```",
        "- ```",
        "1. ~~~",
        "# no",
        "## no",
        "",
        "text",
        "```",
        "~~~",
        "````",
        "``` x",
        "- item",
        "<!--",
        "-->",
        "> q",
    ]
)
_ITEM = st.sampled_from(
    [
        "- item",
        "* # no",
        "1. item",
        "12) item",
        "- a\n  # no",
        "- a\n  ```\n  code\n  ```",
        "- ~~~\n  code\n  ~~~",
        "> # no",
    ]
)
_LIST = st.lists(_ITEM, min_size=1, max_size=3).map("\n".join)
_COMMENT = st.lists(st.sampled_from(["text", "# no", "", "```", "~~~", "- item"]), max_size=3).map(
    lambda lines: "<!-- " + "\n".join(lines) + " -->"
)


@st.composite
def _fences(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from("`~")) * draw(st.integers(3, 5))
    info = draw(st.sampled_from(["", "python", " md title", "~"]))
    lines = draw(st.lists(_CODE_LINE, max_size=5))
    end = draw(st.sampled_from([mark, mark + mark[0], mark + "  ", "  " + mark, "", mark[:-1]]))
    return "\n".join([mark + info, *lines, end])


_BLOCKS = st.lists(
    st.tuples(
        st.one_of(
            _HEADING, _PARAGRAPH, _fences(), _LIST, _COMMENT, st.just("<!-- open"), st.just("")
        ),
        st.sampled_from(["\n", "\n\n", "\n\n\n"]),
    ),
    max_size=9,
).map(lambda blocks: "".join(block + gap for block, gap in blocks))


@settings(deadline=None)
@given(_BLOCKS)
@example("# One\n## Two\n")
@example("```\n```\n    ```\n  ```\n# \n")
def test_the_scanner_finds_what_markdown_it_finds(text: str) -> None:
    assert ours(text) == judged(text)


@given(st.text(alphabet="# \na`", max_size=60))
@example("# One\n# Two")
@example("\n#\n\n## Two\n")
def test_a_document_without_fences_is_read_as_one_with_a_fence_at_its_end(text: str) -> None:
    fenced = f"{text}\n```\n```\n"
    assert headings(fenced) == headings(f"{text}\n")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_scanner_agrees_with_markdown_it_on_every_shipped_document(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ours(text) == judged(text)
