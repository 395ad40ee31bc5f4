"""Shorter forms of long documents, made by fixed rules and never by a model."""

from __future__ import annotations

from director_ctx.context.settings.keywords import subject_words
from director_ctx.project.reading.markdown import find_section, headings, section
from director_ctx.project.tasks.child_lists import step_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def without_decisions(step: str) -> str:
    """STEP.md without its Decisions section, which has a tag of its own."""
    found = find_section(step, "decisions")
    return (
        step if found is None else f"{step[: found[0]].rstrip()}\n\n{step[found[2] :]}".strip("\n")
    )


def step_extract(step: str, task_number: int | None, keep_decisions: bool) -> str:
    """Name, what it delivers, this task's line, what it needs first, and the decisions if no tag
    has them.
    """
    blocks = [_first_line(step)]
    delivers = first_sentences(section(step, "what this delivers") or "", 2)
    line = next((line.text for line in step_lines(step) if line.number == task_number), "")
    named = (
        ("What This Delivers", delivers),
        ("Tasks", line),
        ("Needs First", section(step, "needs first") or ""),
        ("Decisions", (section(step, "decisions") or "") if keep_decisions else ""),
    )
    return "\n\n".join([*blocks, *(f"## {title}\n\n{body}" for title, body in named if body)])


def state_extract(state: str) -> str:
    """Position and cost."""
    return _only(state, ("current position", "cost summary"))


def gameplan_extract(gameplan: str) -> str:
    """Goals and focus."""
    return _only(gameplan, ("goals", "current focus"))


def _only(text: str, titles: tuple[str, ...]) -> str:
    found = sorted(span for title in titles if (span := find_section(text, title)))
    return "\n\n".join(
        [_first_line(text), *(text[start:end].strip("\n") for start, _, end in found)]
    )


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
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    ends = [
        place + 1
        for place, char in enumerate(paragraph)
        if char in ".!?" and paragraph[place + 1 : place + 2] in ("", " ")
    ]
    return paragraph[: ends[most - 1]] if len(ends) >= most else paragraph


def passages(text: str) -> list[str]:
    """A document as its H1-H2 sections, each with its heading; what stands before the first is the
    first.
    """
    starts = [mark.start for mark in headings(text) if mark.level <= 2]
    edges = sorted({0, *starts, len(text)})
    return [
        text[start:end]
        for start, end in zip(edges, edges[1:], strict=False)
        if text[start:end].strip()
    ]


def relevant_passages(text: str, subject: frozenset[str]) -> str:
    """The passages about the subject: one of its words in the heading, or three different ones in
    the body.
    """
    return "".join(part for part in passages(text) if _about(part, subject)).strip("\n")


def _about(passage: str, subject: frozenset[str]) -> bool:
    head = passage.split("\n", 1)[0]
    if head.startswith("#") and subject & subject_words(head):
        return True
    return len(subject & subject_words(passage)) >= 3


def cut_at_heading(text: str, path: str, limit: int, count: Callable[[str], int]) -> str:
    """As many leading sections as fit, and a note that says what is missing and where it is."""
    total = count(text)
    note = f"[Cut here: this is the beginning of {path or 'a longer text'}, which has about {total:,} tokens.]"
    room = limit - count(f"\n\n{note}\n")
    marks = [mark.start for mark in headings(text) if mark.start]
    kept = _largest(text, marks, room, count)
    for edges in (_line_ends, _every_thousand):
        # A first section, or a line, that is too long itself would leave nearly nothing.
        if count(kept) * 2 < limit:
            kept = _largest(text, edges(text), room, count) or kept
    return f"{kept.rstrip()}\n\n{note}"


def _every_thousand(text: str) -> list[int]:
    return list(range(1000, len(text), 1000))


def _line_ends(text: str) -> list[int]:
    ends, place = [], text.find("\n")
    while place >= 0:
        ends.append(place)
        place = text.find("\n", place + 1)
    return ends


def _largest(text: str, edges: list[int], room: int, count: Callable[[str], int]) -> str:
    """The longest prefix, by bisection, that ends at an edge and fits."""
    low, high = 0, len(edges)
    while low < high:
        middle = (low + high) // 2
        if count(text[: edges[middle]]) <= room:
            low = middle + 1
        else:
            high = middle
    return text[: edges[low - 1]].strip("\n") if low else ""
