"""The user's clipboard, through whatever program this system has for it."""

from __future__ import annotations

import os
import shutil
import subprocess

from director_ctx.base.errors import DctxError

PROGRAMS = (
    ("pbcopy",),
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
    ("clip.exe",),
    ("clip",),
    ("termux-clipboard-set",),
)


def copy(text: str) -> None:
    """Puts a text on the clipboard; DctxError where there is none."""
    for command in PROGRAMS:
        if shutil.which(command[0]) and _usable(command[0]):
            encoding = "utf-16" if command[0].startswith("clip") else "utf-8"
            done = subprocess.run(
                command,
                input=text.encode(encoding, "replace"),
                stdout=subprocess.DEVNULL,
                check=False,
            )
            if not done.returncode:
                return
    raise DctxError(
        "There is no clipboard to copy to.",
        "Install wl-copy, xclip or xsel, or write to a file with -o.",
    )


def _usable(program: str) -> bool:
    """X and Wayland programs need their display."""
    needs = {"wl-copy": "WAYLAND_DISPLAY", "xclip": "DISPLAY", "xsel": "DISPLAY"}.get(program)
    return needs is None or bool(os.environ.get(needs))
