"""The threat model names tests that exist."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

TEXT = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)


@pytest.mark.parametrize(("path", "name"), NAMED, ids=lambda part: part)
def test_a_test_that_is_named_exists(path: str, name: str) -> None:
    source = (ROOT / path).read_text("utf-8")
    assert re.search(rf"^def {name}\(", source, re.MULTILINE)


def test_each_row_names_its_test() -> None:
    rows = [
        line
        for line in TEXT.splitlines()
        if line.startswith("| ") and not line.startswith("| attack ")
    ]
    without = [row for row in rows if "`tests/" not in row]
    assert len(rows) > 30 and without == []
