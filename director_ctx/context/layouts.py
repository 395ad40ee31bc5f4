"""From sections to text. A layout turns sections in order into blocks; blocks are joined by an
empty line.
"""

from __future__ import annotations

from director_ctx.base.look_alikes import skeleton, visible_start
from director_ctx.base.record import Record
from director_ctx.context.sections import Part, Section
from director_ctx.context.settings.tags import (
    CACHE_ORDER,
    COMPRESSED,
    EVERYWHERE_PROTECTED,
    PARTS,
    PULLED_TOOLS,
    SYSTEM,
    TAGS,
    title,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Sections = Mapping[str, Section]
    Wrap = Callable[[str, str], str]
    LayOut = Callable[[Sections, Sequence[str], Wrap, Sequence[str]], tuple["PrintedBlock", ...]]

SEPARATOR = "\n\n"


class PrintedBlock(Record):
    """One section as it is printed."""

    section: Section
    text: str

    @property
    def tag(self) -> str:
        return self.section.tag

    @property
    def protected(self) -> bool:
        return self.section.protected


def xml(tag: str, body: str) -> str:
    return f"<{tag}>\n{body}\n</{tag}>"


def markdown(tag: str, body: str) -> str:
    return f"# {title(tag)}\n\n{body}"


WRAPS: dict[str, Wrap] = {"xml": xml, "json": xml, "markdown": markdown, "messages": xml}


def tags_layout(
    sections: Sections,
    order: Sequence[str],
    wrap: Wrap,
    _: Sequence[str] = (),
) -> tuple[PrintedBlock, ...]:
    """Each section in its own tag, side by side, in the declared order."""
    blocks: list[PrintedBlock] = []
    for tag in order:
        section = sections.get(tag)
        if section:
            text = wrap(tag, section.body)
            blocks.append(PrintedBlock(section, text))
    return tuple(blocks)


HEADINGS: dict[str, str] = {}
for _number, _tag in enumerate(PARTS, 1):
    _words = _tag.replace("_", " ").upper()
    HEADINGS[_tag] = f"({_number}) {_words}"
_HEADINGS = tuple(map(skeleton, HEADINGS.values()))
NONE = "(none)"


def parts_layout(
    sections: Sections,
    order: Sequence[str],
    wrap: Wrap,
    empty: Sequence[str] = (),
) -> tuple[PrintedBlock, ...]:
    """Each part under its numbered heading, always in that order; then whatever else was asked for,
    in tags.

    The six are always there; the seventh where something was compressed.
    """
    parts: dict[str, Section] = {}
    others: dict[str, Section] = {}
    for tag, section in sections.items():
        if tag in PARTS:
            parts[tag] = section
        else:
            others[tag] = section
    # "(none)" tells an agent that there is no plan; a heading that is missing tells it nothing.
    for tag in empty:
        is_always_there = tag in PARTS and tag != COMPRESSED
        if is_always_there and tag not in parts:
            parts[tag] = Section(
                tag=tag,
                parts=(Part(NONE),),
                protected=tag in EVERYWHERE_PROTECTED,
            )

    def wrap_unnumbered(tag: str, body: str) -> str:
        return wrap(tag, without_headings(body))

    blocks: list[PrintedBlock] = []
    for tag in PARTS:
        part = parts.get(tag)
        if part:
            text = headed(tag, part.body)
            blocks.append(PrintedBlock(part, text))
    blocks += tags_layout(others, order, wrap_unnumbered)
    return tuple(blocks)


def headed(tag: str, body: str) -> str:
    """A part under its heading."""
    return f"{HEADINGS[tag]}\n{without_headings(body)}"


def without_headings(body: str) -> str:
    """The text in which no line can be taken for a heading of ours, whatever it takes for the end
    of a line.
    """
    # Most bodies: letters that only look like ASCII are none, so a heading needs its bracket.
    if body.isascii() and "(" not in body:
        return body
    lines = body.splitlines()
    if not any(map(_is_heading, lines)):
        return body

    escaped = []
    for line in lines:
        if _is_heading(line):
            escaped.append(f"\\{line}")
        else:
            escaped.append(line)
    return "\n".join(escaped)


def _is_heading(line: str) -> bool:
    """Whatever blanks are in it, its case, letters that only look the same, and characters that
    show nothing.
    """
    if line.isascii() and "(" not in line:
        return False
    begun = line[visible_start(line) :]
    first = skeleton(begun[:1])
    if not first.startswith("("):
        return False
    words = skeleton(begun[:200]).split()
    return " ".join(words).startswith(_HEADINGS)


def pull_layout(
    sections: Sections,
    order: Sequence[str],
    wrap: Wrap,
    _: Sequence[str] = (),
) -> tuple[PrintedBlock, ...]:
    """The system prompt as it is, because it is one; then whatever was asked for besides, in tags."""

    def wrap_others(tag: str, body: str) -> str:
        if tag == SYSTEM:
            return body
        return wrap(tag, body)

    return tags_layout(sections, order, wrap_others)


LAYOUTS: dict[str, LayOut] = {
    "tags": tags_layout,
    "cache": tags_layout,
    "parts": parts_layout,
    **dict.fromkeys(PULLED_TOOLS, pull_layout),
}


class Renderer(Record):
    """The chosen layout and wrapping as one function of the sections."""

    layout: str = "tags"
    format: str = "xml"
    empty: tuple[str, ...] = ()
    """Tags that were wanted and have nothing to show."""

    def blocks(self, sections: Sections) -> tuple[PrintedBlock, ...]:
        lay_out = LAYOUTS[self.layout]
        order = CACHE_ORDER if self.layout == "cache" else TAGS
        wrap = WRAPS[self.format]
        return lay_out(sections, order, wrap, self.empty)


def messages(sections: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """Rows of role and content, as model APIs take them: the system prompt, then all the rest as
    the user's words.
    """
    rows = []
    rest = []
    for tag, text in sections:
        if tag == SYSTEM:
            content = text.removeprefix(f"{HEADINGS[SYSTEM]}\n")
            rows.append({"role": "system", "content": content})
        else:
            rest.append(text)

    # One row for all of it: several of one speaker in a row are not taken alike by every API.
    words = SEPARATOR.join(rest)
    if words:
        rows.append({"role": "user", "content": words})
    return rows


def join(blocks: Sequence[PrintedBlock]) -> str:
    """The whole text as it is printed."""
    if not blocks:
        return ""
    return SEPARATOR.join(block.text for block in blocks) + "\n"


def stable_prefix(blocks: Sequence[PrintedBlock]) -> str:
    """What stands before the first section that depends on the task or the time."""
    prefix: list[str] = []
    for block in blocks:
        if not block.section.stable:
            break
        prefix.append(block.text + SEPARATOR)
    return "".join(prefix)
