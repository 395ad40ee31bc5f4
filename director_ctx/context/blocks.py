"""The fixed wording around a project's own text. The sentences are part of the format: keep them exact."""

from __future__ import annotations

from director_ctx.folder.markdown import section, without_comments
from director_ctx.folder.onboarding import is_italic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

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


_NOISE = (
    "session: update timestamps", "log undo:", "idea:", "ideas:", "brainstorm: save session",
    "refresh: update project context", "initialize director project", "save work in progress",
)  # fmt: skip
_FOLDER_WORK = ("onboard:", "blueprint:", "brainstorm:", "refresh:", "pivot:")
"""Prefixes that are bookkeeping only in a commit which stays inside `.director/`."""
LONGEST_SUBJECT = 200


def is_bookkeeping(subject: str) -> bool:
    """Commits that the folder's own upkeep makes; they tell an agent nothing about the product."""
    return subject.casefold().startswith(_NOISE)


def recent_subjects(commits: Iterable[tuple[str, bool]], most: int, everything: bool) -> tuple[str, ...]:
    """The newest subjects worth telling. Each commit comes as its subject and whether it stays inside `.director/`.

    A project may live inside `.director/` for a while: if nothing else is left, such commits count.
    """
    kept: list[str] = []
    inside: list[str] = []
    for subject, only_folder in commits:
        if everything or not (is_bookkeeping(subject) or only_folder):
            kept.append(_clipped(subject))
        elif not (is_bookkeeping(subject) or subject.casefold().startswith(_FOLDER_WORK)):
            inside.append(_clipped(subject))
        if len(kept) >= most:
            break
    return tuple((kept or inside)[:most])


def _clipped(subject: str) -> str:
    return subject if len(subject) <= LONGEST_SUBJECT else f"{subject[:LONGEST_SUBJECT].rstrip()}…"
