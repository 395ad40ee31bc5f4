"""Prints a picture of a terminal as SVG: what dctx shows on the bundled example.

usage: python docs/pictures/make.py NAME > docs/pictures/NAME.svg
"""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from director_ctx import assemble, load_project
from director_ctx.clients.demo.example import NAME, make_example
from director_ctx.clients.demo.receiving import receive
from director_ctx.doors.cli.start.demo_beats import context_lines, receiving_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDTH = 80
DEMO = "demo"
COMMANDS = {"status": ("status",)}
"""Pictures of what a command prints at a terminal, by their names."""
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def picture(name: str) -> str:
    with TemporaryDirectory() as folder:
        root = os.path.join(os.path.realpath(folder), NAME)
        make_example(root)
        if name == DEMO:
            return drawn("dctx demo", demo_lines(root))
        words = COMMANDS[name]
        title = f"dctx {' '.join(words)}"
        return drawn(title, [Text(f"$ {title}", "bold"), *printed(root, words)])


def demo_lines(root: str) -> list[Text]:
    """The second and the third scene: what an agent is to get, and what it was sent."""
    context = assemble(load_project(root=root), "builder")
    # Drawn alike with and without Claude Code; a test holds that both are sent the same.
    received = receive(root).replace(by_client=True, why_not="")

    lines = [("$ dctx demo", "bold"), ("...", "dim")]
    lines += context_lines(context)
    lines.append(("", ""))
    lines += receiving_lines(context, received)
    return [Text(text, style) for text, style in lines]


def printed(root: str, words: Iterable[str]) -> list[Text]:
    """What a command shows where somebody looks on."""
    reader, writer = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "director_ctx", *words],
        cwd=root,
        stdout=writer,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": str(WIDTH), "TERM": "xterm-256color", "DCTX_RECORD": "off"},
    )
    os.close(writer)
    seen = b""
    try:
        while chunk := os.read(reader, 65536):
            seen += chunk
    except OSError:
        pass  # Linux ends a terminal with an error
    os.close(reader)
    child.wait()
    text = Text.from_ansi(seen.decode().replace("\r\n", "\n"))
    return list(text.split("\n"))


def drawn(title: str, lines: Iterable[Text]) -> str:
    console = Console(
        record=True,
        width=WIDTH,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        highlight=False,
        legacy_windows=False,
    )
    for line in lines:
        console.print(line, overflow="fold")
    svg = console.export_svg(title=title, unique_id="dctx")
    # The fonts would come from a server; a picture in a repository has to do without.
    return FONTS.sub("", svg) + "\n"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(picture(sys.argv[1]))
