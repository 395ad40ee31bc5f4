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

_OF_WINDOWS = ("clip.exe", "clip")
_DISPLAYS = {"wl-copy": "WAYLAND_DISPLAY", "xclip": "DISPLAY", "xsel": "DISPLAY"}


def copy(text: str) -> None:
    """Puts a text on the clipboard; DctxError where there is none."""
    for command in PROGRAMS:
        program = command[0]
        if not shutil.which(program) or not _has_display(program):
            continue
        encoding = "utf-8"
        if program in _OF_WINDOWS:
            encoding = "utf-16"
        done = subprocess.run(
            command,
            input=text.encode(encoding, "replace"),
            stdout=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode == 0:
            return
    raise DctxError(
        "There is no clipboard to copy to.",
        "Install wl-copy, xclip or xsel, or write to a file with -o.",
    )


def _has_display(program: str) -> bool:
    """X and Wayland programs need their display."""
    variable = _DISPLAYS.get(program)
    if variable is None:
        return True
    return bool(os.environ.get(variable))
