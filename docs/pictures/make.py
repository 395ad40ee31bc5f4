"""Prints the picture of README: a terminal in which `dctx demo` ran, as SVG.

usage: python docs/pictures/make.py > docs/pictures/demo.svg
"""

from __future__ import annotations

import io
import os
import re
import sys
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from director_ctx import assemble, load_project
from director_ctx.clients.demo.example import make_example
from director_ctx.clients.demo.receiving import receive
from director_ctx.doors.cli.start.demo_beats import context_lines, receiving_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 80
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def picture() -> str:
    console = Console(
        record=True,
        width=WIDTH,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        highlight=False,
        legacy_windows=False,
    )
    for text, style in _lines():
        console.print(Text(text, style), soft_wrap=True)
    svg = console.export_svg(title="dctx demo", unique_id="demo")
    # The fonts would come from a server; a picture in a repository has to do without.
    return FONTS.sub("", svg) + "\n"


def _lines() -> Iterator[tuple[str, str]]:
    """The second and the third scene: what an agent is to get, and what it was sent."""
    yield "$ dctx demo", "bold"
    yield "...", "dim"
    with TemporaryDirectory() as folder:
        root = os.path.join(os.path.realpath(folder), "reading-list")
        make_example(root)
        context = assemble(load_project(root=root), "builder")
        yield from context_lines(context)
        yield "", ""
        # Drawn alike with and without Claude Code; a test holds that both are sent the same.
        received = receive(root).replace(by_client=True, why_not="")
        yield from receiving_lines(context, received)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(picture())
