"""The parts of a digest, and how they are read again: whose words stand in the text of one."""

from __future__ import annotations

import re

from director_ctx.history.handover.handover import ASKED, WISHES
from director_ctx.history.messages.quoted import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


SAID = "## What the user said"
DONE = "## Said and done, in order (a number alone is what a tool answered)"
FILES = "## Lines of files and pages (their blocks behind each name)"
ELSEWHERE = "## Not quoted here, by the numbers of the blocks"
AMONG = "(The next {} stood among them and stayed whole; the newest follow.)"
HEADINGS = (SAID, DONE, FILES, ELSEWHERE)
"""What stands above the parts of a digest that follow its hand-over."""
_USERS = (SAID, f"## {ASKED}", f"## {WISHES}")
"""Only below these is anything the user's."""
_HANDED_OVER = "- "
"""How a line of a hand-over begins, and no other: those have a mark or a number."""
_QUOTED = re.compile(r"(?:#\d+)?(?: [\w.-]{1,40})?" + MARK)
_NUMBERS = re.compile(r": [\d -]+$")
"""What stands behind the name of a file."""


def users_words(digest: str) -> str:
    """What the user said, of the text of a digest; every line of anybody stands behind a mark, so
    none is a heading.
    """
    users_lines: list[str] = []
    for words, is_users in quotes(digest):
        if is_users:
            users_lines.append(words)
    return "\n".join(users_lines)


def others_words(digest: str) -> str:
    """Everything else that is quoted in it, and the files that it names."""
    others_lines: list[str] = []
    for words, is_users in quotes(digest):
        if not is_users:
            others_lines.append(words)
    return "\n".join(others_lines)


def quotes(digest: str) -> Iterator[tuple[str, bool]]:
    """Every line that is quoted in the text of a digest, and every file that is named, and whether
    it is the user's.
    """
    is_users_part = False
    for line in digest.split("\n"):
        mark = _QUOTED.match(line)
        numbers = _NUMBERS.search(line)
        if mark:
            yield line[mark.end() :], is_users_part
        elif line.startswith(_HANDED_OVER):
            yield line.removeprefix(_HANDED_OVER), is_users_part
        elif numbers:
            is_users_part = False
            yield line[: numbers.start()], False
        elif line:
            is_users_part = line in _USERS
