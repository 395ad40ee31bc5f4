"""What is known beside the documents: the plan, variables, a browser's tabs, the conversation."""

from __future__ import annotations

from director_ctx.base.record import Record


class Remembered(Record):
    """The text of one section, and what may stand in its place."""

    texts: tuple[str, ...] = ()
    why: str = ""
    """Why there is none."""
    shorter: str = ""
    source: str = ""
