"""`dctx history check`: what a provider would reject in a conversation, and the conversation without that."""

from __future__ import annotations

from director_ctx.doors.cli.history_input import read_conversation
from director_ctx.doors.cli.output import put_bytes, put_json
from director_ctx.doors.cli.speak import say
from director_ctx.doors.cli.table import put_lines, put_table
from director_ctx.errors import FAILED, OK
from director_ctx.folder.text import counted
from director_ctx.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.check import Problem
    from director_ctx.history.message import Conversation

_COLUMNS = [">Message", "Rule", "What is wrong", "What helps"]


def check(values: dict[str, Any]) -> int:
    from director_ctx.history.check import check as problems_of
    from director_ctx.history.document import read

    conversation = read(read_conversation(values["file"], values["root"], "history check"), values["from_"])
    problems = problems_of(conversation)
    for note in conversation.notes:
        say(note)
    if values.get("fix"):
        return _mended(conversation, problems)
    messages = f"{counted(len(conversation.messages), 'message')} of {conversation.format}"
    if values.get("json"):
        put_json({"format": conversation.format, "messages": len(conversation.messages),
                  "problems": [as_dict(one) for one in problems]})  # fmt: skip
    elif problems:
        put_table(_COLUMNS, [[str(one.message + 1), one.rule, one.text, one.hint] for one in problems])
    else:
        put_lines([(f"{messages}: nothing is wrong with {'them' if len(conversation.messages) > 1 else 'it'}.", "")])
    if not problems:
        return OK
    say(f"{_counted(problems)} in {messages}.",
        "Print them mended with --fix.")  # fmt: skip
    return FAILED


def _counted(problems: Sequence[Problem]) -> str:
    return "One problem" if len(problems) == 1 else f"{len(problems)} problems"


def _mended(conversation: Conversation, problems: Sequence[Problem]) -> int:
    """On stdout the conversation without the problems; the source stays as it is."""
    from director_ctx.history.document import write
    from director_ctx.history.mend import mend

    put_bytes(write(conversation, mend(conversation)))
    for problem in problems:
        say(f"Message {problem.message + 1}: {problem.text}")
    say(f"Mended: {_counted(problems).lower()}." if problems else "Nothing was wrong; this is what it was.")
    return OK
