"""Where a run stands: its phase, the page that it is on, and what is completed; in the words of the
design.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.messages.quoted import on_one_line
from director_ctx.history.messages.stubs import CHECKPOINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HEAD = CHECKPOINT + " Current state:"
END = "Continuing with the next phase..."


class BrowserState(Record):
    """The page of a browser."""

    url: str = ""
    page_title: str = ""


class Checkpoint(Record):
    """A phase that is over, or a state from which a run may start."""

    phase: str
    timestamp: Any
    state: BrowserState
    completed_objectives: tuple[str, ...]
    summary: str


class RunState(Record):
    """The same of a conversation, before anybody wrote down when it was."""

    phase: str
    state: BrowserState
    completed: tuple[str, ...] = ()


def summary_of(standing: RunState) -> str:
    """In a sentence or two; empty where nothing is known."""
    count = len(standing.completed)
    title = standing.state.page_title
    sentences = []
    if count:
        objectives = "objective" if count == 1 else "objectives"
        sentences.append(f"Successfully completed {count} {objectives}.")
    if title:
        sentences.append(f"Currently on {on_one_line(title)} page.")
    return " ".join(sentences)


def state_lines(standing: RunState) -> list[str]:
    """What is known, line by line, then the summary; an empty line behind each of both."""
    known = {
        "Phase": standing.phase,
        "URL": standing.state.url,
        "Page": standing.state.page_title,
        "Completed": ", ".join(standing.completed),
    }
    lines: list[str] = []
    for name, value in known.items():
        if value:
            # Titles, addresses and what was reached are a page's words, not ours.
            lines.append(f"{name}: {on_one_line(value)}")
    if lines:
        lines.append("")

    summary = summary_of(standing)
    if summary:
        lines += [summary, ""]
    return lines
