"""What a command names: the words whose files consent is bound to, and the signs that some of them stay unseen."""

from __future__ import annotations

import re

from director_ctx.clients.skills.arguments import fill, is_argument, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.clients.skills.arguments import Values

_WRITTEN = re.compile(r"(?<!<)>>?[ \t]*[^\s;|&<>()]+")
_WORDS = (
    re.compile(r"[^\s;|&<>()'\"`$]+"),
    re.compile(r"[^\s;|&<>()'\"`$=:,]+"),  # --file=tools/run.sh, PATH=tools:more
    re.compile(r"'([^']+)'"),
    re.compile(r'"([^"]+)"'),
)
_PLACE = re.compile(r"\$?\{(CLAUDE_\w+)\}")
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_UNSEEN = re.compile(r"[*?\[\\~$`{]|\b(?:cd|pushd|eval|source)(?=\s)|(?:(?<=[;|&('\"\n])|^)[ \t]*\.(?=\s)")


def names(command: str, values: Values) -> set[str]:
    """Every word, however it is quoted; what is only written to does not matter.

    Places are filled in afterwards: there may be a blank in them.
    """
    read = _WRITTEN.sub("", fill(command, values.replace(text="", words=(), places={})))
    words = {word for shape in _WORDS for word in shape.findall(read)}
    filled = {_with_places(word, values.places) for word in words}
    filled |= {word.replace("\\", "") for word in filled}
    return filled.union(*map(_as_module, filled))


def _as_module(word: str) -> tuple[str, ...]:
    """Where Python finds what `-m` names: `tools` is tools.py or a folder, and so is the start of `tools.look`."""
    if not _MODULE.fullmatch(word):
        return ()
    package = word.partition(".")[0]
    return (package, f"{package}.py")


def _with_places(word: str, places: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda found: places.get(found[1], found[0]), word)


def unseen(command: str, values: Values) -> str:
    """What in a command makes a shell find files that do not stand in it; nothing where it has nothing of the kind."""
    known = pattern(values.names).sub(lambda found: "" if is_argument(found) or found["place"] else found[0], command)
    found = _UNSEEN.search(known)
    return found[0].strip() if found else ""
