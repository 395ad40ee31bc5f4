"""Whoever builds a wheel makes the manual page with it, of the tables of commands as they are then."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "share/man/man1/dctx.1"


class ManualPage(BuildHookInterface[Any]):
    """`dctx.1`, installed where `man` finds it beside the program."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        made = Path(self.root, "build", "dctx.1")
        made.parent.mkdir(exist_ok=True)
        made.write_text(_page(self.root), encoding="utf-8")
        build_data["shared_data"][str(made)] = PLACE


def _page(root: str) -> str:
    """Nothing but the standard library is there when it is imported, and it leaves no bytecode."""
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, root)
    try:
        from director_ctx.doors.cli.man import page
    finally:
        sys.path.remove(root)
        sys.dont_write_bytecode = bytecode
    return page()
