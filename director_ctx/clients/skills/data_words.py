"""Where a command takes an argument of the user's for nothing but a word.

What a program takes for code, or for a file with code in it, is known for a few programs. The others get no argument.
"""

from __future__ import annotations

import re

from director_ctx.clients.skills.command import is_open, literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.skills.arguments import Values
    from director_ctx.clients.skills.command import Line

PLAIN = ("echo", "printf", "ls", "wc", "basename", "dirname")
"""Programs for which a word is never code, and which print no file that it names."""
_INTERPRETER = re.compile(r"(?:.*/)?(?:(?:ba|da|z)?sh|python[\d.]*|node|perl|ruby|php)")
_SCRIPT = re.compile(r"[^-].*\.(?:sh|bash|py|js|mjs|cjs|pl|rb|php)", re.S)


def takes_data(lines: Sequence[Line], values: Values) -> bool:
    """Whether every argument goes into one of these programs, or into a script: called by its place, or right behind
    what runs it."""
    return all(_takes_data(line, values) for line in lines)


def only_tells(lines: Sequence[Line]) -> bool:
    """Whether nothing is run but these programs: no file or folder that they name can change what happens."""
    return all(literal(line.words[0]) in PLAIN for line in lines)


def _takes_data(line: Line, values: Values) -> bool:
    given = [any(is_open(piece, values) for piece in word.pieces) for word in line.words]
    name = literal(line.words[0])
    if not any(given) or name in PLAIN:
        return True
    if _INTERPRETER.fullmatch(name):
        return not given[1] and bool(_SCRIPT.fullmatch(literal(line.words[1])))
    return "/" in name and bool(_SCRIPT.fullmatch(name))
