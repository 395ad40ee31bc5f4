"""A skill's body with what can be mended mended: injections in a form that Claude Code carries out."""

from __future__ import annotations

from director_ctx.clients.skills.command import NeedsShell, parse
from director_ctx.clients.skills.injections import ATTACHED, BLOCK, Injection, attached, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def mended(body: str, names: Sequence[str] = ()) -> str:
    """Only the characters of the injections change."""
    edits = [one for one in (*find(body), *attached(body)) if one.form != BLOCK]
    pieces, at = list[str](), 0
    for one in sorted(edits, key=lambda one: one.start):
        if one.start >= at:
            pieces += [body[at : one.start], _written(one, body, names)]
            at = one.end
    return "".join((*pieces, body[at:]))


def _written(one: Injection, body: str, names: Sequence[str]) -> str:
    before = body[one.start - 1 : one.start]
    apart = " " if one.form == ATTACHED or (before and not before.isspace()) else ""
    return f"{apart}!`{one.command}{_end(one.command, names)}`"


def _end(command: str, names: Sequence[str]) -> str:
    """What a `cat` lacks, so that a missing file does not end it, and with it the skill."""
    try:
        last = parse(command, names)[-1]
    except NeedsShell:
        return ""
    if last.words[0].pieces[0].text != "cat" or last.instead is not None or last.head is not None:
        return ""
    return " || true" if last.quiet else " 2>/dev/null || true"
