"""Whether everybody can read a page, as axe-core judges it, and whether it is as wide as its window."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

CLIENTS = Path(os.environ.get("DCTX_CLIENTS") or ROOT / ".clients")
AXE = CLIENTS / "axe/node_modules/axe-core/axe.min.js"
ABSENT = "axe-core is not here: `make clients` fetches it; everything else was looked at"


@cache
def source() -> str:
    return AXE.read_text(encoding="utf-8")


def broken_rules(page: Any) -> list[tuple[str, list[str]]]:
    """Each rule with the elements that break it; none where there is no judge."""
    if not AXE.exists():
        return []
    page.evaluate(source())
    rules = page.evaluate("axe.run().then((result) => result.violations)")
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in rules]


def too_wide(page: Any) -> int:
    """Pixels that one would have to scroll sideways."""
    return max(0, int(page.evaluate("document.documentElement.scrollWidth - innerWidth")))


def skip_unless_judged() -> None:
    """The last line of a test, so that whoever has no judge is told that something is missing."""
    if not AXE.exists():
        pytest.skip(ABSENT)
