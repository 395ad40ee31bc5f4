"""A SKILL.md: what stands above the line, and the body that an agent reads."""

from __future__ import annotations

import re

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MOST_NAMES = 50
_FRONTMATTER = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.S | re.M)


class Skill(Record):
    name: str
    """The name of its folder: that is what a client calls it by."""
    source: str
    """Where it was found, in words."""
    path: str
    """The file, in full."""
    text: str
    about: Mapping[str, Any]
    """The frontmatter; empty where it is broken, as the clients have it."""
    body: str
    first_line: int
    """On which line of the file the body begins."""
    problem: str = ""
    """Why the frontmatter could not be read."""

    @property
    def folder(self) -> str:
        return self.path.replace("\\", "/").rpartition("/")[0]

    @property
    def description(self) -> str:
        """On one line."""
        return " ".join(str(self.about.get("description") or "").split())

    @property
    def names(self) -> tuple[str, ...]:
        """What its arguments are called, in order."""
        words = self.about.get("arguments")
        if isinstance(words, str):
            words = words.split()
        if not isinstance(words, list):
            return ()
        names: list[str] = []
        for word in words:
            # A number is a place among the arguments, and no name.
            if isinstance(word, str) and word.strip() and not word.isdigit():
                names.append(word)
        # More of them would be looked for in its text for too long.
        return tuple(names[:MOST_NAMES])


def split(text: str) -> tuple[str | None, str, int]:
    """The frontmatter as it is written (None where there is none), the body, and the line where
    that begins.
    """
    front = None
    rest = text
    match = _FRONTMATTER.match(text)
    if match:
        front = match[1]
        rest = text[match.end() :]

    body = rest.lstrip()
    above = text[: len(text) - len(body)]
    return front, body, above.count("\n") + 1
