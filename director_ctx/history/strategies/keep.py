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
    from collections.abc import Callable, Iterable, Sequence

    from director_ctx.history.messages.message import Message
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
        for index, message in enumerate(messages):
            if any(aim.keep(block.text) for block in message.blocks):
                stay.add(index)
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
        raw = message.raw
        # Its client says that nobody typed it.
        is_meta = isinstance(raw, dict) and raw.get(META) is True
        is_task = not is_by_client and is_meta
        if not is_by_client and not is_task:
            return [index]
        attached.append(index)
        if is_task:
            tasks.append(index)
    return attached[:1]


def _is_by_client(message: Message) -> bool:
    """Whether nobody typed this: a file or the word of a hook beside the prompt, or only a client's
    own words.
    """
    raw = message.raw
    if isinstance(raw, dict) and is_attachment(raw):
        return True
    return all(block.kind == TEXT and says_client(block.text) for block in message.blocks)


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


TAGS = ("task", "decisions", "locked_decisions")
"""The sections of a context that say what is to be done, and what was decided."""
_PLANNED = re.compile(r"\.director/(?:[^\s\"'\\/]+/)*?(?:tasks/[^\s\"'\\/]+\.md|STEP\.md)")


def keeping(
    messages: Sequence[Message], patterns: Sequence[str] = ()
) -> Callable[[str], bool] | None:
    """Whether a text stays as it is; None if all may change."""
    of_the_task = set(_from_the_plan(messages))
    # What dctx put there; in the result of a tool such tags are somebody's text.
    for message in messages:
        for block in message.blocks:
            text = block.text
            if block.kind == TEXT and any(
                f"<{tag}>" in text and f"</{tag}>" in text for tag in TAGS
            ):
                of_the_task.add(text)
    expressions = [compiled(pattern) for pattern in patterns]
    if not of_the_task and not expressions:
        return None

    def stays(text: str) -> bool:
        if text in of_the_task:
            return True
        return any(expression.search(text) for expression in expressions)

    return stays


def _from_the_plan(messages: Sequence[Message]) -> Iterable[str]:
    """The newest reading of each task and step."""
    path_of_call: dict[str, str] = {}
    text_of_path: dict[str, str] = {}
    for message in messages:
        for block in message.blocks:
            # Looked for first, as that is much faster, and hardly any call names it.
            if block.kind == CALL and ".director/" in block.text:
                path = _PLANNED.search(block.text)
                if path:
                    path_of_call[block.call] = path[0]
            elif block.kind == RESULT and not block.error and block.call in path_of_call:
                text_of_path[path_of_call[block.call]] = block.text
    return text_of_path.values()


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
    if _repeats(_parser.parse(pattern), False):
        raise UsageProblem(
            f"--keep {pattern!r} repeats what repeats itself, which may take for ever.",
            "Write (a|b)+ or a+, not (a+)+.",
        )
    return expression


def _repeats(parsed: object, is_inside: bool) -> bool:
    """Whether an endless repetition is inside another; `is_inside` says that this is inside one."""
    # Python's parser wraps what belongs together in an object of its own.
    parts = getattr(parsed, "data", parsed)
    if not isinstance(parts, list | tuple):
        return False
    for part in parts:
        body, is_endless = part, False
        if (
            isinstance(part, tuple)
            and len(part) == 2
            and str(part[0]) in ("MAX_REPEAT", "MIN_REPEAT")
        ):
            _, most, body = part[1]
            is_endless = str(most) == "MAXREPEAT"
        if (is_endless and is_inside) or _repeats(body, is_inside or is_endless):
            return True
    return False
