"""What is kept as it is because somebody said so: by a pattern, by the tags of a context, or as a file of the plan."""

from __future__ import annotations

import re

from director_ctx.base.errors import UsageProblem
from director_ctx.history.messages.message import CALL, RESULT, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from director_ctx.history.messages.message import Message

TAGS = ("task", "decisions", "locked_decisions")
"""The sections of a context that say what is to be done, and what was decided."""
_PLANNED = re.compile(r"\.director/(?:[^\s\"'\\/]+/)*?(?:tasks/[^\s\"'\\/]+\.md|STEP\.md)")


def keeping(messages: Sequence[Message], patterns: Sequence[str] = ()) -> Callable[[str], bool] | None:
    """Whether a text stays as it is; None if all may change."""
    marked = {*_tagged(messages), *_from_the_plan(messages)}
    wanted = [compiled(one) for one in patterns]
    if not (marked or wanted):
        return None
    return lambda text: text in marked or any(one.search(text) for one in wanted)


def _tagged(messages: Sequence[Message]) -> Iterator[str]:
    """What dctx put there; in the result of a tool such tags are somebody's text."""
    for message in messages:
        for block in message.blocks:
            if block.kind == TEXT and any(f"<{tag}>" in block.text and f"</{tag}>" in block.text for tag in TAGS):
                yield block.text


def _from_the_plan(messages: Sequence[Message]) -> Iterable[str]:
    """The newest reading of each task and step."""
    asked: dict[str, str] = {}
    read: dict[str, str] = {}
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL and ".director/" in block.text and (found := _PLANNED.search(block.text)):
                asked[block.call] = found[0]
            elif block.kind == RESULT and block.call in asked and not block.error:
                read[asked[block.call]] = block.text
    return read.values()


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern of a user; the usual ones that may take for ever are refused at once, others when they do."""
    try:
        found = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageProblem(
            f"--keep {pattern!r} is no regular expression: {error}.", "Put \\ before . ( [ * + ?"
        ) from None
    if _explodes(pattern):
        raise UsageProblem(
            f"--keep {pattern!r} repeats what repeats itself, which may take for ever.",
            "Write (a|b)+ or a+, not (a+)+.",
        )
    return found


def _explodes(pattern: str) -> bool:
    from re import _parser  # type: ignore[attr-defined]

    return _repeats(_parser.parse(pattern), False)


def _repeats(parsed: object, inside: bool) -> bool:
    """Whether an endless repetition is inside another."""
    parts = getattr(parsed, "data", parsed)
    for part in parts if isinstance(parts, list | tuple) else ():
        if isinstance(part, tuple) and len(part) == 2 and str(part[0]) in ("MAX_REPEAT", "MIN_REPEAT"):
            _, most, body = part[1]
            endless = str(most) == "MAXREPEAT"
            if (endless and inside) or _repeats(body, inside or endless):
                return True
        elif _repeats(part, inside):
            return True
    return False
