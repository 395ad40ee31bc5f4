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

INLINE = "bang before backticks"
BLOCK = "fence marked with a bang"
INSIDE = "bang inside backticks"
BARE = "no backticks"

MOST = 100
"""Commands of one skill that are carried out. Nobody means to wait for more."""

# Every pattern ends at the next backtick or bracket, so that no text makes one of them search it
# again and again.
# Prose has bangs too, so the inert forms count only before words that are surely commands.
_KNOWN = r"(?:cat|head|tail|ls|git|dctx|bash|sh|python3?|node|npm|date)(?=[ \t])"
_SPAN = re.compile(r"`[^`\n]+`")
_BLOCK = re.compile(r"```!(.*?)```", re.S)
_INLINE = re.compile(r"(?<!\S)!`([^`]+)`")
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
    every = [*_blocks(body), *_inline(body), *_inert(body)]
    injections: list[Injection] = []
    end = 0
    for injection in sorted(every, key=_start):
        # A form inside of another one is only text of that command.
        is_inside = injection.start < end
        if is_inside or not injection.command:
            continue
        injections.append(injection)
        end = injection.end
    return _numbered(injections, body)


def _start(injection: Injection) -> int:
    return injection.start


def masked(body: str) -> str:
    """The body with plain code spans blanked: what is in them is no injection."""

    def blank(span: re.Match[str]) -> str:
        start = span.start()
        # Behind a bang it is an injection, and behind a backtick the middle of a longer mark.
        if start > 0 and body[start - 1] in "!`":
            return span[0]
        # As long as before, so that every offset stays what it is.
        blanks = " " * (len(span[0]) - 2)
        return f"`{blanks}`"

    return _SPAN.sub(blank, body)


def _blocks(body: str) -> Iterator[Injection]:
    for match in _BLOCK.finditer(body):
        yield _injection(BLOCK, match)


def _inline(body: str) -> Iterator[Injection]:
    for match in _INLINE.finditer(masked(body)):
        yield _injection(INLINE, match)


def _inert(body: str) -> Iterator[Injection]:
    for _, start, line in outside_code(body):
        for match in _INSIDE.finditer(line):
            yield _injection(INSIDE, match, start)

        # After the last backtick: no part of the command has one.
        behind = line.rfind("`") + 1
        end = len(line.rstrip())
        bare = _BARE.search(line, behind, end)
        if bare:
            bang = bare.end()
            command = line[bang + 1 : end]
            yield Injection(
                form=BARE,
                command=command,
                start=start + bang,
                end=start + end,
            )


def _injection(form: str, match: re.Match[str], offset: int = 0) -> Injection:
    return Injection(
        form=form,
        command=match[1].strip(),
        start=offset + match.start(),
        end=offset + match.end(),
    )


def _numbered(injections: Iterable[Injection], body: str) -> tuple[Injection, ...]:
    """The same, in order, with the lines that they are on."""
    numbered: list[Injection] = []
    line = 1
    at = 0
    for injection in injections:
        line += body.count("\n", at, injection.start)
        at = injection.start
        numbered.append(injection.replace(line=line))
    return tuple(numbered)
