"""How an agent can call this program: by its name where that is found, else by its place."""

from __future__ import annotations

import os
import sys

NAME = "dctx"
_FILE = f"{NAME}.exe" if sys.platform == "win32" else NAME
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/\\:._-+@")


def own_name() -> str:
    """As it can be typed into a shell that has the same PATH."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if _is_program(os.path.join(folder, _FILE)):
            return NAME
    # A program that has Python in it may have no arguments at all.
    place = next(iter(sys.argv), "")
    file = os.path.basename(place)
    if file == "__main__.py":
        return f"{_quoted(sys.executable)} -P -m director_ctx"
    if file in (NAME, _FILE) and os.path.isabs(place):
        return _quoted(place)
    return NAME


def section_command(agent: str, task: str, tag: str) -> str:
    """What prints one section of a context."""
    words = [own_name(), "assemble", agent.replace(" ", "-")]
    if task:
        words += ["--task", task]
    words += ["--only", tag]
    return " ".join(words)


def _is_program(place: str) -> bool:
    # A relative folder in PATH is another one for whoever stands elsewhere.
    if not os.path.isabs(place):
        return False
    return os.path.isfile(place) and os.access(place, os.X_OK)


def _quoted(place: str) -> str:
    if _PLAIN.issuperset(place):
        return place
    if sys.platform == "win32":
        return f'"{place}"'
    from shlex import quote

    return quote(place)
