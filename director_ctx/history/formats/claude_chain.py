"""Which lines of a Claude Code session the model reads: from the newest back, by parents, to the
last compaction.
"""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_KINDS = ("user", "assistant", "attachment", "system")
_SAID = ("user", "assistant")
BOUNDARY = "compact_boundary"


class Chain(Record):
    places: list[int]
    """Of the lines, in the order of the file."""
    notes: tuple[str, ...]


def effective(document: Sequence[Any]) -> Chain:
    lines = {place: line for place, line in enumerate(document) if isinstance(line, dict)}
    known = {
        line["uuid"]: place for place, line in lines.items() if isinstance(line.get("uuid"), str)
    }
    if not known:
        return Chain([place for place, line in lines.items() if line.get("type") in _SAID], ())
    lines, twins = _apart(lines, known)
    leaf = _leaf(lines)
    if leaf is None:
        return Chain([], ())
    cut, follows = _compacted(lines)
    found, notes = _walk(lines, known, leaf, follows)
    found.update(_joined(lines, known, found, cut))
    found.update(place for place in follows.values() if place >= cut)
    places = sorted(place for place in found if place >= cut)
    return Chain(places, (*notes, *twins, *_elsewhere(lines, places, cut)))


def _apart(
    lines: dict[int, dict[str, Any]], known: dict[str, int]
) -> tuple[dict[int, dict[str, Any]], list[str]]:
    """Of lines with one name the last stands for it, as for the client; the others hang on nothing."""
    left = {
        place: line
        for place, line in lines.items()
        if known.get(str(line.get("uuid")), place) == place
    }
    if not (number := len(lines) - len(left)):
        return lines, []
    what = "1 line has" if number == 1 else f"{number} lines have"
    return left, [
        f"{what} the uuid of a later one, and the model does not read {'it' if number == 1 else 'them'}."
    ]


def _leaf(lines: dict[int, dict[str, Any]]) -> int | None:
    """The newest line; not one of a sub-agent, unless all are."""
    links = [
        place
        for place, line in lines.items()
        if line.get("type") in _KINDS and isinstance(line.get("uuid"), str)
    ]
    own = [place for place in links if not lines[place].get("isSidechain")]
    return own[-1] if own else links[-1] if links else None


def _compacted(lines: dict[int, dict[str, Any]]) -> tuple[int, dict[str, int]]:
    """Where the last compaction is, and for the line before it the summary that took its place."""
    cut, before = 0, ""
    follows: dict[str, int] = {}
    for place, line in lines.items():
        if line.get("subtype") == BOUNDARY and line.get("type") == "system":
            cut, before, follows = place, str(line.get("logicalParentUuid") or ""), {}
        elif before and line.get("isCompactSummary") and not follows:
            follows = {before: place}
    return cut, follows


def _walk(
    lines: dict[int, dict[str, Any]], known: dict[str, int], leaf: int, follows: dict[str, int]
) -> tuple[set[int], list[str]]:
    found: set[int] = set()
    place: int | None = leaf
    while place is not None and place not in found:
        found.add(place)
        parent = lines[place].get("parentUuid")
        if not isinstance(parent, str):
            return found, []
        # After a compaction the next line may still name the one before it.
        after = follows.get(parent)
        place = after if after is not None and after < place else known.get(parent)
    odd = "in a circle" if place is not None else "to a line that is not there"
    return found, [f"The parents of the newest line lead {odd}; what the model read begins there."]


def _joined(
    lines: dict[int, dict[str, Any]], known: dict[str, int], found: set[int], cut: int
) -> set[int]:
    """Lines beside the chain: of calls that were made at once, only the last has the next line
    behind it.
    """
    answers = {_message_id(lines[place]) for place in found} - {""}
    calls: set[str] = set()
    more: set[int] = set()
    answered = {
        call for place in found for call in _ids(lines[place], "tool_result", "tool_use_id")
    }
    for place, line in lines.items():
        if place < cut or line.get("type") not in _SAID:
            continue
        if place in found or (
            _message_id(line) in answers and _hangs_on(line, lines, known, found)
        ):
            calls.update(_ids(line, "tool_use", "id"))
            more.add(place)
            continue
        results = set(_ids(line, "tool_result", "tool_use_id"))
        if results and results <= calls and not results & answered:
            answered |= results
            more.add(place)
    return more


def _hangs_on(
    line: dict[str, Any], lines: dict[int, dict[str, Any]], known: dict[str, int], found: set[int]
) -> bool:
    """Whether its parents lead to the chain; those of a copy of the session in the same file do
    not.
    """
    seen: set[int] = set()
    place = known.get(str(line.get("parentUuid")))
    while place is not None and place in lines and place not in seen:
        if place in found:
            return True
        seen.add(place)
        place = known.get(str(lines[place].get("parentUuid")))
    return False


def _message_id(line: dict[str, Any]) -> str:
    message = line.get("message")
    found = (
        message.get("id") if line.get("type") == "assistant" and isinstance(message, dict) else None
    )
    return found if isinstance(found, str) else ""


def _ids(line: dict[str, Any], kind: str, key: str) -> Iterator[str]:
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == kind:
            yield str(part.get(key, ""))


def _elsewhere(lines: dict[int, dict[str, Any]], places: Sequence[int], cut: int) -> list[str]:
    here = set(places)
    said = [
        place for place, line in lines.items() if line.get("type") in _SAID and place not in here
    ]
    notes = []
    if before := sum(place < cut for place in said):
        notes.append(_stay(before, "from before the last compaction"))
    if beside := len(said) - before:
        notes.append(_stay(beside, "on other branches"))
    return notes


def _stay(number: int, where: str) -> str:
    if number == 1:
        return f"1 message {where} stays in the file as it is."
    return f"{number} messages {where} stay in the file as they are."
