"""`dctx add idea`: written down, and IDEAS.md as it was around that."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, write
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx import load_project
from director_ctx.upkeep.add import add_idea
from director_ctx.upkeep.idea_list import EMPTY, ideas, without_idea
from director_ctx.upkeep.records.source import parse_source

Run = Callable[..., Result]
NOW = "2026-03-04 05:06"
HEAD = "# Ideas\n\n_Captured ideas wait here._\n\n"
OLD = "- **[2026-02-16 22:01]** -- Send it by mail\n- **[2026-01-02 10:00]** -- A dark mode\n  for the night\n"
STAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")


def file(root: Path) -> bytes:
    return (root / ".director" / "IDEAS.md").read_bytes()


def texts(root: Path) -> list[str]:
    return [idea.text for idea in ideas(load_project(root=str(root)).text(".director/IDEAS.md"))]


def take_out(data: bytes, number: int) -> bytes:
    """As it is done with an idea that left the plan of another tool."""
    source = parse_source(data)
    assert source
    return source.edited(without_idea(source, ideas(source.text)[number - 1])).data()


# Read


@pytest.mark.parametrize(
    ("entry", "when", "text"),
    [
        ("- **[2026-02-16 22:01]** -- text", "2026-02-16 22:01", "text"),
        ("- **2026-02-16 22:01** -- text", "2026-02-16 22:01", "text"),
        ("- **[2026-02-16]** -- text", "2026-02-16", "text"),
        ("- **[2026-02-16T22:01]** - text", "2026-02-16T22:01", "text"),
        ("* **[2026-02-16 22:01]** \u2014 text", "2026-02-16 22:01", "text"),
        ("- **[2026-02-16 22:01]** \u2013 text", "2026-02-16 22:01", "text"),
        ("- **[2026-02-16 22:01]** text", "2026-02-16 22:01", "text"),
        ("- **[2026-02-16 22:01]** -- -- text", "2026-02-16 22:01", "-- text"),
        ("- **[2026-02-16 22:01]** --", "2026-02-16 22:01", ""),
        ("- **[2026-02-16 22:01]** --\n  below", "2026-02-16 22:01", "below"),
    ],
)
def test_entries_are_read_with_and_without_brackets_and_whatever_their_dash(
    entry: str, when: str, text: str
) -> None:
    assert [(idea.when, idea.text) for idea in ideas(f"{HEAD}{entry}\n")] == [(when, text)]


@pytest.mark.parametrize(
    "line", ["- text", "- **bold** -- text", "- [2026-02-16 22:01] text", "  - **[2026-02-16]** x"]
)
def test_what_has_no_time_is_no_entry(line: str) -> None:
    assert ideas(f"{HEAD}{line}\n") == []


def test_an_entry_goes_on_to_the_next_one_or_the_next_heading() -> None:
    text = (
        f"{HEAD}- **[2026-01-03]** -- a\nmore\n\n  indented\n\n- a list\n\n- **2026-01-02** -- "
        "b\n\n## Old\n\nWords.\n"
    )
    found = ideas(text)
    assert [(one.number, one.text) for one in found] == [
        (1, "a\nmore\n\nindented\n\n- a list"),
        (2, "b"),
    ]
    assert [(one.line, one.last) for one in found] == [(5, 10), (12, 12)]


@pytest.mark.parametrize("text", ["", "\n", HEAD, EMPTY, "# Ideas"])
def test_a_file_without_entries_has_none(text: str) -> None:
    assert ideas(text) == []


@pytest.mark.parametrize("form", ["```\n{}\n```", "<!--\n{}\n-->"])
def test_an_example_is_no_entry(form: str) -> None:
    assert ideas(HEAD + form.format("- **[2026-02-16 22:01]** -- an example")) == []


# Added


def test_an_idea_is_written_down_before_all_others_and_shown(dctx: Run, tmp_path: Path) -> None:
    root = write(tmp_path, {"IDEAS.md": HEAD + OLD})
    result = dctx("add", "idea", "Read it aloud", cwd=root)
    assert (result.code, result.err) == (0, "")
    assert re.fullmatch(
        rf"Written down in .director/IDEAS.md:\n{STAMP.pattern}  Read it aloud\n", result.out
    )
    stamp = STAMP.findall(result.out)[0]
    assert file(root).decode() == f"{HEAD}- **[{stamp}]** -- Read it aloud\n{OLD}"
    found = json.loads(dctx("add", "idea", "Another", "--json", cwd=root).out)
    assert found["text"] == "Another" and STAMP.fullmatch(found["when"])
    assert texts(root) == [
        "Another",
        "Read it aloud",
        "Send it by mail",
        "A dark mode\nfor the night",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "- **[{now}]** -- New\n"),
        ("# Ideas\n", "# Ideas\n\n- **[{now}]** -- New\n"),
        ("# Ideas", "# Ideas\n\n- **[{now}]** -- New"),
        (
            "# Ideas\n\n_Captured ideas._\n",
            "# Ideas\n\n_Captured ideas._\n\n- **[{now}]** -- New\n",
        ),
        (
            "# Ideas\n\n_Captured ideas._\n\n## Old\n",
            "# Ideas\n\n_Captured ideas._\n\n- **[{now}]** -- New\n\n## Old\n",
        ),
        (
            "# Ideas\n\n- **2026-01-02** -- a\n\n- **2026-01-01** -- b\n",
            "# Ideas\n\n- **[{now}]** -- New\n\n- **2026-01-02** -- a\n\n- **2026-01-01** -- b\n",
        ),
        (
            "# Ideas\r\n\r\n_Captured ideas._\r\n",
            "# Ideas\r\n\r\n_Captured ideas._\r\n\r\n- **[{now}]** -- New\r\n",
        ),
        (
            "\ufeff# Ideas\r\r- **2026-01-02** -- a",
            "\ufeff# Ideas\r\r- **[{now}]** -- New\r- **2026-01-02** -- a",
        ),
    ],
)
def test_an_idea_finds_its_place_and_line_ends_and_blank_lines_stay(
    tmp_path: Path, before: str, after: str
) -> None:
    root = write(tmp_path, {"IDEAS.md": before})
    idea = add_idea(str(root), "New", NOW)
    assert (idea.number, idea.when, idea.text) == (1, NOW, "New")
    assert file(root).decode() == after.format(now=NOW)


def test_a_file_that_is_missing_is_made_like_a_new_project_s(dctx: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "one", {})
    add_idea(str(root), "New", NOW)
    other = tmp_path / "two"
    other.mkdir()
    dctx("init", "--root", ".", cwd=other)
    add_idea(str(other), "New", NOW)
    assert file(root) == file(other) == f"{EMPTY}\n- **[{NOW}]** -- New\n".encode()


def test_further_lines_are_indented_and_read_back_as_they_were(tmp_path: Path) -> None:
    root = write(tmp_path, {"IDEAS.md": HEAD})
    text = "One\n\n  two, indented\n\tthree"
    assert add_idea(str(root), f"\n {text}\n\n", NOW).text == text
    assert (
        file(root).decode()
        == f"{HEAD[:-1]}\n- **[{NOW}]** -- One\n\n    two, indented\n  \tthree\n\n"
    )
    assert texts(root) == [text]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "text",
    [
        "x\n- **[2020-01-01 00:00]** -- fake",
        "- **[2020-01-01 00:00]** -- fake",
        "x\n# Heading\n## Another\nrest",
        "x\n```\ncode\n# comment",
        "x\n<!--",
        "-- x",
        "\u2014 x",
        "**x**",
        "_Captured ideas_",
    ],
)
def test_an_idea_that_looks_like_something_else_stays_one_idea(
    tmp_path: Path, text: str, end: str
) -> None:
    root = write(tmp_path, {"IDEAS.md": (HEAD + OLD).replace("\n", end)})
    before = texts(root)
    assert add_idea(str(root), text, NOW).text == text
    assert texts(root) == [text, *before]
    assert add_idea(str(root), "next", NOW).number == 1
    assert texts(root) == ["next", text, *before]


@pytest.mark.parametrize("mine", ["Mine.\n", "- a dark mode\n- send it by mail\n", "| a | b |\n"])
def test_what_stands_in_the_file_without_a_time_does_not_become_part_of_the_idea(
    tmp_path: Path, mine: str
) -> None:
    """Else taking the idea out takes the user's own list out as well."""
    root = write(tmp_path, {"IDEAS.md": HEAD + mine})
    assert add_idea(str(root), "New", NOW).text == "New"
    assert take_out(file(root), 1).decode().strip() == (HEAD + mine).strip()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("text", ["x\r- **[2020-01-01 00:00]** -- fake", "x\r# Heading", "x\r\ny"])
def test_a_carriage_return_does_not_end_an_idea(tmp_path: Path, text: str, end: str) -> None:
    """That is what a terminal or a paste from an old editor may hold."""
    root = write(tmp_path, {"IDEAS.md": (HEAD + OLD).replace("\n", end)})
    add_idea(str(root), text, NOW)
    assert texts(root)[0] == text.replace("\r\n", "\n").replace("\r", "\n")
    assert b"\r\r" not in file(root)
    assert len(texts(root)) == 3


def test_bytes_that_are_no_utf_8_stay(tmp_path: Path) -> None:
    before = HEAD.encode() + b"- **[2026-01-02]** -- caf\xe9\n\xff\xfe\n"
    root = write(tmp_path, {"IDEAS.md": before})
    add_idea(str(root), "New \u00e9", NOW)
    assert file(root) == before.replace(b"- **", f"- **[{NOW}]** -- New \u00e9\n- **".encode(), 1)


@pytest.mark.parametrize("text", ["", "  ", "\n\n"])
def test_an_empty_idea_is_refused(dctx: Run, tmp_path: Path, text: str) -> None:
    root = write(tmp_path, {"IDEAS.md": HEAD})
    result = dctx("add", "idea", text, cwd=root)
    assert (result.code, result.out) == (2, "") and "The idea is empty." in result.err
    assert file(root).decode() == HEAD


def test_a_file_that_cannot_be_kept_whole_is_not_written(dctx: Run, tmp_path: Path) -> None:
    broken = ("\ufeff" + HEAD).encode("utf-16-le") + b"\0"
    root = write(tmp_path, {"IDEAS.md": broken})
    result = dctx("add", "idea", "New", cwd=root)
    assert (result.code, result.out) == (1, "")
    assert "Could not write .director/IDEAS.md" in result.err
    assert file(root) == broken


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_an_idea_that_cannot_be_written_is_not_said_to_be(
    dctx: Run, tmp_path: Path, kind: str
) -> None:
    root = write(tmp_path / "project", {"/../outside.md": HEAD})
    place = root / ".director" / "IDEAS.md"
    place.mkdir() if kind == "folder" else place.symlink_to(tmp_path / "outside.md")
    result = dctx("add", "idea", "New", cwd=root)
    assert (tmp_path / "outside.md").read_text() == HEAD
    assert (result.code, result.out) == (1, "")
    assert "Could not write .director/IDEAS.md" in result.err


# Taken out


@pytest.mark.parametrize(
    ("number", "after"),
    [
        (1, "# I\n\n- **[2026-01-02]** -- b\n  more\n\n- **2026-01-01** -- c\n\n## Mine\nWords.\n"),
        (2, "# I\n\n- **2026-01-03** -- a\n\n- **2026-01-01** -- c\n\n## Mine\nWords.\n"),
        (3, "# I\n\n- **2026-01-03** -- a\n\n- **[2026-01-02]** -- b\n  more\n\n## Mine\nWords.\n"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_around_what_is_taken_out_nothing_changes(number: int, after: str, end: str) -> None:
    before = (
        "# I\n\n- **2026-01-03** -- a\n\n- **[2026-01-02]** -- b\n  more\n\n- **2026-01-01** "
        "-- c\n\n## Mine\nWords.\n"
    )
    assert take_out(before.replace("\n", end).encode(), number) == after.replace("\n", end).encode()


# What holds for every idea


PRINTED = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), include_characters="\n\t")
IDEAS = st.text(PRINTED, max_size=80).map(
    lambda text: "\n".join(line.rstrip() for line in text.strip().split("\n"))
).filter(bool)  # fmt: skip


@settings(max_examples=60)
@given(
    IDEAS,
    st.sampled_from(
        [HEAD + OLD, HEAD + OLD.replace("\n- ", "\n\n- "), f"{HEAD}- **2026-01-01** -- a", HEAD]
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.binary(max_size=10).filter(lambda data: not data.strip(b"\x80\xe9\xffab \t")),
)
def test_an_idea_that_comes_and_goes_leaves_the_bytes_as_they_were(
    text: str, have: str, end: str, tail: bytes
) -> None:
    data = have.replace("\n", end).encode() + (tail if "**" in have else b"")
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), {"IDEAS.md": data})
        before = texts(root)
        assert add_idea(str(root), text, NOW).text == text
        assert texts(root) == [text, *before]
        assert take_out(file(root), 1) == data
