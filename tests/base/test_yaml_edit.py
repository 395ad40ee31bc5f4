"""One value of a YAML text is changed, and every other character stays as somebody wrote it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from director_ctx.base.errors import DctxError
from director_ctx.base.system.yaml_edit import value_at, with_value, without_value, written
from director_ctx.base.system.yaml_file import parse_yaml

MAPPED = ("hooks", "agents", "general-purpose")
FULL = """\
# What we agreed on.
budget: 25%   # of Opus

hooks:   # who gets what
  agents:
    planner: planner  # ours
  # sessions are told
  session: true

model: opus # the last line"""


def mapped(text: str) -> str:
    return with_value(text, "dctx.yaml", MAPPED, "builder")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "hooks:\n  agents:\n    general-purpose: builder\n"),
        ("# mine\n", "# mine\nhooks:\n  agents:\n    general-purpose: builder\n"),
        ("model: x", "model: x\nhooks:\n  agents:\n    general-purpose: builder\n"),
        ("hooks: # why\n", "hooks: # why\n  agents:\n    general-purpose: builder\n"),
        (
            "hooks:\n    warn: 5 # low\n\n# end\n",
            "hooks:\n    warn: 5 # low\n    agents:\n      general-purpose: builder\n\n# end\n",
        ),
        ("hooks: {agents: {a: b}}\n", "hooks: {agents: {a: b, general-purpose: builder}}\n"),
        ("hooks: {}\n", "hooks: {agents: {general-purpose: builder}}\n"),
        (
            "hooks:\r\n  warn: 5\r\nmodel: x\r\n",
            "hooks:\r\n  warn: 5\r\n  agents:\r\n    general-purpose: builder\r\nmodel: x\r\n",
        ),
        (
            "hooks: {agents: {general-purpose: none}} # no\n",
            "hooks: {agents: {general-purpose: builder}} # no\n",
        ),
        (
            "hooks:\n  agents:\n    general-purpose:\n",
            "hooks:\n  agents:\n    general-purpose: builder\n",
        ),
        ("model: |\n  a\n", "model: |\n  a\nhooks:\n  agents:\n    general-purpose: builder\n"),
    ],
)
def test_a_value_is_put_where_it_belongs_and_nothing_else_moves(before: str, after: str) -> None:
    assert mapped(before) == after


def test_comments_blank_lines_and_the_order_of_keys_stay() -> None:
    after = mapped(FULL)
    assert [
        line for line in after.splitlines() if "general-purpose" not in line
    ] == FULL.splitlines()
    assert after.splitlines()[6] == "    general-purpose: builder"


def test_what_was_put_in_is_taken_out_again_to_the_byte() -> None:
    for text in ("", "# mine\n", FULL, "hooks: {agents: {a: b}, session: true}\n", "model: x\r\n"):
        assert without_value(mapped(text), "dctx.yaml", MAPPED) == text


def test_a_list_takes_the_place_of_a_list() -> None:
    text = (
        "profiles:\n  builder:\n    sections:\n      - a # x\n      - b\n    # c\n    purpose: p\n"
    )
    keys = ("profiles", "builder", "sections")
    after = with_value(text, "dctx.yaml", keys, ["vision", "task"])
    assert value_at(after, "dctx.yaml", keys) == ["vision", "task"]
    assert after.endswith("    # c\n    purpose: p\n")


def test_a_text_that_cannot_be_changed_safely_is_refused_with_a_way_out() -> None:
    with pytest.raises(DctxError, match="written in a way") as caught:
        mapped("hooks: null\n")
    assert "dctx config show" in caught.value.hint
    with pytest.raises(DctxError, match="written in a way"):
        mapped("---\n...\n")


def test_a_text_that_is_no_yaml_is_refused() -> None:
    with pytest.raises(DctxError, match="not valid YAML"):
        mapped("hooks: [\n")


NAMES = st.text("abz-:0 #'\"{}[],%&*!|>é", min_size=1, max_size=8)
VALUES = st.one_of(NAMES, st.booleans(), st.integers(0, 10**9), st.lists(NAMES, max_size=3))


@settings(max_examples=50)
@given(
    st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=3), max_size=3),
    NAMES,
    NAMES,
    VALUES,
)
def test_whatever_is_written_is_read_as_it_was_meant(
    data: dict[str, dict[str, Any]], table: str, name: str, value: Any
) -> None:
    lines = ["# mine"]
    for key, row in data.items():
        lines.append(f"{written(key)}: # of {len(row)}")
        lines += [f"  {written(inner)}: {written(item)}  # mine" for inner, item in row.items()]
    text = "\n".join(lines) + "\n"
    assume(all(data.values()))
    after = with_value(text, "dctx.yaml", (table, name), value)
    wanted = {**data, table: {**data.get(table, {}), name: value}}
    assert parse_yaml(after, "dctx.yaml") == wanted
    assert after.count("# mine") >= text.count("# mine") - 1
