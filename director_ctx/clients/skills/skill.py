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
    called: str = ""
    """As the user named it: by its name, or by a path."""

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
        return self.every_name[:MOST_NAMES]

    @property
    def every_name(self) -> tuple[str, ...]:
        """With those that are too many to be looked for in its text."""
        given = self.about.get("arguments")
        words = (
            given.split() if isinstance(given, str) else given if isinstance(given, list) else []
        )
        return tuple(
            word for word in words if isinstance(word, str) and word.strip() and not word.isdigit()
        )


def split(text: str) -> tuple[str | None, str, int]:
    """The frontmatter as it is written (None where there is none), the body, and the line where
    that begins.
    """
    found = _FRONTMATTER.match(text)
    rest = text[found.end() :] if found else text
    body = rest.lstrip()
    return (found[1] if found else None), body, text[: len(text) - len(body)].count("\n") + 1
