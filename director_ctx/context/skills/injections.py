"""Where a skill's body asks for the output of a command, in every form that is seen in the wild.

Claude Code carries out two of them: a bang before backticks, at the start of a line or after a blank (also inside
ordinary fences), and a fence that is marked with a bang. The others are inert there.
"""

from __future__ import annotations

import re

from director_ctx.folder.markdown import outside_code
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

INLINE, BLOCK = "bang before backticks", "fence marked with a bang"
INSIDE, BARE, ATTACHED = "bang inside backticks", "no backticks", "bang after another character"
LIVE = (INLINE, BLOCK)
"""The forms that Claude Code carries out. In a SKILL.md, the other clients carry out none."""
INERT = (INSIDE, BARE)
"""The forms that only `dctx skill render` carries out."""

# Prose has bangs too, so the inert forms count only before words that are surely commands.
_KNOWN = r"(?:cat|head|tail|ls|git|dctx|bash|sh|python3?|node|npm|date)(?=[ \t])"
_SPAN = re.compile(r"`[^`\n]+`")
_BLOCK = re.compile(r"```!\s*(.*?)\n?```", re.S)
_INLINE = re.compile(r"(?<!\S)!`([^`]+)`")
_ATTACHED = re.compile(r"(?<=[>:(\"'])!`([^`\n]+)`")
_INSIDE = re.compile(rf"(?<!`)`!({_KNOWN}[^`\n]+)`(?!`)")
_BARE = re.compile(rf"(?:^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?|:[ \t]+)(!({_KNOWN}[^`\n]*[^`\s]))[ \t]*$")


class Injection(Record):
    """One command in a body: the characters that its output replaces, and the line it is on."""

    form: str
    command: str
    start: int
    end: int
    line: int


def find(body: str) -> tuple[Injection, ...]:
    """Every injection, in order."""
    found, end = list[Injection](), 0
    for one in sorted((*_blocks(body), *_inline(body), *_inert(body)), key=lambda one: one.start):
        if one.command and one.start >= end:
            found.append(one)
            end = one.end
    return tuple(found)


def attached(body: str) -> tuple[Injection, ...]:
    """Those that nobody carries out because of the character before them."""
    return tuple(_made(ATTACHED, found, body) for found in _ATTACHED.finditer(masked(body)))


def masked(body: str) -> str:
    """The body with plain code spans blanked: what is in them is no injection."""

    def blank(found: re.Match[str]) -> str:
        live = body[max(0, found.start() - 1) : found.start()] in ("!", "`")
        return found[0] if live else "`" + " " * (len(found[0]) - 2) + "`"

    return _SPAN.sub(blank, body)


def _blocks(body: str) -> Iterator[Injection]:
    return (_made(BLOCK, found, body) for found in _BLOCK.finditer(body))


def _inline(body: str) -> Iterator[Injection]:
    return (_made(INLINE, found, body) for found in _INLINE.finditer(masked(body)))


def _inert(body: str) -> Iterator[Injection]:
    for _, start, line in outside_code(body):
        for found in _INSIDE.finditer(line):
            yield _made(INSIDE, found, body, start)
        if bare := _BARE.search(line.rstrip("\n")):
            first, last = start + bare.start(1), start + bare.end(1)
            yield Injection(BARE, bare[2].strip(), first, last, body.count("\n", 0, first) + 1)


def _made(form: str, found: re.Match[str], body: str, offset: int = 0) -> Injection:
    start, end = offset + found.start(), offset + found.end()
    return Injection(form, found[1].strip(), start, end, body.count("\n", 0, start) + 1)
