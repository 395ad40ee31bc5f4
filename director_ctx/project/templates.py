"""Tells a document that somebody wrote from a template that nobody has filled in."""

from __future__ import annotations

from director_ctx.project.reading.markdown import headings, section, without_comments
from director_ctx.project.tasks.child_lists import listed_goals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

STUB = "this file will be populated"
_PHRASES = (STUB, "_no goals defined yet", "_what are you calling this project")

HINTS = {
    "goal": "_What can people do when this goal is reached?_",
    "step": "_What works when this step is done?_",
    "task": "_What should be there when this is done?_",
}
"""What a new goal, step or task says where nobody said what it is about."""
SIZE_HINT = "_small, medium or large?_"
_PROMPTS = frozenset(
    (
        *HINTS.values(),
        f"**Estimate:** {SIZE_HINT}",
        "_What gets better for whoever uses it?_",
        "- [ ] _How will you see that it works?_",
    )
)
"""Lines of `templates/plan/` that ask the user something, and so say nothing to an agent."""


def substance(text: str) -> Iterator[str]:
    """The lines that say something of this project, as they are found."""
    lines = text.split("\n")
    for heading in headings(text):
        lines[heading.line - 1] = ""
    bare = without_comments("\n".join(lines))

    stripped = [line.strip() for line in bare.split("\n")]
    following_lines = [*stripped[1:], ""]
    for line, following in zip(stripped, following_lines, strict=True):
        if line and not _is_empty(line, following):
            yield line


def _says_something(text: str) -> bool:
    return next(substance(text), None) is not None


def _is_empty(line: str, following: str) -> bool:
    is_quote = line.startswith(">")
    if is_quote and STUB in line.casefold():
        return True
    if line.startswith("|"):
        # The row above a rule has the titles.
        has_no_cells = _is_rule(line) or _is_rule(following)
        return has_no_cells or _is_empty_row(line)

    bare = line
    is_item = line[:1] in "-+>" or line[:2] in ("*", "* ")
    if is_item:
        bare = line.lstrip("-*+>").strip()
    if not bare or bare == "[UNCLEAR]":
        return True
    return is_italic(bare) or _is_placeholder(bare)


def _is_empty_row(line: str) -> bool:
    for cell in line.strip("|").split("|"):
        is_blank = not cell.strip("-: ")
        if not is_blank and not _is_placeholder(cell.strip()):
            return False
    return True


def _is_rule(line: str) -> bool:
    return line.startswith("|") and "-" in line and not line.strip("|-: ")


def is_italic(line: str) -> bool:
    """Whether one pair of marks encloses the whole line: a template's hint."""
    if len(line) < 3:
        return False
    mark = line[0]
    is_enclosed = mark in "_*" and line.endswith(mark)
    is_bold = line[1] == mark
    if not is_enclosed or is_bold:
        return False
    pieces = line[1:-1].split(mark)
    for left, right in zip(pieces, pieces[1:], strict=False):
        # A mark between two letters is part of a word, such as `snake_case`.
        before = left[-1:]
        after = right[:1]
        if not before.isalnum() or not after.isalnum():
            return False
    return True


def _is_placeholder(line: str) -> bool:
    """Nothing but `[bracketed text]`, perhaps with a label, numbers and dashes around it."""
    rest = line.replace("*", "")
    is_link = "](" in rest
    is_ticked = "[x]" in rest.casefold()
    if is_link or is_ticked:
        return False
    opened = rest.count("[")
    if not opened or opened > rest.count("]"):
        return False
    outside, *bracketed = rest.split("[")
    for piece in bracketed:
        outside += piece.rpartition("]")[2]
    return not outside.strip(" -\u2013\u2014:.|0123456789")


def is_template_vision(text: str) -> bool:
    """A VISION that is there but says nothing yet; an empty file is simply missing."""
    return bool(text.strip()) and not _says_something(text)


def is_template_gameplan(text: str) -> bool:
    """A GAMEPLAN that names no goal: neither as `Goal N: NAME` nor as any real item under Goals."""
    if not text.strip() or listed_goals(text):
        return False
    if STUB in text.casefold():
        return True
    lines = (section(text, "goals") or "").split("\n")
    others = [line for line in lines if not _is_goal_line(line)]
    return not _says_something("\n".join(others))


def _is_goal_line(line: str) -> bool:
    """`2. **Goal 2: [Name]** -- what`: in a plan without a real goal such a line is a placeholder."""
    bare = line.replace("*", "")
    words = bare.lstrip("-+#0123456789.) ").split()
    if len(words) < 2:
        return False
    label, number, *_ = words
    return label.casefold() == "goal" and number.rstrip(":").isdigit()


def without_prompts(text: str) -> str:
    """A goal, step or task without what its template asks the user, and without the headings that
    nothing else stands under.
    """
    if not any(prompt in text for prompt in _PROMPTS):
        return text

    marks = headings(text)
    if not marks:
        return _without_prompts_in(text)
    first, *ends = [*(mark.start for mark in marks), len(text)]
    # Behind the last one nothing is deeper.
    levels_below = [*(mark.level for mark in marks[1:]), 0]

    kept = [_without_prompts_in(text[:first])]
    for mark, end, level_below in zip(marks, ends, levels_below, strict=True):
        body = text[mark.body : end]
        answered = _without_prompts_in(body)
        is_emptied = answered != body and not answered.strip()
        has_subsection = level_below > mark.level
        if not is_emptied or has_subsection or mark.level == 1:
            kept.append(text[mark.start : mark.body] + answered)
    return "".join(kept)


def _without_prompts_in(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        if line.strip() not in _PROMPTS:
            lines.append(line)
    return "\n".join(lines)


def leftovers(text: str) -> list[str]:
    """Placeholder phrases that stayed in a document which is otherwise filled in."""
    if not _says_something(text):
        return []
    lowered = text.casefold()
    return [phrase for phrase in _PHRASES if phrase in lowered]
