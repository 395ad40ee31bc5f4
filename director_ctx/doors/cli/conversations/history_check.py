"""`dctx history check`: what a provider would reject in a conversation, and the conversation
without that.
"""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.record import as_dict
from director_ctx.base.text import counted
from director_ctx.doors.cli.conversations.choose_session import named_or_chosen
from director_ctx.doors.cli.shared.history_input import read_conversation
from director_ctx.doors.cli.shared.output import put_bytes, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.history.formats.document import read, write
from director_ctx.history.valid.check import check as problems_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.messages.message import Conversation
    from director_ctx.history.valid.check import Problem

_COLUMNS = [">Message", "Rule", "What is wrong", "What helps"]


def check(values: dict[str, Any]) -> int:
    name = named_or_chosen(values["file"], values["root"])
    data = read_conversation(name, values["root"], "history check")
    conversation = read(data, values["from_"])
    problems = problems_of(conversation)
    for note in conversation.notes:
        say(note)
    # On standard output it is either a report or a conversation, never both.
    if values.get("fix"):
        return _put_mended(conversation, problems)

    count = len(conversation.messages)
    messages = f"{counted(count, 'message')} of {conversation.format}"
    if values.get("json"):
        put_json(
            {
                "format": conversation.format,
                "messages": count,
                "problems": [as_dict(problem) for problem in problems],
            }
        )
    elif problems:
        put_table(_COLUMNS, [_row(problem) for problem in problems])
    else:
        them = "it"
        if count > 1:
            them = "them"
        put_lines([(f"{messages}: nothing is wrong with {them}.", "")])

    if not problems:
        return OK
    say(f"{_number_of(problems)} in {messages}.", "--fix prints the conversation with this mended.")
    return FAILED


def _row(problem: Problem) -> list[str]:
    """People count messages from one."""
    return [str(problem.message + 1), problem.rule, problem.text, problem.hint]


def _number_of(problems: Sequence[Problem]) -> str:
    if len(problems) == 1:
        return "One problem"
    return f"{len(problems)} problems"


def _put_mended(conversation: Conversation, problems: Sequence[Problem]) -> int:
    """On stdout the conversation without the problems; the source stays as it is."""
    # Only --fix needs it.
    from director_ctx.history.valid.mend import mend

    put_bytes(write(conversation, mend(conversation)))
    for problem in problems:
        say(f"Message {problem.message + 1}: {problem.text}")
    if problems:
        say(f"Mended: {_number_of(problems).lower()}.")
    else:
        say("Nothing was wrong; the conversation is printed unchanged.")
    return OK
