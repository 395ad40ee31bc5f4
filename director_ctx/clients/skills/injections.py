"""Where a skill's body asks for the output of a command, in every form that is seen in the wild.

Claude Code carries out two of them: a bang before backticks, at the start of a line or after a
blank (also inside ordinary fences), and a fence that is marked with a bang. The others are inert
there.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.project.reading.markdown import outside_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

INLINE, BLOCK = "bang before backticks", "fence marked with a bang"
INSIDE, BARE, ATTACHED = "bang inside backticks", "no backticks", "bang after another character"
INERT = (INSIDE, BARE)
"""The forms that only `dctx skill render` carries out."""

MOST = 100
"""Commands of one skill that are carried out. Nobody means to wait for more."""

# Every pattern ends at the next backtick or bracket, so that no text makes one of them search it
# again and again.
# Prose has bangs too, so the inert forms count only before words that are surely commands.
_KNOWN = r"(?:cat|head|tail|ls|git|dctx|bash|sh|python3?|node|npm|date)(?=[ \t])"
_SPAN = re.compile(r"`[^`\n]+`")
_BLOCK = re.compile(r"```!(.*?)```", re.S)
_INLINE = re.compile(r"(?<!\S)!`([^`]+)`")
_ATTACHED = re.compile(r"(?<=[>:(\"'])!`([^`\n]+)`")
_INSIDE = re.compile(rf"(?<!`)`!({_KNOWN}[^`\n]+)`(?!`)")
_BARE = re.compile(rf"(?:^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?|:[ \t]+)(?=!{_KNOWN})")


class Injection(Record):
    """One command in a body: the characters that its output replaces, and the line it is on."""

    form: str
    command: str
    start: int
    end: int
    line: int = 0


def find(body: str) -> tuple[Injection, ...]:
    """Every injection, in order."""
    found, end = list[Injection](), 0
    for one in sorted((*_blocks(body), *_inline(body), *_inert(body)), key=lambda one: one.start):
        if one.command and one.start >= end:
            found.append(one)
            end = one.end
    return _numbered(found, body)


def attached(body: str) -> tuple[Injection, ...]:
    """Those that nobody carries out because of the character before them."""
    return _numbered((_made(ATTACHED, found) for found in _ATTACHED.finditer(masked(body))), body)


def masked(body: str) -> str:
    """The body with plain code spans blanked: what is in them is no injection."""

    def blank(found: re.Match[str]) -> str:
        live = body[max(0, found.start() - 1) : found.start()] in ("!", "`")
        return found[0] if live else "`" + " " * (len(found[0]) - 2) + "`"

    return _SPAN.sub(blank, body)


def _blocks(body: str) -> Iterator[Injection]:
    return (_made(BLOCK, found) for found in _BLOCK.finditer(body))


def _inline(body: str) -> Iterator[Injection]:
    return (_made(INLINE, found) for found in _INLINE.finditer(masked(body)))


def _inert(body: str) -> Iterator[Injection]:
    for _, start, line in outside_code(body):
        for found in _INSIDE.finditer(line):
            yield _made(INSIDE, found, start)
        end = len(line.rstrip())
        # After the last backtick: no part of the command has one.
        if bare := _BARE.search(line, line.rfind("`") + 1, end):
            yield Injection(BARE, line[bare.end() + 1 : end], start + bare.end(), start + end)


def _made(form: str, found: re.Match[str], offset: int = 0) -> Injection:
    return Injection(form, found[1].strip(), offset + found.start(), offset + found.end())


def _numbered(found: Iterable[Injection], body: str) -> tuple[Injection, ...]:
    """The same, in order, with the lines that they are on."""
    numbered, line, at = list[Injection](), 1, 0
    for one in found:
        line, at = line + body.count("\n", at, one.start), one.start
        numbered.append(one.replace(line=line))
    return tuple(numbered)
