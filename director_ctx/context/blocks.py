"""The fixed wording around a project's own text. The sentences are part of the format: keep them exact."""

from __future__ import annotations

from director_ctx.project.reading.markdown import section, without_comments
from director_ctx.project.templates import is_italic

DECISIONS_INTRO = "These are the user's decisions for this step. Follow them exactly:"
RULES = """RULES:
- Locked items are non-negotiable -- follow them exactly as stated.
- Flexible items are your choice -- use your best judgment.
- Deferred items are out of scope -- do NOT implement them, even partially."""

RECENT_INTRO = "Recent progress:"
NO_RECENT = "Recent progress:\nNo previous progress recorded."
RECENT_CUT = "Recent progress, as far as git told it in time:"
RECENT_UNKNOWN = "Recent progress:\nNot known: git did not answer in time."

_QUICK = """## Quick Task
{request}

This is a small request outside the gameplan. Do what it asks and nothing beyond it."""


def decisions_of(step: str) -> str:
    """The Decisions section of STEP.md, if anything in it was really decided."""
    body = section(step, "decisions") or ""
    lines = [line.strip() for line in without_comments(body).split("\n")]
    real = [line for line in lines if line.strip("-* ") and not line.startswith("#") and not is_italic(_unlisted(line))]
    return body if real else ""


def _unlisted(line: str) -> str:
    return line[2:].strip() if line[:2] in ("- ", "* ") else line


def decisions_block(body: str) -> str:
    return f"{DECISIONS_INTRO}\n\n{body}\n\n{RULES}"


def quick_task(request: str) -> str:
    return _QUICK.format(request=request.strip())
