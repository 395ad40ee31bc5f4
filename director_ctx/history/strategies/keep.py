"""What no strategy touches: system, first words of the user, last turn, open calls, last open
error, what is kept on request.
"""

from __future__ import annotations

import re

from director_ctx.base.claude_code_lines import META, is_attachment
from director_ctx.base.errors import UsageProblem
from director_ctx.history.messages.client_words import says_client
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, SYSTEM, TEXT, USER
from director_ctx.history.messages.stubs import is_summary
from director_ctx.history.messages.turns import open_calls, turns
from director_ctx.history.signals.errors import last_open_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from director_ctx.history.messages.message import Message
    from director_ctx.history.messages.target import Aim


def protected(
    messages: Sequence[Message], aim: Aim, rows: Sequence[range] | None = None
) -> set[int]:
    """The places of messages that stay exactly as they are. `rows` are the turns, if they are known
    already.
    """
    if rows is None:
        rows = turns(messages)
    stay = {index for index, message in enumerate(messages) if message.role == SYSTEM}
    stay.update(_first_user(messages))
    if rows:
        stay.update(rows[-1])
    stay.update(_asking(messages))
    stay.update(last_open_error(messages, rows) or ())
    if aim.keep is not None:
        stay.update(_kept(messages, aim.keep))
    return stay


def _first_user(messages: Sequence[Message]) -> list[int]:
    """What the user said first; what a client put in before it only where the user said nothing.

    What a client said before the first answer in many words, such as those that a command stands
    for, is a task too.
    """
    attached: list[int] = []
    for index, message in enumerate(messages):
        if message.role == ASSISTANT:
            tasks = [earlier for earlier in attached if _is_meta(messages[earlier])]
            if tasks:
                return tasks[-1:]
        if message.role != USER or is_summary(message):
            continue
        if all(block.kind == RESULT for block in message.blocks):
            continue
        if not _is_meta(message) and not _by_client(message):
            return [index]
        attached.append(index)
    return attached[:1]


def _is_meta(message: Message) -> bool:
    """Whether it is in the user's name, but of nobody who typed it, and more than marks of the
    client.
    """
    raw = message.raw
    if not isinstance(raw, dict) or raw.get(META) is not True:
        return False
    return not _by_client(message)


def _by_client(message: Message) -> bool:
    """Whether nobody typed this: a file or the word of a hook beside the prompt, or only a client's
    own words.
    """
    if isinstance(message.raw, dict) and is_attachment(message.raw):
        return True
    return all(block.kind == TEXT and says_client(block.text) for block in message.blocks)


def _asking(messages: Sequence[Message]) -> list[int]:
    """Those with calls that nothing answered yet."""
    waiting = open_calls(messages)
    if not waiting:
        return []
    asking: list[int] = []
    for index, message in enumerate(messages):
        if any(block.call in waiting for block in message.blocks):
            asking.append(index)
    return asking


def _kept(messages: Sequence[Message], keep: Callable[[str], bool]) -> list[int]:
    kept: list[int] = []
    for index, message in enumerate(messages):
        if any(keep(block.text) for block in message.blocks):
            kept.append(index)
    return kept


TAGS = ("task", "decisions", "locked_decisions")
"""The sections of a context that say what is to be done, and what was decided."""
_PLANNED = re.compile(r"\.director/(?:[^\s\"'\\/]+/)*?(?:tasks/[^\s\"'\\/]+\.md|STEP\.md)")


def keeping(
    messages: Sequence[Message], patterns: Sequence[str] = ()
) -> Callable[[str], bool] | None:
    """Whether a text stays as it is; None if all may change."""
    marked = {*_tagged(messages), *_from_the_plan(messages)}
    wanted = [compiled(pattern) for pattern in patterns]
    if not marked and not wanted:
        return None

    def stays(text: str) -> bool:
        return text in marked or any(pattern.search(text) for pattern in wanted)

    return stays


def _tagged(messages: Sequence[Message]) -> Iterator[str]:
    """What dctx put there; in the result of a tool such tags are somebody's text."""
    for message in messages:
        for block in message.blocks:
            if block.kind == TEXT and _has_tag(block.text):
                yield block.text


def _has_tag(text: str) -> bool:
    return any(f"<{tag}>" in text and f"</{tag}>" in text for tag in TAGS)


def _from_the_plan(messages: Sequence[Message]) -> Iterable[str]:
    """The newest reading of each task and step."""
    path_of_call: dict[str, str] = {}
    text_of_path: dict[str, str] = {}
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL and ".director/" in block.text:
                path = _PLANNED.search(block.text)
                if path:
                    path_of_call[block.call] = path[0]
            elif block.kind == RESULT and block.call in path_of_call and not block.error:
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
    if _explodes(pattern):
        raise UsageProblem(
            f"--keep {pattern!r} repeats what repeats itself, which may take for ever.",
            "Write (a|b)+ or a+, not (a+)+.",
        )
    return expression


def _explodes(pattern: str) -> bool:
    from re import _parser  # type: ignore[attr-defined]

    return _repeats(_parser.parse(pattern), False)


def _repeats(parsed: object, inside: bool) -> bool:
    """Whether an endless repetition is inside another."""
    parts = getattr(parsed, "data", parsed)
    if not isinstance(parts, list | tuple):
        return False
    for part in parts:
        if not _is_repetition(part):
            if _repeats(part, inside):
                return True
            continue
        _, most, body = part[1]
        endless = str(most) == "MAXREPEAT"
        if endless and inside:
            return True
        if _repeats(body, inside or endless):
            return True
    return False


def _is_repetition(part: object) -> bool:
    if not isinstance(part, tuple) or len(part) != 2:
        return False
    return str(part[0]) in ("MAX_REPEAT", "MIN_REPEAT")
