"""Mends what can be mended in a skill's body: commands that nobody carries out, and a `cat` that
would take the skill with it.
"""

from __future__ import annotations

from director_ctx.clients.skills.command import NeedsShell, parse
from director_ctx.clients.skills.injections import ATTACHED, BLOCK, Injection, attached, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def mended_body(body: str, names: Sequence[str] = ()) -> str:
    """Only the characters of the injections change."""
    injections = [*find(body), *attached(body)]
    pieces: list[str] = []
    at = 0
    for injection in sorted(injections, key=lambda injection: injection.start):
        # A fence runs as it is, and may hold more than one command.
        is_inside = injection.start < at
        if injection.form == BLOCK or is_inside:
            continue
        pieces.append(body[at : injection.start])
        pieces.append(_written(injection, body, names))
        at = injection.end
    pieces.append(body[at:])
    return "".join(pieces)


def _written(injection: Injection, body: str, names: Sequence[str]) -> str:
    before = body[injection.start - 1 : injection.start]
    is_against_a_word = bool(before) and not before.isspace()
    apart = ""
    if injection.form == ATTACHED or is_against_a_word:
        # Claude Code runs it only at the start of a line or after a blank.
        apart = " "
    end = _end(injection.command, names)
    return f"{apart}!`{injection.command}{end}`"


def _end(command: str, names: Sequence[str]) -> str:
    """What a `cat` lacks, so that a missing file does not end it, and with it the skill."""
    try:
        last = parse(command, names)[-1]
    except NeedsShell:
        return ""
    program = last.words[0].pieces[0].text
    # With `head` behind it, or an `||`, it ends well already.
    ends_well = last.instead is not None or last.head is not None
    if program != "cat" or ends_well:
        return ""
    if last.quiet:
        return " || true"
    return " 2>/dev/null || true"
