"""What no strategy touches: system, first words of the user, last turn, open calls, last open
error, what is kept on request.
"""

from __future__ import annotations

import re
from re import _parser  # type: ignore[attr-defined]

from director_ctx.base.claude_code_lines import META, is_attachment
from director_ctx.base.errors import UsageProblem
from director_ctx.history.messages.client_words import says_client
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    RESULT,
    SYSTEM,
    TEXT,
    USER,
    text_of_blocks,
)
from director_ctx.history.messages.stubs import is_summary
from director_ctx.history.messages.turns import open_calls, turns
from director_ctx.history.signals.errors import last_open_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from director_ctx.history.messages.message import Block, Message
    from director_ctx.history.messages.target import Aim


def protected(
    messages: Sequence[Message],
    aim: Aim,
    rows: Sequence[range] | None = None,
) -> set[int]:
    """The places of messages that stay exactly as they are. `rows` are the turns, if they are known
    already.
    """
    if rows is None:
        rows = turns(messages)
    stay = set(_of_system(messages))
    stay.update(_first_words(messages))
    if rows:
        stay.update(rows[-1])
    stay.update(_with_open_calls(messages))
    # An error is open until the same goes well, not just any call of the same tool.
    turn_of_error = last_open_error(messages, rows)
    if turn_of_error is not None:
        stay.update(turn_of_error)
    if aim.keep is not None:
        stay.update(_with_text(messages, aim.keep))
    return stay


_ALIKE = 60
"""Characters by which a client's reminder is known again."""
_NUMBERS = re.compile(r"\d+")


def _of_system(messages: Sequence[Message]) -> Iterable[int]:
    """What the system says; of what it says again and again, as clients remind their models, only
    the newest.
    """
    newest: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message.role != SYSTEM:
            continue
        text = text_of_blocks(message.blocks)
        if _is_by_client(message):
            text = _NUMBERS.sub("", text[:_ALIKE])
        newest[text] = index
    return newest.values()


def _first_words(messages: Sequence[Message]) -> list[int]:
    """What the user said first; what a client put in before it only where the user said nothing.

    What a client said before the first answer in many words, such as those that a command stands
    for, is a task too.
    """
    attached: list[int] = []
    tasks: list[int] = []
    for index, message in enumerate(messages):
        if message.role == ASSISTANT and tasks:
            return tasks[-1:]
        if message.role != USER or is_summary(message):
            continue
        if all(block.kind == RESULT for block in message.blocks):
            continue
        is_by_client = _is_by_client(message)
        is_task = not is_by_client and _is_meta(message)
        if not is_by_client and not is_task:
            return [index]
        attached.append(index)
        if is_task:
            tasks.append(index)
    return attached[:1]


def _is_meta(message: Message) -> bool:
    """Whether its client says that nobody typed it."""
    raw = message.raw
    return isinstance(raw, dict) and raw.get(META) is True


def _is_by_client(message: Message) -> bool:
    """Whether nobody typed this: a file or the word of a hook beside the prompt, or only a client's
    own words.
    """
    raw = message.raw
    if isinstance(raw, dict) and is_attachment(raw):
        return True
    return all(map(_says_client, message.blocks))


def _says_client(block: Block) -> bool:
    return block.kind == TEXT and says_client(block.text)


def _with_open_calls(messages: Sequence[Message]) -> list[int]:
    """Those with calls that may still be answered: nothing answered a later one."""
    waiting = open_calls(messages)
    if not waiting:
        return []
    places: list[int] = []
    for index in reversed(range(len(messages))):
        calls = [block.call for block in messages[index].blocks if block.kind == CALL]
        if not waiting.isdisjoint(calls):
            places.append(index)
        elif calls:
            break
    return places


def _with_text(messages: Sequence[Message], keep: Callable[[str], bool]) -> list[int]:
    """Those with a text that the user wants kept."""
    places: list[int] = []
    for index, message in enumerate(messages):
        if any(keep(block.text) for block in message.blocks):
            places.append(index)
    return places


TAGS = ("task", "decisions", "locked_decisions")
"""The sections of a context that say what is to be done, and what was decided."""
_PLANNED = re.compile(r"\.director/(?:[^\s\"'\\/]+/)*?(?:tasks/[^\s\"'\\/]+\.md|STEP\.md)")


def keeping(
    messages: Sequence[Message], patterns: Sequence[str] = ()
) -> Callable[[str], bool] | None:
    """Whether a text stays as it is; None if all may change."""
    of_the_task = set(_tagged(messages))
    of_the_task.update(_from_the_plan(messages))
    expressions = [compiled(pattern) for pattern in patterns]
    if not of_the_task and not expressions:
        return None

    def stays(text: str) -> bool:
        if text in of_the_task:
            return True
        return any(expression.search(text) for expression in expressions)

    return stays


def _tagged(messages: Sequence[Message]) -> Iterator[str]:
    """What dctx put there; in the result of a tool such tags are somebody's text."""
    for message in messages:
        for block in message.blocks:
            if block.kind == TEXT and _has_tag(block.text):
                yield block.text


def _has_tag(text: str) -> bool:
    for tag in TAGS:
        is_open = f"<{tag}>" in text
        if is_open and f"</{tag}>" in text:
            return True
    return False


def _from_the_plan(messages: Sequence[Message]) -> Iterable[str]:
    """The newest reading of each task and step."""
    path_of_call: dict[str, str] = {}
    text_of_path: dict[str, str] = {}
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL:
                path = _planned_path(block.text)
                if path:
                    path_of_call[block.call] = path
            elif block.kind == RESULT and not block.error:
                path = path_of_call.get(block.call, "")
                if path:
                    text_of_path[path] = block.text
    return text_of_path.values()


def _planned_path(arguments: str) -> str:
    # Looked for first, as that is much faster, and hardly any call names it.
    if ".director/" not in arguments:
        return ""
    path = _PLANNED.search(arguments)
    if path is None:
        return ""
    return path[0]


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern of a user; the usual ones that may take for ever are refused at once, others when
    they do.
    """
    try:
        expression = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageProblem(
            f"--keep {pattern!r} is no regular expression: {error}.", "Put \\ before . ( [ * + ?"
        ) from None
    if _explodes(pattern):
        raise UsageProblem(
            f"--keep {pattern!r} repeats what repeats itself, which may take for ever.",
            "Write (a|b)+ or a+, not (a+)+.",
        )
    return expression


def _explodes(pattern: str) -> bool:
    return _repeats(_parser.parse(pattern), False)


def _repeats(parsed: object, is_inside: bool) -> bool:
    """Whether an endless repetition is inside another; `is_inside` says that this is inside one."""
    # Python's parser wraps what belongs together in an object of its own.
    parts = getattr(parsed, "data", parsed)
    if not isinstance(parts, list | tuple):
        return False
    for part in parts:
        if not _is_repetition(part):
            if _repeats(part, is_inside):
                return True
            continue
        _, most, body = part[1]
        is_endless = str(most) == "MAXREPEAT"
        if is_endless and is_inside:
            return True
        if _repeats(body, is_inside or is_endless):
            return True
    return False


def _is_repetition(part: object) -> bool:
    if not isinstance(part, tuple) or len(part) != 2:
        return False
    return str(part[0]) in ("MAX_REPEAT", "MIN_REPEAT")
