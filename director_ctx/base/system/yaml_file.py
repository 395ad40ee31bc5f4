"""Reads a YAML file of the project. PyYAML costs 13 ms and is imported only where such a file
exists.

The file is untrusted, so its events are looked at first: the C loader recurses without a limit, and
aliases make small files expand without one.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEEPEST = 50
LONGEST = 200_000
_HINT = "Mend the file, or move it away."


def parse_yaml(text: str, path: str) -> object:
    """The data in a YAML text; plain values only, nothing is constructed or run."""
    import yaml

    if len(text) > LONGEST:
        raise DctxError(f"{path} is longer than {LONGEST:,} characters.", _HINT)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        problem = _look(yaml.parse(text, Loader=loader))
        if problem:
            raise DctxError(f"{path} {problem}.", _HINT)
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError) as error:
        where = ""
        mark = getattr(error, "problem_mark", None)
        if mark:
            where = f" (line {mark.line + 1}, column {mark.column + 1})"
        problem = getattr(error, "problem", None) or str(error).split("\n")[0]
        raise DctxError(f"{path} is not valid YAML{where}: {problem[:200]}.", _HINT) from error


class _Around:
    """A mapping or a list on the way; PyYAML takes the last of two equal keys, and says nothing."""

    def __init__(self, mapping: bool) -> None:
        self._mapping = mapping
        self._keys: set[str] = set()
        self._key_is_next = True

    def has(self, value: str | None) -> bool:
        """Takes what comes next; whether it is a key that was there before."""
        if not self._mapping:
            return False
        is_key, self._key_is_next = self._key_is_next, not self._key_is_next
        if not is_key or value is None:
            return False
        twice = value in self._keys
        self._keys.add(value)
        return twice


def _look(events: Any) -> str:
    """What is wrong with a file before anything is made of it."""
    around: list[_Around] = []
    for event in events:
        kind = type(event).__name__
        if kind in ("MappingEndEvent", "SequenceEndEvent"):
            around.pop()
        elif around and around[-1].has(getattr(event, "value", None)):
            line = event.start_mark.line + 1
            return f"has the key {event.value[:60]!r} twice; the second is in line {line}"
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            around.append(_Around(kind == "MappingStartEvent"))
        # The stream and the document are around everything.
        if len(around) + 2 > DEEPEST:
            return "is nested too deeply"
        if kind == "AliasEvent":
            return f"has an alias in line {event.start_mark.line + 1}; write the value out instead"
        if getattr(event, "tag", None):
            return f"has a tag in line {event.start_mark.line + 1}; plain values only"
    return ""
