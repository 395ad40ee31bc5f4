"""Which lines of a Claude Code session the model reads: from the newest back, by parents, to the
last compaction.
"""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Lines = dict[int, dict[str, Any]]
    """By their numbers in the file."""

_KINDS = ("user", "assistant", "attachment", "system")
_SAID = ("user", "assistant")
BOUNDARY = "compact_boundary"


class Chain(Record):
    places: list[int]
    """Of the lines, in the order of the file."""
    notes: tuple[str, ...]


def effective(document: Sequence[Any]) -> Chain:
    lines: Lines = {}
    known: dict[str, int] = {}
    for number, line in enumerate(document):
        if not isinstance(line, dict):
            continue
        lines[number] = line
        if isinstance(line.get("uuid"), str):
            known[line["uuid"]] = number
    if not known:
        said = [number for number, line in lines.items() if line.get("type") in _SAID]
        return Chain(said, ())

    lines, twins = _apart(lines, known)
    leaf = _leaf(lines)
    if leaf is None:
        return Chain([], ())

    cut, follows = _compacted(lines)
    chain, notes = _walk(lines, known, leaf, follows)
    chain |= _joined(lines, known, chain, cut)
    chain.update(follows.values())
    places = sorted(number for number in chain if number >= cut)
    return Chain(places, (*notes, *twins, *_elsewhere(lines, places, cut)))


def _apart(lines: Lines, known: dict[str, int]) -> tuple[Lines, list[str]]:
    """Of lines with one name the last stands for it, as for the client; the others hang on nothing."""
    left = {}
    for number, line in lines.items():
        if known.get(str(line.get("uuid")), number) == number:
            left[number] = line

    count = len(lines) - len(left)
    if not count:
        return lines, []
    what, them = f"{count} lines have", "them"
    if count == 1:
        what, them = "1 line has", "it"
    return left, [f"{what} the uuid of a later one, and the model does not read {them}."]


def _leaf(lines: Lines) -> int | None:
    """The newest line; not one of a sub-agent, unless all are."""
    newest: int | None = None
    newest_own: int | None = None
    for number, line in lines.items():
        if line.get("type") in _KINDS and isinstance(line.get("uuid"), str):
            newest = number
            if not line.get("isSidechain"):
                newest_own = number
    return newest if newest_own is None else newest_own


def _compacted(lines: Lines) -> tuple[int, dict[str, int]]:
    """Where the last compaction is, and for the line before it the summary that took its place."""
    cut, before = 0, ""
    follows: dict[str, int] = {}
    for number, line in lines.items():
        if line.get("subtype") == BOUNDARY and line.get("type") == "system":
            cut = number
            before = str(line.get("logicalParentUuid") or "")
            follows = {}
        elif before and line.get("isCompactSummary") and not follows:
            follows = {before: number}
    return cut, follows


def _walk(
    lines: Lines, known: dict[str, int], leaf: int, follows: dict[str, int]
) -> tuple[set[int], list[str]]:
    chain: set[int] = set()
    number: int | None = leaf
    while number is not None and number not in chain:
        chain.add(number)
        parent = lines[number].get("parentUuid")
        if not isinstance(parent, str):
            return chain, []
        # After a compaction the next line may still name the one before it.
        after = follows.get(parent)
        number = after if after is not None and after < number else known.get(parent)
    odd = "in a circle" if number is not None else "to a line that is not there"
    return chain, [f"The parents of the newest line lead {odd}; what the model read begins there."]


def _joined(lines: Lines, known: dict[str, int], chain: set[int], cut: int) -> set[int]:
    """Lines beside the chain: of calls that were made at once, only the last has the next line
    behind it.
    """
    answers: set[str] = set()
    answered: set[str] = set()
    for number in chain:
        answers.add(_message_id(lines[number]))
        answered.update(_ids(lines[number], "tool_result", "tool_use_id"))
    answers.discard("")

    calls: set[str] = set()
    joined: set[int] = set()
    for number, line in lines.items():
        if number < cut or line.get("type") not in _SAID:
            continue
        is_answer = number in chain
        if not is_answer and _message_id(line) in answers:
            is_answer = _hangs_on(line, lines, known, chain)
        if is_answer:
            calls.update(_ids(line, "tool_use", "id"))
            joined.add(number)
            continue

        results = set(_ids(line, "tool_result", "tool_use_id"))
        if results and results <= calls and not results & answered:
            answered |= results
            joined.add(number)
    return joined


def _hangs_on(line: dict[str, Any], lines: Lines, known: dict[str, int], chain: set[int]) -> bool:
    """Whether its parents lead to the chain; those of a copy of the session in the same file do
    not.
    """
    seen: set[int] = set()
    number = known.get(str(line.get("parentUuid")))
    while number is not None and number in lines and number not in seen:
        if number in chain:
            return True
        seen.add(number)
        number = known.get(str(lines[number].get("parentUuid")))
    return False


def _message_id(line: dict[str, Any]) -> str:
    message = line.get("message")
    if line.get("type") != "assistant" or not isinstance(message, dict):
        return ""
    name = message.get("id")
    return name if isinstance(name, str) else ""


def _ids(line: dict[str, Any], kind: str, key: str) -> Iterator[str]:
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return
    for part in content:
        if isinstance(part, dict) and part.get("type") == kind:
            yield str(part.get(key, ""))


def _elsewhere(lines: Lines, places: Sequence[int], cut: int) -> list[str]:
    here = set(places)
    before = 0
    beside = 0
    for number, line in lines.items():
        if line.get("type") not in _SAID or number in here:
            continue
        if number < cut:
            before += 1
        else:
            beside += 1

    notes = []
    if before:
        notes.append(_stay(before, "from before the last compaction"))
    if beside:
        notes.append(_stay(beside, "on other branches"))
    return notes


def _stay(number: int, where: str) -> str:
    if number == 1:
        return f"1 message {where} stays in the file as it is."
    return f"{number} messages {where} stay in the file as they are."
