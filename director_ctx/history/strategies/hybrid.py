"""Everything at once, as much as the target needs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.aim import Aim
    from director_ctx.history.message import Message


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    return list(messages)
