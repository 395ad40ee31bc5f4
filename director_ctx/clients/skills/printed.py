"""What commands printed, made unable to forge anything, and put into a skill's body."""

from __future__ import annotations

import re

from director_ctx.base.escape import escape_end, escape_tags
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
_TERMINAL = re.compile(r"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|\[[0-?]*[ -/]*[@-~]?|[ -/]*[0-~]?)")


def printed(text: str) -> str:
    """The whole output of a command, as it stands in the text."""
    clean = re.sub(r"\A(?:[^\S\n]*\n)+", "", clear(text)).rstrip()
    return shortened(clean) or NOTHING


def harmless(text: str, ours: bool) -> str:
    """The tags in a context of our own making are real; all others lose their bracket.

    So does one that only begins at the end: what comes next, of another command, could be the rest
    of it.
    """
    return text if ours else escape_tags(escape_end(clear(text)))[0]


def clear(text: str) -> str:
    """Without what moves a terminal's cursor or colours it."""
    return cleaned(_TERMINAL.sub("", text))


def shortened(text: str) -> str:
    """Cut at the end of a line, with a word about it."""
    size = characters(text)
    if size <= MOST:
        return text

    room = MOST - 100
    kept = text[:room]
    # A character may count as two, so it can still be too much.
    while characters(kept) > room:
        over = characters(kept) - room
        cut = (over + 1) // 2 + 1
        kept = kept[: len(kept) - cut]
    whole_lines = kept[: kept.rfind("\n") + 1]
    kept = whole_lines or kept + "\n"
    return f"{kept}(cut here: {size:,} characters, and a client shows {MOST:,})"


def note(command: str, why: str) -> str:
    """What stands where a command gave nothing, written so that nobody who reads it carries it out."""
    short_command = " ".join(command.split())[:200]
    short_why = " ".join(why.split())[:300]
    text = f"(not available: {short_command}: {short_why})"
    return harmless(text.replace("`", "'"), False)


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
    pieces.append(fill(body[at:], values))

    if values.text and not answers(body, values):
        pieces.append(f"\n\nARGUMENTS: {defused(values.text)}")
    return "".join(pieces)
