"""JSON without the package `json`: the same values as with it, or no value in both."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from conftest import ROOT
from hypothesis import example, given
from hypothesis import strategies as st

from director_ctx.base.light_json import dump, parse

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
TEXTS = st.text(st.characters(exclude_categories=())) | st.text('\\"/\n\u2028\ud800é🚤')
VALUES = st.recursive(
    SCALARS | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=20
)
FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *'{}[]:,"\\-.eEu0 1\n\t',
            "null",
            "true",
            "fals",
            '"a"',
            "12",
            "\\ud83d",
            "NaN",
            "Infinity",
            "é",
        ]
    ),
    max_size=12,
).map("".join)


def by_the_package(text: str) -> Any:
    """Its value, by the letter of the standard: no NaN, and only its own four blanks around."""

    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(text.strip(" \t\n\r"), parse_constant=refuse)


def outcome(read: Any, text: str) -> tuple[str, Any]:
    try:
        return "value", repr(read(text))
    except (ValueError, RecursionError):
        return "none", None


@given(VALUES)
def test_what_is_written_is_read_again_and_is_json_to_others(value: Any) -> None:
    text = dump(value)
    assert text.isascii()
    assert "\n" not in text
    assert repr(parse(text)) == repr(json.loads(text)) == repr(value)


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_what_others_write_is_read(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert repr(parse(f" \r\n{text}\t")) == repr(value)


@given(FRAGMENTS)
@example("")
@example("[1,]")
@example('{"a":1,}')
@example('{"a" 1}')
@example("{1:2}")
@example("[1 2]")
@example('"open')
@example('"\\q"')
@example('"\n"')
@example("1 2")
@example("-")
@example("01")
@example("1.")
@example("NaN")
@example("-Infinity")
@example("[" * 200_000)
@example('{"a":' * 200_000)
@example("9" * 5_000)
@example("1e999")
@example("\ufeff1")
@example("\u00a01")
@example('{"a":1,"a":2}')
def test_any_text_is_what_it_is_to_the_package(text: str) -> None:
    assert outcome(parse, text) == outcome(by_the_package, text)


def test_a_mistake_is_a_value_error_where_the_package_was_never_loaded() -> None:
    """What is written in C asks the package for its exception."""
    wrong = [
        '[1, {"a"}',
        '"open',
        '"\\q"',
        "{1:2}",
        "[1 2]",
        "-",
        "",
        "{",
        '{"a":1 "b"}',
        '"\x01"',
        "9" * 5_000,
    ]
    script = (
        "import sys\n"
        "from director_ctx.base.light_json import parse\n"
        "assert 'json' not in sys.modules\n"
        f"for text in {wrong!r}:\n"
        "    sys.modules.pop('json.decoder', None)\n"
        "    try:\n"
        "        parse(text)\n"
        "    except ValueError:\n"
        "        continue\n"
        "    raise AssertionError(text)\n"
        "assert parse('[1]') == [1]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    "value", [float("inf"), float("-inf"), float("nan"), b"x", {1, 2}, object()]
)
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    for nested in (value, [value], {"a": value}):
        with pytest.raises(ValueError, match="is no JSON"):
            dump(nested)
