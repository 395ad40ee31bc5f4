"""Finds what is shipped beside the code: inside the package in a wheel, at the top of the tree in a
checkout.
"""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def shipped(*parts: str) -> str:
    """The path of a shipped file or folder, such as `shipped("templates", "director")`."""
    inside = os.path.join(_PACKAGE, *parts)
    if os.path.exists(inside):
        return inside
    return os.path.join(os.path.dirname(_PACKAGE), *parts)


def read_shipped(*parts: str) -> str:
    """A shipped text. The last part may come from a project's settings: it is a plain file name or
    nothing.
    """
    name = parts[-1]
    if os.path.basename(name) != name:
        raise FileNotFoundError(name)
    with open(shipped(*parts), encoding="utf-8", newline="") as file:
        return file.read()
