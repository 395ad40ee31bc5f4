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


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5, 6])
def test_headings_have_one_to_six_hashes(level: int) -> None:
    assert ours(f"{'#' * level} Title\n") == [(level, "Title")]


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
    "line",
    ["####### Seven", "#NoSpace", "#5 is a number", "\\# Escaped", "text # not", "    # code"],
)
def test_what_only_looks_like_a_heading_is_none(line: str) -> None:
    assert ours(line + "\n") == [] == judged(line + "\n")


@pytest.mark.parametrize(
    "line", ["- # in a list", "> # in a quote", "1. # in a numbered list", "  # indented by two"]
)
def test_a_heading_counts_only_at_the_start_of_a_line(line: str) -> None:
    assert ours(f"{line}\n# Real\n") == [(1, "Real")]


def test_a_heading_knows_where_its_line_and_its_body_begin() -> None:
    text = "intro\n\n# One\nbody\n## Two\nlast"
    marks = headings(text)
    assert [(mark.line, text[mark.start :].split("\n", 1)[0]) for mark in marks] == [
        (3, "# One"),
        (5, "## Two"),
    ]
    assert [text[mark.body :].split("\n", 1)[0] for mark in marks] == ["body", "last"]


@pytest.mark.parametrize("separator", ["\u2028", "\x0b", "\x0c", "\x85"])
def test_only_a_newline_ends_a_line(separator: str) -> None:
    assert ours(f"# One{separator}# Two\n") == [(1, f"One{separator}# Two")]


def test_a_text_without_a_final_newline_still_ends_with_its_heading() -> None:
    marks = headings("a\n# End")
    assert [(mark.title, mark.body) for mark in marks] == [("End", 7)]


# Fences


@pytest.mark.parametrize(
    "fenced",
    [
        "```\n# no\n```",
        "~~~\n# no\n~~~",
        "```python title=x\n# no\n```",
        "~~~ a `b` ~ c\n# no\n~~~",
        "````\n```\n# no\n```\n# no\n````",
        "~~~~~\n~~~\n# no\n~~~~~",
        "```\n~~~\n# no\n```",
        "~~~\n```\n# no\n~~~",
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
    ],
)
def test_headings_in_a_fence_are_code_and_those_after_it_count(fenced: str) -> None:
    text = f"# Before\n\n{fenced}\n\n## After\n"
    assert ours(text) == [(1, "Before"), (2, "After")] == judged(text)


@pytest.mark.parametrize("opening", ["```", "~~~", "`````\n```", "```\n~~~", "~~~~\n~~~"])
def test_a_fence_that_nothing_closes_lasts_to_the_end(opening: str) -> None:
    text = f"# Before\n{opening}\n# no\n\n## no\n"
    assert ours(text) == [(1, "Before")] == judged(text)


@pytest.mark.parametrize(
    "line", ["``` a `b` ```", "```inline``` text", "``", "`# x`", "text ```", "~~ x"]
)
def test_backticks_within_a_line_open_no_fence(line: str) -> None:
    text = f"{line}\n# After\n"
    assert ours(text) == [(1, "After")] == judged(text)


@pytest.mark.parametrize(
    "inner",
    ["1. Item:\n\n    ```bash\n    # no\n    ```", "> ```\n> # no\n> ```\n> ```", "\t```"],
    ids=["indented by four", "quoted", "tabbed"],
)
def test_code_shown_inside_a_fence_does_not_close_it(inner: str) -> None:
    text = f"# Before\n\n```markdown\n{inner}\n```\n\n## After\n"
    assert judged(text) == [(1, "Before"), (2, "After")]
    assert ours(text) == judged(text)


@pytest.mark.parametrize(
    "container",
    [
        "- ```\n  # no",
        "> ```\n> # no",
        pytest.param(
            "1. text\n   ~~~\n   # no",
        ),
    ],
)
def test_a_fence_left_open_ends_with_its_list_or_quote(container: str) -> None:
    text = f"{container}\n\n## After\n"
    assert judged(text) == [(2, "After")]
    assert ours(text) == judged(text)


@pytest.mark.parametrize("container", ["- > ```\n  > # no\n  > ```", "- - ```\n    # no\n    ```"])
def test_a_fence_two_containers_deep_is_a_fence(container: str) -> None:
    text = f"{container}\n\n## After\n"
    assert judged(text) == [(2, "After")]
    assert ours(text) == judged(text)


def test_backticks_in_indented_code_open_no_fence() -> None:
    text = "Write this:\n\n    ```\n\n## After\n"
    assert judged(text) == [(2, "After")]
    assert ours(text) == judged(text)


# Comments


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- # no -->",
        "<!--\n# no\n-->",
        "<!-- a\n\n# no\n\nb --> # no",
        "<!-- ``` -->",
        "<!--\n~~~\n# no\n-->",
        "<!---->",
    ],
)
def test_headings_in_a_comment_do_not_count(comment: str) -> None:
    text = f"# Before\n{comment}\n## After\n"
    assert ours(text) == [(1, "Before"), (2, "After")] == judged(text)


@pytest.mark.parametrize(
    "comment", ["<!--\n# no -->", "<!-- ```\n# no\n-->", "<!-- ~~~\n\n# no\n-->"]
)
def test_the_first_and_the_last_line_of_a_comment_are_comment(comment: str) -> None:
    text = f"# Before\n{comment}\n## After\n"
    assert judged(text) == [(1, "Before"), (2, "After")]
    assert ours(text) == judged(text)


def test_a_comment_that_nothing_closes_lasts_to_the_end() -> None:
    text = "# Before\n<!-- open\n\n# no\n"
    assert ours(text) == [(1, "Before")] == judged(text)


@pytest.mark.parametrize(
    "text", ["```\n<!--\n```\n# After\n", "some words <!--\n# After\n", "`<!--`\n# After\n"]
)
def test_a_comment_begins_only_at_the_start_of_a_line_outside_fences(text: str) -> None:
    assert ours(text) == [(1, "After")] == judged(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <!-- b --> c", "a  c"),
        ("a <!-- b\nc --> d <!-- e --> f", "a  d  f"),
        ("a <!-- open", "a <!-- open"),
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


@settings(deadline=None)
@given(_BLOCKS)
def test_a_heading_s_offsets_and_line_point_to_its_own_line(text: str) -> None:
    for mark in headings(text):
        line = text[mark.start : mark.body]
        assert line.startswith("#" * mark.level) and mark.title in line
        assert "\n" not in line.removesuffix("\n")
        assert text.count("\n", 0, mark.start) + 1 == mark.line


@given(st.text(alphabet="# \na`", max_size=60))
@example("# One\n# Two")
@example("\n#\n\n## Two\n")
def test_a_document_without_fences_is_read_as_one_with_a_fence_at_its_end(text: str) -> None:
    fenced = f"{text}\n```\n```\n"
    assert headings(fenced) == headings(f"{text}\n")


@settings(deadline=None)
@given(_BLOCKS, _BLOCKS)
def test_a_section_is_cut_where_markdown_it_sees_the_next_heading(before: str, body: str) -> None:
    """Whatever stands in a document, its own headings of level one and two never come out in a
    section's body.
    """
    text = f"{before}\n## Wanted\n{body}"
    found = section(text, "wanted")
    if found is not None:
        assert all(level > 2 for level, _ in judged(found))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_scanner_agrees_with_markdown_it_on_every_shipped_document(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ours(text) == judged(text)
