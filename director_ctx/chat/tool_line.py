"""A call of a tool in one short line; pure."""

from __future__ import annotations

from director_ctx.base.light_json import parse
from director_ctx.base.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.exchange import ToolUse

LONGEST = 60


def tool_line(use: ToolUse) -> str:
    """`context agent=builder task=2/1/3`, cut where it is long."""
    words = [use.name]
    try:
        given = parse(use.arguments or "{}")
    except ValueError:
        given = None
    if isinstance(given, dict):
        for name, value in given.items():
            words.append(f"{name}={value}")
    line = plain(" ".join(words))
    if len(line) > LONGEST:
        line = f"{line[: LONGEST - 1]}…"
    return line
