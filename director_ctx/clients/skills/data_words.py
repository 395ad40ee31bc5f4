"""For which commands of a skill an argument is only data, however it is chosen."""

from __future__ import annotations

import re

from director_ctx.clients.skills.command import literal, takes_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.skills.arguments import Values
    from director_ctx.clients.skills.command import SkillCommand

PLAIN = ("echo", "printf", "ls", "wc", "basename", "dirname")
"""Programs for which a word is never code, and which print no file that it names."""
_INTERPRETER = re.compile(r"(?:.*/)?(?:(?:ba|da|z)?sh|python[\d.]*|node|perl|ruby|php)")
_SCRIPT = re.compile(r"[^-].*\.(?:sh|bash|py|js|mjs|cjs|pl|rb|php)", re.S)


def takes_data(lines: Sequence[SkillCommand], values: Values) -> bool:
    """Whether every argument goes into one of these programs, or into a script: called by its
    place, or right behind what runs it.
    """
    return all(_takes_data(line, values) for line in lines)


def only_tells(lines: Sequence[SkillCommand]) -> bool:
    """Whether nothing is run but these programs: no file or folder that they name can change what
    happens.
    """
    return all(literal(line.words[0]) in PLAIN for line in lines)


def _takes_data(line: SkillCommand, values: Values) -> bool:
    has_arguments = any(takes_argument(word, values) for word in line.words)
    name = literal(line.words[0])
    if not has_arguments or name in PLAIN:
        return True

    if _INTERPRETER.fullmatch(name):
        script = line.words[1]
        # An argument in this place would choose what is run.
        if takes_argument(script, values):
            return False
        return _is_script(literal(script))
    # Without a slash it is looked for on the PATH, and may be any program.
    return "/" in name and _is_script(name)


def _is_script(name: str) -> bool:
    return _SCRIPT.fullmatch(name) is not None
