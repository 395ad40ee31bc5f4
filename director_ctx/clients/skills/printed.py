"""What commands printed, made unable to forge anything, and put into a skill's body."""

from __future__ import annotations

import re

from director_ctx.base.escape import escape_boundaries, escape_end
from director_ctx.base.text import characters, cleaned
from director_ctx.clients.skills.arguments import answers, defused, fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.skills.arguments import Values
    from director_ctx.clients.skills.injections import Injection


MOST = 30_000
"""Characters. Claude Code puts more than this into a file and shows the beginning."""
NOTHING = "(Bash completed with no output)"
"""The client's own words, so that both texts are the same."""
_BLANK_START = re.compile(r"\A(?:[^\S\n]*\n)+")
_TERMINAL = re.compile(r"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|\[[0-?]*[ -/]*[@-~]?|[ -/]*[0-~]?)")


def printed(text: str) -> str:
    """The whole output of a command, as it stands in the text."""
    without_blank_start = _BLANK_START.sub("", clear(text))
    clean = without_blank_start.rstrip()
    return shortened(clean) or NOTHING


def harmless(text: str, ours: bool) -> str:
    """The tags in a context of our own making are real; all others lose their bracket.

    So does one that only begins at the end: what comes next, of another command, could be the rest
    of it.
    """
    if ours:
        return text
    # A colour inside of a tag would hide it from whoever looks for tags.
    clean = clear(text)
    safe, _ = escape_boundaries(escape_end(clean))
    return safe


def clear(text: str) -> str:
    """Without what moves a terminal's cursor or colours it."""
    return cleaned(_TERMINAL.sub("", text))


def shortened(text: str) -> str:
    """Cut at the end of a line, with a word about it."""
    size = characters(text)
    if size <= MOST:
        return text

    room = MOST - 100
    start = text[:room]
    # A character may count as two, so it can still be too much.
    over = characters(start) - room
    while over > 0:
        cut = (over + 1) // 2 + 1
        start = start[: len(start) - cut]
        over = characters(start) - room

    end_of_lines = start.rfind("\n") + 1
    if end_of_lines:
        start = start[:end_of_lines]
    else:
        start += "\n"
    return f"{start}(cut here: {size:,} characters, and a client shows {MOST:,})"


def note(command: str, why: str) -> str:
    """What stands where a command gave nothing, written so that nobody who reads it carries it out."""
    short_command = " ".join(command.split())[:200]
    short_why = " ".join(why.split())[:300]
    text = f"(not available: {short_command}: {short_why})"
    without_backticks = text.replace("`", "'")
    return harmless(without_backticks, ours=False)


def spliced(
    body: str,
    values: Values,
    injections: Sequence[Injection],
    outputs: Sequence[str],
) -> str:
    """The text as an agent reads it. Arguments that nobody asked for stand at its end."""
    pieces: list[str] = []
    at = 0
    for injection, output in zip(injections, outputs, strict=True):
        before = body[at : injection.start]
        pieces.append(fill(before, values))
        pieces.append(output)
        at = injection.end
    rest = body[at:]
    pieces.append(fill(rest, values))

    if values.text and not answers(body, values):
        pieces.append(f"\n\nARGUMENTS: {defused(values.text)}")
    return "".join(pieces)
