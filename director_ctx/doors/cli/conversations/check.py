"""`dctx doctor CONVERSATION`: what a provider would reject in a conversation, and the conversation
without that.
"""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.record import as_dict
from director_ctx.base.text import counted
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


def check(values: dict[str, Any]) -> int:
    conversation = read(read_conversation(values["conversation"], values["root"], "doctor -"))
    problems = problems_of(conversation)
    for note in conversation.notes:
        say(note)
    # On standard output it is either a report or a conversation, never both.
    if values["fix"]:
        return _put_mended(conversation, problems)

    count = len(conversation.messages)
    messages = f"{counted(count, 'message')} of {conversation.format}"
    if values["json"]:
        found = [as_dict(problem) for problem in problems]
        put_json({"format": conversation.format, "messages": count, "problems": found})
    elif problems:
        # People count messages from one.
        rows = [[str(one.message + 1), one.rule, one.text, one.hint] for one in problems]
        put_table([">Message", "Rule", "What is wrong", "What helps"], rows)
    else:
        them = "them" if count > 1 else "it"
        put_lines([(f"{messages}: nothing is wrong with {them}.", "")])

    if not problems:
        return OK
    say(f"{_number_of(problems)} in {messages}.", "--fix prints the conversation with this mended.")
    return FAILED


def _number_of(problems: Sequence[Problem]) -> str:
    return "One problem" if len(problems) == 1 else f"{len(problems)} problems"


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
