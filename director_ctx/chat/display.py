"""What is shown of a turn while it goes on, at a terminal and in a browser; pure."""

from __future__ import annotations

from director_ctx.base.light_json import parse
from director_ctx.base.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.exchange import ToolUse

FENCES = ("```", "~~~")
LONGEST_LINE = 60


def end_of_block(text: str) -> int:
    """Where the Markdown of an answer that is still being written is complete: behind the last blank line that is in
    no fence; 0 where there is none yet.
    """
    end = position = 0
    fence = ""
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        position += len(line)
        if fence:
            if bare.startswith(fence):
                fence = ""
        elif bare.startswith(FENCES):
            fence = bare[:3]
        elif not bare and line.endswith("\n"):
            end = position
    return end


def tool_line(use: ToolUse) -> str:
    """A call of a tool: `context agent=builder task=2/1/3`, cut where it is long."""
    words = [use.name]
    try:
        given = parse(use.arguments or "{}")
    except ValueError:
        given = None
    if isinstance(given, dict):
        words += [f"{name}={value}" for name, value in given.items()]
    line = plain(" ".join(words))
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"
