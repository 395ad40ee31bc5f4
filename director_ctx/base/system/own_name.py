"""How an agent can call this program: by its name where that is found, else by its place."""

from __future__ import annotations

import os
import sys

NAME = "dctx"
_FILE = f"{NAME}.exe" if sys.platform == "win32" else NAME
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/\\:._-+@")


def own_name() -> str:
    """As it can be typed into a shell that has the same PATH."""
    if any(
        _is_program(os.path.join(folder, _FILE))
        for folder in os.environ.get("PATH", "").split(os.pathsep)
    ):
        return NAME
    place = sys.argv[0] if sys.argv else ""
    if os.path.basename(place) == "__main__.py":
        return f"{_quoted(sys.executable)} -P -m director_ctx"
    return (
        _quoted(place)
        if os.path.basename(place) in (NAME, _FILE) and os.path.isabs(place)
        else NAME
    )


def section_command(agent: str, task: str, tag: str) -> str:
    """What prints one section of a context."""
    which = f" --task {task}" if task else ""
    return f"{own_name()} assemble {agent.replace(' ', '-')}{which} --only {tag}"


def _is_program(place: str) -> bool:
    return os.path.isabs(place) and os.path.isfile(place) and os.access(place, os.X_OK)


def _quoted(place: str) -> str:
    if _PLAIN.issuperset(place):
        return place
    if sys.platform == "win32":
        return f'"{place}"'
    from shlex import quote

    return quote(place)
