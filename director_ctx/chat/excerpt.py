"""The beginning of everything that was said, for where no summary could be made of it; pure."""

from __future__ import annotations

from director_ctx.base.one_line import begun
from director_ctx.chat.reach import ASSISTANT, USER, ChatStanding, is_taken
from director_ctx.history.messages.quoted import on_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.conversations.chat_records import ChatRow

LINE = 160
"""Characters of what somebody said at once."""
MOST = 8_000
"""Characters of all of it, at the most."""
_SAYS = {USER: "- you were asked:", ASSISTANT: "- you answered:"}


def excerpt(standing: ChatStanding, characters: int) -> str:
    """Of what stands before `reach.since`, as much as finds room, the newest in any case."""
    left = min(characters, MOST)
    lines: list[str] = []
    for row in reversed(standing.rows):
        if not _is_told(standing, row):
            continue
        words = begun(" ".join(row.text.split()), LINE)
        line = f"{_SAYS[row.role]} {on_one_line(words)}"
        left -= len(line)
        if left < 0 and lines:
            break
        lines.append(line)
    return "\n".join(reversed(lines))


def _is_told(standing: ChatStanding, row: ChatRow) -> bool:
    reach = standing.reach
    is_before = row.place <= reach.since and not is_taken(reach, row.place)
    return is_before and row.role in _SAYS
