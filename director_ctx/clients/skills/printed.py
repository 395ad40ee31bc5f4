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
    if characters(text) <= MOST:
        return text
    kept = text[: MOST - 100]
    while characters(kept) > MOST - 100:
        kept = kept[: len(kept) - (characters(kept) - (MOST - 100) + 1) // 2 - 1]
    kept = kept[: kept.rfind("\n") + 1] or kept + "\n"
    return f"{kept}(cut here: {characters(text):,} characters, and a client shows {MOST:,})"


def note(command: str, why: str) -> str:
    """What stands where a command gave nothing, written so that nobody who reads it carries it out."""
    text = f"(not available: {' '.join(command.split())[:200]}: {' '.join(why.split())[:300]})"
    return harmless(text.replace("`", "'"), False)


def spliced(
    body: str, values: Values, injections: Sequence[Injection], outputs: Sequence[str]
) -> str:
    """The text as an agent reads it. Arguments that nobody asked for stand at its end."""
    pieces, at = list[str](), 0
    for one, output in zip(injections, outputs, strict=True):
        pieces += [fill(body[at : one.start], values), output]
        at = one.end
    pieces.append(fill(body[at:], values))
    if values.text and not answers(body, values):
        pieces.append(f"\n\nARGUMENTS: {defused(values.text)}")
    return "".join(pieces)
