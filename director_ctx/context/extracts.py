"""Shorter forms of long documents, made by fixed rules and never by a model."""

from __future__ import annotations

from director_ctx.context.settings.keywords import subject_words
from director_ctx.project.reading.markdown import find_section, headings, section
from director_ctx.project.tasks.child_lists import step_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


FEWEST_WORDS = 3
"""A passage that has so many words of the subject is about it, whatever its heading says."""


def without_decisions(step: str) -> str:
    """STEP.md without its Decisions section, which has a tag of its own."""
    span = find_section(step, "decisions")
    if span is None:
        return step
    start, _, end = span
    return f"{step[:start].rstrip()}\n\n{step[end:]}".strip("\n")


def step_extract(step: str, task_number: int | None, keep_decisions: bool) -> str:
    """Name, what it delivers, this task's line, what it needs first, and the decisions if no tag
    has them.
    """
    delivers = section(step, "what this delivers") or ""
    parts = [
        ("What This Delivers", first_sentences(delivers, 2)),
        ("Tasks", next((line.text for line in step_lines(step) if line.number == task_number), "")),
        ("Needs First", section(step, "needs first")),
    ]
    if keep_decisions:
        parts.append(("Decisions", section(step, "decisions")))

    blocks = [_first_line(step)]
    for title, body in parts:
        if body:
            blocks.append(f"## {title}\n\n{body}")
    return "\n\n".join(blocks)


def state_extract(state: str) -> str:
    """Position and cost."""
    return _only(state, ("current position", "cost summary"))


def gameplan_extract(gameplan: str) -> str:
    """Goals and focus."""
    return _only(gameplan, ("goals", "current focus"))


def _only(text: str, titles: tuple[str, ...]) -> str:
    """The first line, and the sections of these titles in the order of the text."""
    spans = []
    for title in titles:
        span = find_section(text, title)
        if span:
            spans.append(span)
    spans.sort()

    blocks = [text[start:end].strip("\n") for start, _, end in spans]
    first = _first_line(text)
    if not blocks or not blocks[0].startswith(first):
        blocks.insert(0, first)
    return "\n\n".join(blocks)


def _first_line(text: str) -> str:
    """The H1's line, or the first line that says anything."""
    for mark in headings(text):
        if mark.level == 1:
            return text[mark.start : mark.body].strip()
    for line in text.split("\n"):
        # A fence alone would make code of all that comes behind it.
        is_fence = line.lstrip().startswith(("```", "~~~"))
        if line.strip() and not is_fence:
            return line
    return ""


def first_sentences(text: str, most: int) -> str:
    """The first sentences of the first paragraph."""
    first_paragraph = text.strip().split("\n\n")[0]
    paragraph = " ".join(first_paragraph.split())

    sentences = 0
    for end, char in enumerate(paragraph, 1):
        following = paragraph[end : end + 1]
        if char in ".!?" and following in ("", " "):
            sentences += 1
            if sentences == most:
                return paragraph[:end]
    return paragraph


def passages(text: str) -> list[str]:
    """A document as its H1-H2 sections, each with its heading; what stands before the first is the
    first.
    """
    edges = sorted({0, len(text), *(mark.start for mark in headings(text) if mark.level <= 2)})
    texts = [text[start:end] for start, end in zip(edges, edges[1:], strict=False)]
    return [passage for passage in texts if passage.strip()]


def relevant_passages(text: str, subject: frozenset[str]) -> str:
    """The passages about the subject: one of its words in the heading, or three different ones in
    the body.
    """
    relevant = []
    for passage in passages(text):
        # A telling word in the heading is enough; in a body it may stand by chance.
        head, _, _ = passage.partition("\n")
        is_named = head.startswith("#") and subject & subject_words(head)
        if is_named or len(subject & subject_words(passage)) >= FEWEST_WORDS:
            relevant.append(passage)
    return "".join(relevant).strip("\n")


def cut_at_heading(
    text: str,
    path: str,
    limit: int,
    count: Callable[[str], int],
) -> str:
    """As many leading sections as fit, and a note that says what is missing and where it is."""
    what = path or "a longer text"
    total = count(text)
    note = f"[Cut here: this is the beginning of {what}, which has about {total:,} tokens.]"
    room = limit - count(f"\n\n{note}\n")

    starts = [mark.start for mark in headings(text) if mark.start]
    beginning = _largest(text, starts, room, count)
    for find_edges in (_line_ends, _every_thousand):
        # A first section, or a line, that is too long itself would leave nearly nothing.
        if count(beginning) * 2 < limit:
            beginning = _largest(text, find_edges(text), room, count) or beginning
    return f"{beginning.rstrip()}\n\n{note}"


def _line_ends(text: str) -> list[int]:
    ends = []
    end = text.find("\n")
    while end >= 0:
        ends.append(end)
        end = text.find("\n", end + 1)
    return ends


def _every_thousand(text: str) -> list[int]:
    return list(range(1000, len(text), 1000))


def _largest(
    text: str,
    edges: list[int],
    room: int,
    count: Callable[[str], int],
) -> str:
    """The longest prefix, by bisection, that ends at an edge and fits."""
    low = 0
    high = len(edges)
    while low < high:
        middle = (low + high) // 2
        prefix = text[: edges[middle]]
        if count(prefix) <= room:
            low = middle + 1
        else:
            high = middle

    return text[: edges[low - 1]].strip("\n") if low else ""
